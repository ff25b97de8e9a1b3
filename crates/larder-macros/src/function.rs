//! The function under an attribute.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::token::Brace;
use syn::{
    AttrStyle, FnArg, GenericParam, ItemFn, Pat, Receiver, ReturnType, Token, Type, parse_quote,
};

use crate::body::mentions;
use crate::errors::Errors;
use crate::hygiene::mixed;
use crate::types;

/// A function with a body, free or a method.
pub(crate) struct Function {
    pub(crate) item: ItemFn,
    braces: Brace,
    pub(crate) arguments: Vec<Argument>,
    /// What it returns; `()` if nothing is written.
    pub(crate) answer: Type,
}

/// An argument other than the receiver.
pub(crate) struct Argument {
    pub(crate) name: Ident,
    pub(crate) mutable: Option<Token![mut]>,
    pub(crate) ty: Type,
}

impl Function {
    /// Reads the function and refuses what no attribute can work with.
    pub(crate) fn read(mut item: ItemFn, errors: &mut Errors) -> Self {
        if item.sig.asyncness.is_none() && types::is_boxed_future(&answer(&item)) {
            let text = "`#[async_trait]` has turned this into a function that returns a boxed \
                        future: put the attribute on an `async fn` of its own and call that from \
                        here";
            errors.at(&item.sig.output, text);
        }
        // Inner attributes would stand in front of the body, which moves.
        for attr in &mut item.attrs {
            attr.style = AttrStyle::Outer;
        }
        // The body becomes a block inside another, and lints about needless braces look at those
        // that the user wrote.
        let braces = item.block.brace_token;
        item.block.brace_token = Brace(Span::mixed_site().located_at(braces.span.join()));
        Self {
            arguments: arguments(&item, errors),
            answer: answer(&item),
            item,
            braces,
        }
    }

    /// A new body in the braces of the old one, so that the function stays the user's to lints.
    pub(crate) fn braced(&self, body: &TokenStream) -> TokenStream {
        let mut tokens = TokenStream::new();
        self.braces
            .surround(&mut tokens, |inner| body.to_tokens(inner));
        tokens
    }

    /// The body as an expression that `return` and `?` do not leave.
    pub(crate) fn body(&self) -> TokenStream {
        let (block, answer) = (&self.item.block, &self.answer);
        let typed = (!types::has_impl(answer)).then(|| {
            quote! {
                if false {
                    return ::larder::__private::answer_type::<#answer>();
                }
            }
        });
        match self.blocks() {
            false => mixed!(async move { #typed #block }.await),
            true => mixed!((move || { #typed #block })()),
        }
    }

    /// Whether it blocks its thread: a plain `fn`, unless it returns a stream.
    pub(crate) fn blocks(&self) -> bool {
        self.item.sig.asyncness.is_none() && self.streams().is_none()
    }

    /// The element of the stream that it returns, with its error.
    pub(crate) fn streams(&self) -> Option<&Type> {
        types::element(&self.answer)
    }

    /// What a cache keeps of what it returns, as far as its text tells.
    pub(crate) fn kept(&self) -> Type {
        let Some(item) = self.streams() else {
            return types::kept(&self.answer).clone();
        };
        let item = types::succeeds_with(item).unwrap_or(item);
        parse_quote!(::std::vec::Vec<#item>)
    }

    /// The output of a future of ours.
    pub(crate) fn awaited(&self, future: &TokenStream) -> TokenStream {
        let there = future.span();
        match self.blocks() {
            false => quote_spanned!(there=> #future.await),
            true => quote_spanned!(there=> ::larder::__private::block_on(#future)),
        }
    }

    pub(crate) fn receiver(&self) -> Option<&Receiver> {
        self.item.sig.receiver()
    }

    pub(crate) fn argument(&self, name: &Ident) -> Option<&Argument> {
        self.arguments
            .iter()
            .find(|argument| argument.name == *name)
    }

    /// Its type or const parameters, `impl Trait` arguments included.
    pub(crate) fn is_generic(&self) -> bool {
        let mut params = self.item.sig.generics.params.iter();
        params.any(|param| !matches!(param, GenericParam::Lifetime(_)))
            || self
                .arguments
                .iter()
                .any(|argument| types::has_impl(&argument.ty))
    }

    /// Whether the body uses the argument, or `self`, as far as its tokens tell.
    pub(crate) fn uses(&self, name: &Ident) -> bool {
        mentions(&self.item.block, &name.to_string())
    }
}

fn arguments(item: &ItemFn, errors: &mut Errors) -> Vec<Argument> {
    let mut arguments = Vec::new();
    for input in &item.sig.inputs {
        let FnArg::Typed(typed) = input else { continue };
        match &*typed.pat {
            Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => {
                arguments.push(Argument {
                    name: pat.ident.clone(),
                    mutable: pat.mutability,
                    ty: types::plain(&typed.ty).clone(),
                });
            }
            pattern => {
                let text = "a pattern has no name that the key could use: name the argument, and \
                            take it apart in the body";
                errors.at(pattern, text);
            }
        }
    }
    arguments
}

fn answer(item: &ItemFn) -> Type {
    match &item.sig.output {
        ReturnType::Default => parse_quote!(()),
        ReturnType::Type(_, ty) => types::plain(ty).clone(),
    }
}
