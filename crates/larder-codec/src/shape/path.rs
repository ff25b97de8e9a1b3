//! The place that is being traced.

use std::fmt;

/// The place that is being traced, from the root. After an error it stays where that was.
#[derive(Debug, Default)]
pub(super) struct Path(Vec<Step>);

#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    Type(&'static str),
    Field(&'static str),
    Index(usize),
    Variant(&'static str),
    Element,
    Key,
    Value,
}

impl Path {
    pub(super) fn push(&mut self, step: Step) {
        self.0.push(step);
    }

    pub(super) fn pop(&mut self) {
        self.0.pop();
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.0 {
            match step {
                Step::Type(name) => f.write_str(name)?,
                Step::Field(name) => write!(f, ".{name}")?,
                Step::Index(index) => write!(f, ".{index}")?,
                Step::Variant(name) => write!(f, "::{name}")?,
                Step::Element => f.write_str("[]")?,
                Step::Key => f.write_str("[key]")?,
                Step::Value => f.write_str("[value]")?,
            }
        }
        Ok(())
    }
}
