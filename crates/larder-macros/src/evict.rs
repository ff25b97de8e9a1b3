//! What `#[cache_evict]` expands to.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{ItemFn, parse_quote};

use crate::attr::{Attr, Kind};
use crate::check;
use crate::errors::Errors;
use crate::function::Function;
use crate::key::Key;
use crate::types;

/// The function with an invalidation around its body; after a mistake nothing.
pub(crate) fn expand(
    tokens: TokenStream,
    function: &Function,
    errors: &mut Errors,
) -> Option<TokenStream> {
    if let Some(last) = after_lookups(&tokens, &function.item) {
        return Some(last.into_token_stream());
    }
    let attr = Attr::parse(tokens, Kind::Evict, errors);
    check::evict(&attr, function, errors);
    if !errors.is_empty() {
        return None;
    }
    let cache = attr.cache.as_ref()?;
    let cache = quote_spanned!(cache.span()=> &(#cache));
    let (taken, evict) = if attr.all.is_some() {
        all(&cache)
    } else {
        one(&cache, &Key::of(&attr, function))
    };
    let block = &function.item.block;
    let order = if attr.before.is_some() {
        quote!(#evict #block)
    } else {
        after_success(&body(function), &evict)
    };
    let ItemFn {
        attrs, vis, sig, ..
    } = &function.item;
    let body = function.braced(&quote!(#taken #order));
    Some(quote!(#(#attrs)* #vis #sig #body))
}

fn after_success(body: &TokenStream, evict: &TokenStream) -> TokenStream {
    quote_spanned! {Span::mixed_site()=>
        let answer = #body;
        let succeeded = {
            #[allow(unused_imports)]
            use ::larder::__private::{AnySucceeded as _, ResultSucceeded as _};
            (&&::larder::__private::Answered(&answer)).succeeded()
        };
        if succeeded {
            #evict
        }
        answer
    }
}

/// What is evicted runs on every call, so the lookups among the attributes that follow go first.
fn after_lookups(tokens: &TokenStream, item: &ItemFn) -> Option<ItemFn> {
    let is_lookup = |attr: &syn::Attribute| {
        attr.path()
            .segments
            .last()
            .is_some_and(|last| last.ident == "cacheable")
    };
    item.attrs.iter().any(is_lookup).then(|| {
        let mut item = item.clone();
        item.attrs
            .push(parse_quote!(#[::larder::cache_evict(#tokens)]));
        item
    })
}

/// Takes the place before the body, which may consume what it is made of.
fn one(cache: &TokenStream, key: &Key<'_>) -> (TokenStream, TokenStream) {
    let local = key.local();
    let taken = quote_spanned! {Span::mixed_site()=>
        let place = {
            let cache: &::larder::__private::Cache<_, _> = #cache;
            let #local = #key;
            ::larder::__private::Asked(cache).place(#local)
        };
    };
    (
        taken,
        quote_spanned!(Span::mixed_site()=> place.evict().await;),
    )
}

fn all(cache: &TokenStream) -> (TokenStream, TokenStream) {
    let taken = quote_spanned! {Span::mixed_site()=>
        let cache: &::larder::__private::Cache<_, _> = #cache;
        let cache = ::core::clone::Clone::clone(cache);
    };
    (
        taken,
        quote_spanned!(Span::mixed_site()=> cache.clear().await;),
    )
}

/// The body as a block that `return` and `?` do not leave.
fn body(function: &Function) -> TokenStream {
    let (block, answer) = (&function.item.block, &function.answer);
    let typed = (!types::has_impl(answer)).then(|| {
        quote! {
            if false {
                return ::larder::__private::answer_type::<#answer>();
            }
        }
    });
    quote_spanned!(Span::mixed_site()=> async move { #typed #block }.await)
}
