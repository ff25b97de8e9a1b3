//! Sources of elements.

use std::time::Duration;

use futures_lite::StreamExt;
use larder_core::Runtime;
use larder_engine::CallOptions;

use super::Version;
use super::calls::seen;
use crate::history::{Asked, Seen};
use crate::plan::{Body, Form, Tag};
use crate::value::{self, Element, Shape};
use crate::violation::Rule;

impl<V: Shape> Version<V> {
    /// Reads a stream to its end, with a pause after each element.
    pub(super) async fn stream(
        &self,
        asked: Asked,
        key: u64,
        (form, body, pace): (Form, Body, Duration),
    ) -> Seen {
        self.counts();
        let function = self.function(asked, key, body).tagged(form);
        let mut options = CallOptions::new();
        if form == Form::Cancelled {
            options = options.cancel();
        }
        if form == Form::Cancelled || body.says.tagged {
            options = options.tag(Tag::of_key(key).name());
        }
        let kept = self.max_stream;
        let source = move || function.stream(kept);
        let mut elements = self.cache.get_or_stream_with(&key, options, source);
        let mut read = Vec::new();
        while let Some(element) = elements.next().await {
            match element {
                Ok(element) => read.push(element),
                // What came before the error was given.
                Err(error) if read.is_empty() => return seen::<V>(Err(error)),
                Err(_) => return self.of(&read, false),
            }
            self.process.sleep(pace).await;
        }
        self.of(&read, true)
    }

    /// The value of elements, which are the first of it in their order: all of them, if it is whole.
    fn of(&self, read: &[Element], whole: bool) -> Seen {
        let Some(&Element { id, key, .. }) = read.first() else {
            let text = format!("node {}: a stream ends before its first element", self.life);
            self.history.breaks(Rule::Wrong, text);
            return Seen::Nothing;
        };
        let told = (0..read.len()).map(|at| value::element(id, key, at));
        let inorder = told.eq(read.iter().copied().map(Some));
        if !inorder || whole && read.len() != value::elements(id) {
            let text = format!("node {} reads value {id} as {read:?}", self.life);
            self.history.breaks(Rule::Wrong, text);
        }
        Seen::Value(id)
    }
}
