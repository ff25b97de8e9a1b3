//! Several attributes on one function.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{ItemFn, parse_quote};

use crate::kind::Kind;

/// The function with this attribute behind the others, if one of them has to be expanded first.
///
/// What is expanded first stands next to the body. A put is of what the body returned, so it goes
/// inside a lookup; what is evicted is evicted on every call, so it goes outside. Those of one kind
/// keep their order.
pub(crate) fn later(kind: Kind, tokens: &TokenStream, item: &ItemFn) -> Option<TokenStream> {
    let others = item.attrs.iter().filter_map(|attr| Kind::of(attr.path()));
    let mut inner = others.filter(|other| *other < kind);
    inner.next().map(|_| {
        let (mut item, name) = (item.clone(), kind.name());
        item.attrs.push(parse_quote!(#[::larder::#name(#tokens)]));
        item.into_token_stream()
    })
}
