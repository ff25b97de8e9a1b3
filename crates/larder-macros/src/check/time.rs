//! Times that say nothing without another one, or where they stand.

use std::time::Duration;

use crate::attr::Attr;
use crate::errors::Errors;
use crate::function::Function;
use crate::option::{Given, Life};

/// Refuses what the cache would, as far as it is known here: a named cache may say the rest.
pub(crate) fn together(attr: &Attr, function: &Function, errors: &mut Errors) {
    in_the_call(attr, function, errors);
    never_passed(attr, errors);
    if attr.cache.is_some() {
        return;
    }
    let ended = attr.ttl.is_some();
    if let (Some(stale), false) = (&attr.stale, ended) {
        let text = "what has no end is never past it: write a `ttl = …` beside it";
        errors.at(&stale.name, text);
    }
    if let (Some(refresh), false) = (&attr.refresh, ended) {
        let text = "what has no end is not refreshed before it: write a `ttl = …` beside it";
        errors.at(&refresh.name, text);
    }
    if let (Some(soft), None) = (&attr.soft, &attr.stale) {
        let text = "there is nothing old to be given: write a `stale = …` beside it";
        errors.at(&soft.name, text);
    }
    if let (Some(idle), None, false) = (&attr.idle, &attr.max_age, ended) {
        let text = "what is used often would never be loaded again: write a `ttl = …` or a \
                    `max_age = …` beside it";
        errors.at(&idle.name, text);
    }
}

/// A soft deadline that comes after the load's end.
fn never_passed(attr: &Attr, errors: &mut Errors) {
    /// That of caches that name none.
    const UNSAID: Duration = Duration::from_secs(30);
    let deadline = match &attr.deadline {
        Some(deadline) => deadline.value.text(),
        None => attr.cache.is_none().then_some(UNSAID),
    };
    let soft = attr.soft.as_ref();
    let Some((soft, deadline)) = soft.zip(deadline) else {
        return;
    };
    if soft.value.text().is_some_and(|time| time >= deadline) {
        let text = "the load ends by its `deadline` before a caller would have waited so long: \
                    write a shorter `soft`, or a longer `deadline` (30 s unless said) beside it";
        errors.at(&soft.name, text);
    }
}

/// A load that runs in its call is waited for, and nothing runs in the background.
fn in_the_call(attr: &Attr, function: &Function, errors: &mut Errors) {
    if attr.life(function) != Life::HandOver {
        return;
    }
    let refresh = attr.refresh.as_ref().map(|Given { name, .. }| name);
    let soft = attr.soft.as_ref().map(|Given { name, .. }| name);
    for name in refresh.into_iter().chain(soft) {
        let text =
            format!("the load runs in this call, which waits for it, so `{name}` says nothing");
        errors.at(name, text);
    }
}
