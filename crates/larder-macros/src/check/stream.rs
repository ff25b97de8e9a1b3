//! What a function that returns a stream cannot have.

use crate::attr::Attr;
use crate::errors::Errors;
use crate::function::Function;
use crate::option::Life;
use crate::types;

/// The mistakes of `#[cacheable]` on a stream.
pub(crate) fn all(attr: &Attr, function: &Function, errors: &mut Errors) {
    let Some(item) = function.streams() else {
        return;
    };
    if types::succeeds_with(item).is_none() && attr.cache.is_none() {
        let text = "the elements' type cannot be seen here: write `Item = Result<T, E>` by its \
                    name, or name a cache: `#[cacheable(CACHE, …)]`";
        errors.at(item, text);
    }
    if let Some(given) = attr
        .load
        .as_ref()
        .filter(|load| load.value == Life::HandOver)
    {
        let text = "the source of a stream runs beside those who read it, and cannot be one of \
                    theirs: leave `load` out, or write `load = cancel`";
        errors.at(&given.name, text);
    }
    if let Some(given) = &attr.absent_ttl {
        let name = &given.name;
        errors.at(
            name,
            format!("a stream is never absent, so `{name}` says nothing"),
        );
    }
    let soft = attr.soft.as_ref().map(|soft| &soft.name);
    let refresh = attr.refresh.as_ref().map(|refresh| &refresh.name);
    for name in soft.into_iter().chain(refresh) {
        let text = format!(
            "what is past its time is given in the place of an error alone, so `{name}` says \
             nothing of a stream"
        );
        errors.at(name, text);
    }
    for (name, closure) in attr.closures() {
        let text = format!(
            "a stream is given away before it is whole, so `{name}` cannot see it: write an \
             expression over the arguments"
        );
        errors.at(closure.or1_token, text);
    }
}

/// Of a put or an eviction, which have to wait for the body.
pub(crate) fn none(function: &Function, errors: &mut Errors) {
    if let Some(item) = function.streams() {
        let text = "the body of a stream is over before its first element is there, so there is \
                    nothing to act after: change the cache in a function that returns a value";
        errors.at(item, text);
    }
}
