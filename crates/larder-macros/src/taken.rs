//! What code takes along from a call.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Block, ExprClosure, FnArg, Pat, Receiver, Signature, Type};

use crate::body::{mentions, renamed};
use crate::function::{Argument, Function};
use crate::option::Life;
use crate::types;

/// What a piece of the user's code needs made of the call's arguments before it is built, so that
/// it can own or share them. What is not listed its closure captures as it is.
///
/// In the code `self` is renamed; see [`rename_self`](crate::body::rename_self).
#[derive(Default)]
pub(crate) struct Taken<'a> {
    receiver: Option<(&'a Receiver, How)>,
    arguments: Vec<(&'a Argument, How)>,
    /// Whether the code may change what it takes.
    mutable: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    /// In its owned form, and borrowed again inside.
    Detached,
    /// Because the body takes the original.
    Cloned,
    /// As it is.
    Itself,
}

impl<'a> Taken<'a> {
    /// By the body of a detached load.
    pub(crate) fn by_body(function: &'a Function, renamed: &Block) -> Self {
        let how = |ty: &Type| match is_borrow(ty) {
            true => How::Detached,
            false => How::Itself,
        };
        let receiver = function.receiver();
        let used = receiver.filter(|_| mentions(renamed, "__self"));
        let arguments = function.arguments.iter();
        let detached =
            arguments.filter(|argument| is_borrow(&argument.ty) && function.uses(&argument.name));
        Self {
            receiver: used.map(|receiver| (receiver, how(&receiver.ty))),
            arguments: detached.map(|argument| (argument, How::Detached)).collect(),
            mutable: true,
        }
    }

    /// By closures over the loaded value, which are made before the body and called after it.
    pub(crate) fn by_closures(
        function: &'a Function,
        closures: &[&ExprClosure],
        life: Life,
    ) -> Self {
        let how = |ty: &Type, name: &Ident| match (is_borrow(ty), life) {
            (true, Life::Detach | Life::Cancel) => How::Detached,
            (true, Life::HandOver) => How::Itself,
            (false, _) if function.uses(name) => How::Cloned,
            (false, _) => How::Itself,
        };
        let used = |name: &str| {
            let mut closures = closures.iter();
            closures.any(|closure| captures(closure, name))
        };
        let receiver = function.receiver().filter(|_| used("self"));
        let mut arguments = Vec::new();
        for argument in &function.arguments {
            let how = how(&argument.ty, &argument.name);
            if how != How::Itself && used(&argument.name.to_string()) {
                arguments.push((argument, how));
            }
        }
        Self {
            receiver: receiver.map(|this| (this, how(&this.ty, &self_of(this)))),
            arguments,
            mutable: false,
        }
    }

    /// In front of the code.
    pub(crate) fn before(&self) -> TokenStream {
        let receiver = self
            .receiver
            .map(|(receiver, how)| take_self(receiver, how));
        let arguments = self.arguments.iter().map(|(argument, how)| {
            let Argument { name, ty, .. } = argument;
            let taken = match how {
                How::Detached => quote_spanned!(ty.span()=> ::larder::__private::detach(#name)),
                How::Cloned => quote_spanned!(ty.span()=> ::core::clone::Clone::clone(&#name)),
                How::Itself => name.to_token_stream(),
            };
            // A field of the same name may count as a use.
            quote!(#[allow(unused_variables)] let #name = #taken;)
        });
        quote!(#receiver #(#arguments)*)
    }

    /// At the head of the code: the borrows.
    pub(crate) fn inside(&self) -> TokenStream {
        let detached = |how: How| how == How::Detached;
        let receiver = self.receiver.filter(|(_, how)| detached(*how));
        let receiver = receiver.map(|(receiver, _)| {
            let this = renamed(&self_of(receiver));
            quote!(let #this = #this.attach();)
        });
        let arguments = self.arguments.iter().filter(|(_, how)| detached(*how));
        let arguments = arguments.map(|(Argument { name, mutable, .. }, _)| {
            let mutable = mutable.filter(|_| self.mutable);
            quote!(#[allow(unused_variables)] let #mutable #name = #name.attach();)
        });
        quote!(#receiver #(#arguments)*)
    }

    /// Takes the `mut` from where it stood: only the code needs it.
    pub(crate) fn immutable(&self, signature: &mut Signature) {
        for input in &mut signature.inputs {
            match input {
                FnArg::Receiver(receiver) if self.receiver.is_some() => {
                    // Of `&mut self` it would be another `mut`; that is refused.
                    receiver.mutability = None;
                }
                FnArg::Typed(typed) => {
                    if let Pat::Ident(pat) = &mut *typed.pat {
                        let mut taken = self.arguments.iter();
                        if taken.any(|(argument, _)| argument.name == pat.ident) {
                            pat.mutability = None;
                        }
                    }
                }
                FnArg::Receiver(_) => {}
            }
        }
    }
}

/// Whether the name is the call's, and not the closure's own.
fn captures(closure: &ExprClosure, name: &str) -> bool {
    mentions(&closure.body, name) && !mentions(&closure.inputs, name)
}

fn is_borrow(ty: &Type) -> bool {
    matches!(ty, Type::Reference(reference) if !types::is_static(reference))
}

fn self_of(receiver: &Receiver) -> Ident {
    Ident::new("self", receiver.self_token.span)
}

fn take_self(receiver: &Receiver, how: How) -> TokenStream {
    let (this, mutable) = (self_of(receiver), &receiver.mutability);
    let local = renamed(&this);
    match (how, &*receiver.ty) {
        (How::Detached, Type::Reference(reference)) => {
            let detach = match types::is_self(&reference.elem) {
                true => quote!(detach_self),
                false => quote!(detach),
            };
            let owned = quote_spanned!(this.span()=> ::larder::__private::#detach(#this));
            quote!(let #local = #owned;)
        }
        (How::Cloned, _) => {
            let clone = quote_spanned!(this.span()=> ::core::clone::Clone::clone(&#this));
            quote!(let #local = #clone;)
        }
        (_, Type::Reference(_)) => quote!(let #local = &*#this;),
        _ => quote!(let #mutable #local = #this;),
    }
}
