//! What an attribute refuses, each with its own sentence.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{Expr, ExprLit, Lit, ReturnType, Type};

use crate::attr::Attr;
use crate::body::{format_of_self, mentions};
use crate::errors::Errors;
use crate::function::Function;
use crate::guess::did_you_mean;
use crate::option::Skip;
use crate::types;

/// The mistakes of `#[cacheable]`.
pub(crate) fn cacheable(attr: &Attr, function: &Function, errors: &mut Errors) {
    answer(function, errors);
    key(attr, function, errors);
    detached_self(function, errors);
    for argument in &function.arguments {
        if function.uses(argument) {
            detached(&argument.ty, &argument.ty, errors);
        }
    }
    settings(attr, errors);
}

/// What is set where a cache is built.
fn settings(attr: &Attr, errors: &mut Errors) {
    let names = [
        attr.name.as_ref().map(|name| &name.name),
        attr.capacity.as_ref().map(|capacity| &capacity.name),
    ];
    for name in names.into_iter().flatten().filter(|_| attr.cache.is_some()) {
        let text = format!("`{name}` is set where the cache is built, not where it is used");
        errors.at(name, text);
    }
    if let Some(name) = attr
        .name
        .as_ref()
        .filter(|name| name.value.value().is_empty())
    {
        errors.at(&name.value, "a cache's name must not be empty");
    }
    if let Some(capacity) = attr
        .capacity
        .as_ref()
        .filter(|capacity| is_zero(&capacity.value))
    {
        errors.at(&capacity.value, "a cache's capacity must not be zero");
    }
}

fn is_zero(expr: &Expr) -> bool {
    matches!(expr, Expr::Lit(ExprLit { lit: Lit::Int(number), .. })
        if number.base10_parse::<u128>().is_ok_and(|number| number == 0))
}

/// The mistakes of `#[cache_evict]`.
pub(crate) fn evict(attr: &Attr, function: &Function, errors: &mut Errors) {
    if attr.cache.is_none() && errors.is_empty() {
        let text = "the cache is missing: `#[cache_evict(DEALS, …)]`";
        let place = attr.all.as_ref().or(attr.before.as_ref());
        errors.push(syn::Error::new(
            place.map_or_else(proc_macro2::Span::call_site, Ident::span),
            text,
        ));
    }
    let Some(all) = &attr.all else {
        return key(attr, function, errors);
    };
    let key = attr.key.as_ref().map(|key| &key.name);
    for name in key
        .into_iter()
        .chain(attr.skip.as_ref().map(|skip| &skip.name))
    {
        errors.at(
            name,
            format!("`{all}` needs no key, so `{name}` says nothing"),
        );
    }
}

fn answer(function: &Function, errors: &mut Errors) {
    let output = &function.item.sig.output;
    if matches!(output, ReturnType::Default) {
        errors.at(
            &function.item.sig.ident,
            "nothing is returned, so there is nothing to cache",
        );
    } else if types::has_impl(&function.answer) {
        errors.at(
            &function.answer,
            "a cached function names the type that it returns",
        );
    }
}

fn key(attr: &Attr, function: &Function, errors: &mut Errors) {
    if let Some(key) = &attr.key {
        if let Expr::Closure(closure) = &key.value {
            let text = "the key is made from the arguments, before the body: write an \
                        expression, not a closure";
            errors.at(closure.or1_token, text);
        }
    }
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
    let in_key = attr
        .key
        .as_ref()
        .is_some_and(|key| mentions(&key.value, "self"));
    if !skipped
        && !in_key
        && !attr
            .cache
            .as_ref()
            .is_some_and(|cache| mentions(cache, "self"))
    {
        let text = "`self` is not part of the key, so all instances would share one entry: write \
                    `skip(self)` if that is meant, `key = …` with a part of `self` if they \
                    differ, or take a cache that belongs to the value, like `self.cache`";
        errors.at(receiver.self_token, text);
    }
}

fn detached_self(function: &Function, errors: &mut Errors) {
    let Some(receiver) = function.receiver() else {
        return;
    };
    detached(&receiver.ty, receiver, errors);
    if let Some(literal) = format_of_self(&function.item.block) {
        let text = "inside a cached function `self` cannot be named in a format: write `{}`, and \
                    `self` as an argument";
        errors.at(literal, text);
    }
}

/// What the body uses must be able to outlive the call.
fn detached(ty: &Type, place: &impl ToTokens, errors: &mut Errors) {
    let borrow = match ty {
        Type::Reference(reference) if reference.mutability.is_some() => {
            let text = "a cached function does not run on a hit, so it cannot change what it \
                        borrows: take it by value or by `&`";
            return errors.at(place, text);
        }
        Type::Reference(reference) => types::borrow(&reference.elem),
        ty => types::borrow(ty),
    };
    if let Some(borrow) = borrow {
        let text = "the load outlives this call, and a borrow inside a type cannot be cloned to an \
                    owned form: take an owned type, or a plain `&` of one";
        errors.at(borrow, text);
    }
}
