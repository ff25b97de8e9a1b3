//! What a load takes along from a call that it outlives.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Block, FnArg, Pat, Receiver, Signature, Type};

use crate::body::{mentions, rename_self, renamed};
use crate::function::{Argument, Function};
use crate::types;

/// The body as a load, and what it borrows: that is cloned before the load and, inside it,
/// borrowed again under the same names. What it takes by value its closure captures.
pub(crate) struct Detached<'a> {
    pub(crate) block: Block,
    receiver: Option<&'a Receiver>,
    borrowed: Vec<&'a Argument>,
}

impl<'a> Detached<'a> {
    pub(crate) fn of(function: &'a Function) -> Self {
        let mut block = (*function.item.block).clone();
        rename_self(&mut block);
        let used = mentions(&block, "__self");
        let arguments = function.arguments.iter();
        let is_borrowed = |argument: &&Argument| argument.is_borrow() && function.uses(argument);
        Self {
            receiver: function.receiver().filter(|_| used),
            borrowed: arguments.filter(is_borrowed).collect(),
            block,
        }
    }

    /// Before the load: the owned forms.
    pub(crate) fn detach(&self) -> TokenStream {
        let receiver = self.receiver.map(detach_self);
        let arguments = self.borrowed.iter().map(|Argument { name, ty, .. }| {
            let owned = quote_spanned!(ty.span()=> ::larder::__private::detach(#name));
            quote!(let #name = #owned;)
        });
        quote!(#receiver #(#arguments)*)
    }

    /// Inside the load: the borrows.
    pub(crate) fn attach(&self) -> TokenStream {
        let borrow = |receiver: &&Receiver| matches!(*receiver.ty, Type::Reference(_));
        let receiver = self.receiver.filter(borrow).map(|receiver| {
            let this = renamed(&this(receiver));
            quote!(let #this = #this.attach();)
        });
        let arguments = self.borrowed.iter().map(|Argument { name, mutable, .. }| {
            // A field of the same name counts as a use.
            quote!(#[allow(unused_variables)] let #mutable #name = #name.attach();)
        });
        quote!(#receiver #(#arguments)*)
    }

    /// Takes the `mut` from where it stood: only the load needs it.
    pub(crate) fn immutable(&self, signature: &mut Signature) {
        for input in &mut signature.inputs {
            match input {
                FnArg::Receiver(receiver) if self.receiver.is_some() => {
                    // Of `&mut self` it would be another `mut`; that is refused.
                    receiver.mutability = None;
                }
                FnArg::Typed(typed) => {
                    if let Pat::Ident(pat) = &mut *typed.pat {
                        let mut borrowed = self.borrowed.iter();
                        if borrowed.any(|argument| argument.name == pat.ident) {
                            pat.mutability = None;
                        }
                    }
                }
                FnArg::Receiver(_) => {}
            }
        }
    }
}

fn this(receiver: &Receiver) -> Ident {
    Ident::new("self", receiver.self_token.span)
}

fn detach_self(receiver: &Receiver) -> TokenStream {
    let (this, mutable) = (this(receiver), &receiver.mutability);
    let local = renamed(&this);
    let detach = match &*receiver.ty {
        Type::Reference(reference) if types::is_self(&reference.elem) => quote!(detach_self),
        Type::Reference(_) => quote!(detach),
        _ => return quote!(let #mutable #local = #this;),
    };
    let owned = quote_spanned!(this.span()=> ::larder::__private::#detach(#this));
    quote!(let #local = #owned;)
}
