//! What the user's functions do.

use std::fmt;
use std::future::pending;
use std::panic::resume_unwind;

use larder_core::Runtime;

use crate::history::{Asked, History};
use crate::plan::{Body, End, Form};
use crate::process::Process;
use crate::value::{Id, Shape};

/// The error of a function that fails.
#[derive(Debug, Clone)]
pub(super) struct Failed;

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the source fails on purpose")
    }
}

/// Ends as the body is to end; a value only where it comes to one.
pub(super) async fn end(end: End) -> Result<(), Failed> {
    match end {
        End::Value => Ok(()),
        End::Error => Err(Failed),
        // Past the hook: what is on purpose is not to be printed.
        End::Panic => resume_unwind(Box::new("the source panics on purpose")),
        End::Never => pending().await,
    }
}

/// A function that loads: it reads the source, and takes its time before and after.
pub(super) async fn load<V: Shape>(
    history: History,
    process: Process,
    asked: Asked,
    key: u64,
    form: Form,
    body: Body,
) -> Result<Option<V>, Failed> {
    let running = history.load(asked.life, key, asked.start, asked.raises);
    process.sleep(body.before).await;
    let id: Option<Id> = history.read(key, asked.life, form);
    process.sleep(body.after).await;
    end(body.end).await?;
    history.ended(id);
    drop(running);
    Ok(id.map(|id| V::of(id, key)))
}
