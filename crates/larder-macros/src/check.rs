//! What an attribute refuses, each with its own sentence.

mod itself;
mod key;
mod load;
mod stream;
mod time;
mod value;

use proc_macro2::{Ident, Span};
use syn::{Expr, ExprLit, Lit, ReturnType};

use crate::attr::Attr;
use crate::errors::Errors;
use crate::function::Function;
use crate::kind::Kind;
use crate::types;

/// The mistakes of `#[cacheable]`.
pub(crate) fn cacheable(attr: &Attr, function: &Function, errors: &mut Errors) {
    answer(function, "cache", errors);
    key::of_arguments(attr, errors);
    key::all(attr, function, errors);
    value::all(attr, function, errors);
    load::takes(attr, function, errors);
    itself::none(attr, function, errors);
    stream::all(attr, function, errors);
    settings(attr, errors);
    coded(attr, errors);
    time::together(attr, function, errors);
}

/// The mistakes of `#[cache_put]`.
pub(crate) fn put(attr: &Attr, function: &Function, errors: &mut Errors) {
    stream::none(function, errors);
    cache(attr, Kind::Put, errors);
    answer(function, "put", errors);
    key::all(attr, function, errors);
    value::all(attr, function, errors);
}

/// The mistakes of `#[cache_evict]`.
pub(crate) fn evict(attr: &Attr, function: &Function, errors: &mut Errors) {
    stream::none(function, errors);
    cache(attr, Kind::Evict, errors);
    value::all(attr, function, errors);
    value::evicted_tags(attr, errors);
    if let Some(all) = &attr.all {
        return nothing_beside(all, attr, errors);
    }
    if let (Some(expire), Some(tags)) = (&attr.expire, &attr.tags) {
        let text = format!(
            "`{expire}` is of one entry, by its key: `{}` evicts",
            tags.name
        );
        errors.at(&tags.name, text);
    }
    if attr.before.is_some() {
        key::of_arguments(attr, errors);
    }
    key::for_eviction(attr, function, errors);
}

fn cache(attr: &Attr, kind: Kind, errors: &mut Errors) {
    if attr.cache.is_none() && errors.is_empty() {
        let text = format!("the cache is missing: `#[{}(DEALS, …)]`", kind.name());
        let place = attr.all.as_ref().or(attr.before.as_ref());
        let place = place.map_or_else(Span::call_site, Ident::span);
        errors.push(syn::Error::new(place, text));
    }
}

fn nothing_beside(all: &Ident, attr: &Attr, errors: &mut Errors) {
    let key = attr.key.as_ref().map(|key| &key.name);
    let skip = attr.skip.as_ref().map(|skip| &skip.name);
    for name in key.into_iter().chain(skip).chain(&attr.expire) {
        errors.at(
            name,
            format!("`{all}` are evicted, so `{name}` says nothing"),
        );
    }
    if let Some(tags) = &attr.tags {
        let name = &tags.name;
        errors.at(
            name,
            format!("`{all}` are evicted, so `{name}` says nothing"),
        );
    }
}

fn answer(function: &Function, verb: &str, errors: &mut Errors) {
    let output = &function.item.sig.output;
    if matches!(output, ReturnType::Default) {
        let text = format!("nothing is returned, so there is nothing to {verb}");
        errors.at(&function.item.sig.ident, text);
    } else if function.streams().is_some() && function.item.sig.asyncness.is_none() {
        // Its elements are named.
    } else if types::is_stream(&function.answer) {
        let text = "a stream that is cached is made by a plain `fn`, and says what it gives: \
                    `fn … -> impl Stream<Item = Result<T, E>>`";
        errors.at(&function.answer, text);
    } else if types::has_impl(&function.answer) {
        let text = "a cached function names the type that it returns";
        errors.at(&function.answer, text);
    }
}

/// What is set where a cache is built.
fn settings(attr: &Attr, errors: &mut Errors) {
    let names = [
        attr.name.as_ref().map(|name| &name.name),
        attr.capacity.as_ref().map(|capacity| &capacity.name),
        attr.codec.as_ref().map(|codec| &codec.name),
        attr.schema.as_ref().map(|schema| &schema.name),
    ];
    for name in names.into_iter().flatten().filter(|_| attr.cache.is_some()) {
        let text = format!("`{name}` is set where the cache is built, not where it is used");
        errors.at(name, text);
    }
    let name = attr.name.as_ref();
    if let Some(name) = name.filter(|name| name.value.value().is_empty()) {
        errors.at(&name.value, "a cache's name must not be empty");
    }
    let capacity = attr.capacity.as_ref();
    if let Some(capacity) = capacity.filter(|capacity| is_zero(&capacity.value)) {
        errors.at(&capacity.value, "a cache's capacity must not be zero");
    }
}

/// What a far tier needs of the cache that is made.
fn coded(attr: &Attr, errors: &mut Errors) {
    if let (Some(schema), None) = (&attr.schema, &attr.codec) {
        let text = "a schema is of values in a far store: write a `codec = …` beside it";
        errors.at(&schema.name, text);
    }
    let fixed = matches!(&attr.ttl, Some(ttl) if ttl.value.is_text());
    if let Some(codec) = attr
        .codec
        .as_ref()
        .filter(|_| !fixed && attr.cache.is_none())
    {
        let text = "nothing lies in a far store without an end: write a `ttl = \"…\"` beside it, \
                    as a text";
        errors.at(&codec.name, text);
    }
}

fn is_zero(expr: &Expr) -> bool {
    matches!(expr, Expr::Lit(ExprLit { lit: Lit::Int(number), .. })
        if number.base10_parse::<u128>().is_ok_and(|number| number == 0))
}
