//! What a load can take along.

use quote::ToTokens;
use syn::{Receiver, Type};

use crate::attr::Attr;
use crate::body::format_of_self;
use crate::errors::Errors;
use crate::function::Function;
use crate::option::Life;
use crate::types;

/// What the body uses must be able to outlive the call, unless that runs the load.
pub(crate) fn takes(attr: &Attr, function: &Function, errors: &mut Errors) {
    if let Some(load) = attr.load.as_ref().filter(|_| function.blocks()) {
        let text = "the load of a function that blocks runs in the thread of its first caller: \
                    leave `load` out, or make it an `async fn`";
        errors.at(&load.name, text);
    }
    if let Some(receiver) = function.receiver() {
        this(receiver, attr.life(function), function, errors);
    }
    for argument in &function.arguments {
        if function.uses(&argument.name) {
            taken(&argument.ty, &argument.ty, attr.life(function), errors);
        }
    }
}

fn this(receiver: &Receiver, life: Life, function: &Function, errors: &mut Errors) {
    taken(&receiver.ty, receiver, life, errors);
    if life == Life::HandOver {
        return;
    }
    if let Some(literal) = format_of_self(&function.item.block) {
        let text = "inside a cached function `self` cannot be named in a format: write `{}`, and \
                    `self` as an argument";
        errors.at(literal, text);
    }
}

fn taken(ty: &Type, place: &impl ToTokens, life: Life, errors: &mut Errors) {
    let borrow = match ty {
        Type::Reference(reference) if reference.mutability.is_some() => {
            let text = "a cached function does not run on a hit, so it cannot change what it \
                        borrows: take it by value or by `&`";
            return errors.at(place, text);
        }
        _ if life == Life::HandOver => None,
        Type::Reference(reference) => types::borrow(&reference.elem),
        ty => types::borrow(ty),
    };
    if let Some(borrow) = borrow {
        let text = "the load outlives this call, and a borrow inside a type cannot be cloned to an \
                    owned form: take an owned type, or a plain `&` of one, or let the load run \
                    in this call: `load = hand_over`";
        errors.at(borrow, text);
    }
}
