//! `latency`: the second seed's experiment. A hundred callers with two questions each, all at once, for
//! users in protobuf or postcard: over the loopback, and over a way that takes a millisecond.
//!
//! A variant runs in a process of its own, in turn with the others; its figures are the medians of
//! those of each turn. A caller's time runs from the moment it asks.

mod callers;
mod figure;
mod form;
mod results;

use std::time::Duration;

use anyhow::{Context as _, anyhow};
use larder::{Postcard, Protobuf};
use larder_report::{Report, Scale};
use larder_servers::Proxy;

use crate::experiment;
use crate::seeds::blocking::Way;
use crate::seeds::server;
use crate::turns;
use callers::Users;
use figure::Figure;
use form::Form;

/// How often every variant has its turn.
const fn rounds(scale: Scale) -> usize {
    match scale {
        Scale::Quick => 2,
        _ => 11,
    }
}

/// What lies between callers and server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    Loopback,
    /// A way that takes a millisecond there and back, and keeps order.
    Delayed,
}

impl Link {
    const ALL: [Self; 2] = [Self::Loopback, Self::Delayed];

    const fn name(self) -> &'static str {
        match self {
            Self::Loopback => "loopback",
            Self::Delayed => "1 ms round trip",
        }
    }
}

/// How callers reach the server; `None` is larder.
const VARIANTS: [(&str, &str, Option<Way>); 4] = [
    (
        "shared",
        "blocking, one shared connection",
        Some(Way::Shared),
    ),
    ("pool", "blocking, pool of 8", Some(Way::Pool(8))),
    ("each", "blocking, connection per thread", Some(Way::Each)),
    ("larder", "larder, far only", None),
];

/// What was found for one variant, a figure a turn.
struct Found {
    link: Link,
    form: Form,
    word: &'static str,
    figures: Vec<Figure>,
}

/// Measures every variant in processes of their own.
///
/// # Errors
/// There is no server to be had, or a process fails.
pub(crate) fn run(scale: Scale) -> anyhow::Result<Report> {
    let (server, version) = server()?;
    let proxy = Proxy::new(server.port());
    proxy.delay(Duration::from_micros(500));
    let mut all = all();
    turns::take("latency", rounds(scale), &mut all, |found| {
        server.ask(&["FLUSHALL"])?;
        let port = match found.link {
            Link::Loopback => server.port(),
            Link::Delayed => proxy.port(),
        };
        let words = [found.word, found.form.word(), &port.to_string()];
        (found.figures).push(experiment::figure("latency", scale, &words)?);
        Ok(())
    })?;
    Ok(results::report(scale, &version, &all))
}

fn all() -> Vec<Found> {
    let links = Link::ALL.into_iter();
    let with_forms = links.flat_map(|link| Form::ALL.map(|form| (link, form)));
    let each = with_forms.flat_map(|(link, form)| {
        VARIANTS.map(|(word, ..)| Found {
            link,
            form,
            word,
            figures: Vec::new(),
        })
    });
    each.collect()
}

/// Measures one variant in this process, and prints what was found.
///
/// # Errors
/// The words are others than a run gives, the server is gone, or a user is.
pub(crate) fn one_start(_: Scale, words: &[String]) -> anyhow::Result<()> {
    let [variant, form, port] = words else {
        return Err(anyhow!("three words are needed: {words:?}"));
    };
    let mut variants = VARIANTS.iter();
    let variant = variants.find(|(word, ..)| word == variant);
    let way = variant.context("no such variant")?.2;
    let mut forms = Form::ALL.into_iter();
    let form = forms.find(|one| one.word() == form);
    let port = port.parse()?;
    let figure = match form.context("no such form")? {
        Form::Protobuf => {
            let users = Users {
                port,
                codec: Protobuf,
                make: form::message,
            };
            way.map_or_else(|| users.ours(), |way| users.blocking(way))
        }
        Form::Postcard => {
            let users = Users {
                port,
                codec: Postcard,
                make: form::person,
            };
            way.map_or_else(|| users.ours(), |way| users.blocking(way))
        }
    };
    println!("{}", serde_json::to_string(&figure?)?);
    Ok(())
}
