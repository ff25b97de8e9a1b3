//! Several attributes on one function.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Attribute, ItemFn, Meta, parse_quote};

use crate::kind::Kind;

/// The function with this attribute behind the others, if some have to be expanded first.
///
/// What is expanded first stands next to the body. A put is of what the body returned, so it goes
/// inside a lookup; what is evicted is evicted on every call, so it goes outside. Puts and evictions
/// keep their order.
pub(crate) fn later(kind: Kind, tokens: &TokenStream, item: &ItemFn) -> Option<TokenStream> {
    let inner = |attr: &Attribute| Kind::of(attr.path()).is_some_and(|other| other < kind);
    let last = item.attrs.iter().rposition(inner)?;
    let mut item = item.clone();
    item.attrs.insert(last + 1, attribute(kind, tokens));
    Some(item.into_token_stream())
}

/// The options of the lookup that is expanded now: the last of all, so that the first one stands
/// outermost and is asked first. Those before it are left on the function.
pub(crate) fn innermost(kind: Kind, tokens: TokenStream, item: &mut ItemFn) -> TokenStream {
    let same = |attr: &Attribute| Kind::of(attr.path()) == Some(kind);
    let last = item.attrs.iter().rposition(same);
    let Some(last) = last.filter(|_| kind == Kind::Cacheable) else {
        return tokens;
    };
    let innermost = item.attrs.remove(last);
    item.attrs.insert(0, attribute(kind, &tokens));
    match innermost.meta {
        Meta::List(list) => list.tokens,
        Meta::Path(_) | Meta::NameValue(_) => TokenStream::new(),
    }
}

fn attribute(kind: Kind, tokens: &TokenStream) -> Attribute {
    let name = kind.name();
    parse_quote!(#[::larder::#name(#tokens)])
}
