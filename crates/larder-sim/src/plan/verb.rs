//! What calls do.

use std::time::Duration;

use larder_engine::Mode;

/// What a call does. To add one: here, in `draw` with a weight, and in `node::calls`.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Verb {
    /// `get`.
    Get,
    /// A load in one of its forms.
    Load(Form, Body),
    /// A load of a call that uses the cache so far, at most.
    LoadUnder(Mode, Body),
    /// A load that may find the old value unchanged.
    Reload(Body),
    /// A source of elements; who reads them pauses after each.
    Stream(Form, Body, Duration),
    /// The source is changed, then `put`.
    Put,
    /// A ticket, the source is changed, then a put with the ticket.
    Update(Form, Body),
    Invalidate,
    Expire,
    InvalidateTag(Tag),
    Clear,
    /// `get_many` of so many keys, from the step's on.
    GetMany(u64),
    /// A load of so many keys in one call. Where it fails it may fail for one of them alone.
    LoadMany(u64, Body, bool),
    /// As `Put`, of so many keys.
    PutMany(u64),
    /// `invalidate_many` of so many keys.
    InvalidateMany(u64),
    /// From now on the node's cache is used so far.
    Switch(Mode),
}

impl Verb {
    /// How far the call itself uses the cache.
    pub(crate) const fn mode(self) -> Mode {
        match self {
            Self::LoadUnder(mode, _) => mode,
            _ => Mode::On,
        }
    }

    /// How many keys it is about, from the step's on; none if it names none.
    pub(crate) const fn keys(self) -> u64 {
        match self {
            Self::GetMany(keys)
            | Self::LoadMany(keys, ..)
            | Self::PutMany(keys)
            | Self::InvalidateMany(keys) => keys,
            Self::InvalidateTag(_) | Self::Clear | Self::Switch(_) => 0,
            _ => 1,
        }
    }

    /// Whether its answers were looked at some time before it ends.
    pub(crate) const fn lasts(self) -> bool {
        matches!(self, Self::Stream(..)) || self.keys() > 1
    }
}

/// Which of the engine's forms a load or a put is made in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// By calls, without tags.
    Plain,
    /// A load in the caller's task, without tags.
    Scoped,
    /// A load that ends when its last caller has left, with the tag of the key.
    Cancelled,
    /// As the attributes do, with tags.
    Tagged,
}

impl Form {
    pub(crate) const fn tagging(self) -> Tagging {
        Tagging {
            of_key: matches!(self, Self::Tagged | Self::Cancelled),
            of_version: matches!(self, Self::Tagged),
        }
    }
}

/// Which tags a value has.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tagging {
    pub(crate) of_key: bool,
    pub(crate) of_version: bool,
}

impl Tagging {
    pub(crate) fn tags(self, key: u64, version: u64) -> Vec<Tag> {
        let of_key = self.of_key.then(|| Tag::of_key(key));
        let of_version = self.of_version.then(|| Tag::of_version(version));
        of_key.into_iter().chain(of_version).collect()
    }
}

/// What the user's function does.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Body {
    /// From its start to where it touches the source.
    pub(crate) before: Duration,
    /// From there to its end.
    pub(crate) after: Duration,
    pub(crate) end: End,
    pub(crate) says: Says,
}

/// What a function says of its result, beside the result.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Says {
    pub(crate) ttl: Option<Duration>,
    pub(crate) unstored: bool,
    /// The tag of the version; of a stream, which cannot tell that, the tag of the key.
    pub(crate) tagged: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Value,
    Error,
    Panic,
    Never,
}

/// A tag: the first two are known from the key, the others from the version of the value alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Tag(pub(crate) u8);

impl Tag {
    pub(crate) const ALL: [Self; 4] = [Self(0), Self(1), Self(2), Self(3)];

    pub(crate) const fn of_key(key: u64) -> Self {
        Self((key % 2) as u8)
    }

    pub(crate) const fn of_version(version: u64) -> Self {
        Self(2 + (version % 2) as u8)
    }

    pub(crate) const fn name(self) -> &'static str {
        match self.0 {
            0 => "even",
            1 => "odd",
            2 => "red",
            _ => "blue",
        }
    }
}
