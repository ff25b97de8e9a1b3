//! What belongs to the key.

use crate::attr::Attr;
use crate::body::mentions;
use crate::check::value::{closure, expected_expression};
use crate::errors::Errors;
use crate::function::Function;
use crate::guess::did_you_mean;
use crate::option::Skip;
use crate::types;

/// A key that is needed before the body.
pub(crate) fn of_arguments(attr: &Attr, errors: &mut Errors) {
    let Some(key) = &attr.key else { return };
    if let Some(closure) = closure(&key.value) {
        expected_expression(&key.name, closure, errors);
    }
}

/// Of an eviction: with tags alone there is no key.
pub(crate) fn for_eviction(attr: &Attr, function: &Function, errors: &mut Errors) {
    let key = attr.key.as_ref();
    if key.is_some_and(|key| closure(&key.value).is_some()) && types::has_impl(&function.answer) {
        let text = "a key that is made of the value needs the value's type by its name";
        errors.at(&function.answer, text);
    }
    if key.is_some() || attr.skip.is_some() || attr.tags.is_none() {
        all(attr, function, errors);
    }
}

/// Of any attribute.
pub(crate) fn all(attr: &Attr, function: &Function, errors: &mut Errors) {
    if let Some(skip) = &attr.skip {
        skipped(&skip.value, function, errors);
        if attr.key.is_some() && skip.value.0.iter().any(|name| name != "self") {
            errors.at(
                &skip.name,
                "`key` already says what belongs to the key; only `skip(self)` stands beside it",
            );
        }
    }
    self_in_key(attr, function, errors);
}

fn skipped(skip: &Skip, function: &Function, errors: &mut Errors) {
    for (at, name) in skip.0.iter().enumerate() {
        let known = match function.receiver() {
            Some(_) if name == "self" => true,
            _ => function.argument(name).is_some(),
        };
        if !known {
            let names: Vec<_> = function
                .arguments
                .iter()
                .map(|argument| argument.name.to_string())
                .collect();
            let guess = did_you_mean(&name.to_string(), &names);
            errors.at(name, format!("there is no argument `{name}`{guess}"));
        } else if skip.0[..at].contains(name) {
            errors.at(name, format!("`{name}` is skipped twice"));
        }
    }
}

fn self_in_key(attr: &Attr, function: &Function, errors: &mut Errors) {
    let Some(receiver) = function.receiver() else {
        return;
    };
    let skipped = attr.skip.as_ref().is_some_and(|skip| skip.value.has_self());
    let key = attr.key.as_ref();
    let in_key = key.is_some_and(|key| mentions(&key.value, "self"));
    let cache = attr.cache.as_ref();
    let in_cache = cache.is_some_and(|cache| mentions(cache, "self"));
    if !skipped && !in_key && !in_cache {
        let text = "`self` is not part of the key, so all instances would share one entry: write \
                    `skip(self)` if that is meant, `key = …` with a part of `self` if they \
                    differ, or take a cache that belongs to the value, like `self.cache`";
        errors.at(receiver.self_token, text);
    }
}
