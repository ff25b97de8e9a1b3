//! What a run can break.

use std::fmt;

/// What a run can break.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// No answer is older than the last invalidation that was over for its node when the call began.
    Old,
    /// No answer outlives the time of its value, nor what the far tier holds.
    Expired,
    /// One load per key and node, until something is invalidated or the deadline passes.
    Doubled,
    /// Where a load has failed and there is something old, none is begun for the throttle.
    Pressed,
    /// Every call returns, and in time.
    Waiting,
    /// A call that is not to look gets what was loaded after it began; what is not to be kept is not
    /// kept; what a load is offered as the old value is that, and known by what its source said.
    Unasked,
    /// A key's answer is a whole value of that key, or an absence that the source had.
    Wrong,
    /// At rest nothing runs, nothing is queued and every call was counted once.
    Unrest,
    /// The near tier keeps its bound.
    Bound,
    /// After the faults every node sees the newest.
    Unhealed,
    /// No panic comes out of the engine.
    Panic,
}

/// What a run broke: the rule, and what was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// What was seen.
    pub text: String,
}

impl Violation {
    pub(crate) fn new(rule: Rule, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { rule, text }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.rule, self.text)
    }
}
