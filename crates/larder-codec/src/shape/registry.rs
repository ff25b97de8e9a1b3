//! The types that a trace has met.

/// What was seen in one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Type {
    /// A number, a text, …; empty for the content of a unit variant.
    Leaf(&'static str),
    Option(Box<Self>),
    Seq(Box<Self>),
    Map(Box<(Self, Self)>),
    Tuple(Vec<Self>),
    Fields(&'static [&'static str], Vec<Self>),
    /// A type with a name, by its place in the registry.
    Named(usize),
}

/// What tells two named types apart: serde's names alone do not, for two modules may have one each
/// and `Pair<u8>` has the name of `Pair<u16>`. Not part of the shape: it changes with the compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    full: &'static str,
    name: &'static str,
    names: &'static [&'static str],
}

impl Identity {
    /// The identity of what reads itself as a `T`.
    pub(super) fn of<T>(name: &'static str, names: &'static [&'static str]) -> Self {
        Self {
            full: std::any::type_name::<T>(),
            name,
            names,
        }
    }
}

/// All named types met so far, over all passes, in the order of meeting.
#[derive(Debug, Default)]
pub(super) struct Registry(Vec<Named>);

/// A type with a name.
#[derive(Debug)]
pub(super) struct Named {
    identity: Identity,
    /// Whether it has variants; else it has one content.
    is_enum: bool,
    contents: Vec<Option<Type>>,
    /// Whether all that is in a content was traced to its end.
    whole: Vec<bool>,
    /// Whether it is known that it refuses an unknown variant.
    pub(super) closed: bool,
}

impl Registry {
    /// The place of a struct.
    pub(super) fn structure(&mut self, identity: Identity) -> usize {
        self.place(identity, false, 1)
    }

    /// The place of an enum.
    pub(super) fn choice(&mut self, identity: Identity) -> usize {
        self.place(identity, true, identity.names.len())
    }

    fn place(&mut self, identity: Identity, is_enum: bool, count: usize) -> usize {
        let known = self.0.iter().position(|named| named.identity == identity);
        known.unwrap_or_else(|| {
            self.0.push(Named {
                identity,
                is_enum,
                contents: vec![None; count],
                whole: vec![false; count],
                closed: false,
            });
            self.0.len() - 1
        })
    }

    /// The type at a place.
    pub(super) fn at(&mut self, id: usize) -> &mut Named {
        &mut self.0[id]
    }

    pub(super) fn get(&self, id: usize) -> &Named {
        &self.0[id]
    }
}

impl Named {
    pub(super) const fn name(&self) -> &'static str {
        self.identity.name
    }

    /// The variants with their contents; none for a struct.
    pub(super) fn variants(&self) -> Option<impl Iterator<Item = (&'static str, &Option<Type>)>> {
        let names = self.identity.names.iter().copied();
        self.is_enum.then(|| names.zip(&self.contents))
    }

    /// The content of a struct.
    pub(super) fn content(&self) -> Option<&Type> {
        self.contents.iter().flatten().next()
    }

    /// The first variant that is not whole, or the first.
    pub(super) fn next(&self) -> usize {
        let open = self.whole.iter().position(|whole| !whole);
        open.unwrap_or_default()
    }

    pub(super) fn is_whole(&self) -> bool {
        self.whole.iter().all(|whole| *whole)
    }

    /// Writes down what a variant, or the struct, consists of; false if it was something else before.
    #[must_use]
    pub(super) fn define(&mut self, variant: usize, content: Type, whole: bool) -> bool {
        self.whole[variant] |= whole;
        agree(&mut self.contents[variant], content)
    }
}

/// Writes down what a place is; false if it was something else before.
#[must_use]
pub(super) fn agree(known: &mut Option<Type>, found: Type) -> bool {
    match known {
        Some(known) => *known == found,
        None => {
            *known = Some(found);
            true
        }
    }
}
