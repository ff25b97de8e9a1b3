//! What is said before the body of how a result is kept.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};

use crate::attr::Attr;
use crate::hygiene::mixed;
use crate::option::Given;
use crate::tags::Tags;
use crate::time::Time;

/// A `Terms` of the options that are expressions; `None` if there are none.
pub(crate) fn terms(attr: &Attr) -> Option<TokenStream> {
    let times = attr.times().filter_map(|Given { name, value }| {
        let time = Time::before(value)?;
        Some(mixed!(terms.#name = ::core::option::Option::Some(#time);))
    });
    let mut said: Vec<_> = times.collect();
    said.extend(attr.jitter.as_ref().map(given));
    said.extend(attr.refresh.as_ref().map(given));
    said.extend(attr.error_ttl.as_ref().map(error_ttl));
    let tags = attr.tags.as_ref();
    let tags = tags.and_then(|tags| Tags::before(&tags.value));
    said.extend(tags.map(|tags| mixed!(terms.tags = #tags;)));
    if said.is_empty() {
        return None;
    }
    Some(mixed! {{
        let mut terms = <::larder::__private::Terms as ::core::default::Default>::default();
        #(#said)*
        terms
    }})
}

fn given(Given { name, value }: &Given<impl ToTokens>) -> TokenStream {
    mixed!(terms.#name = ::core::option::Option::Some(#value);)
}

/// The closure over an error outlives the call, so it sees nothing else.
fn error_ttl(Given { name, value }: &Given<Time>) -> TokenStream {
    let ttl = match (value.closure(), value.before()) {
        (Some(closure), _) => {
            quote_spanned!(name.span()=> ::larder::__private::ErrorTtl::by(#closure))
        }
        (None, time) => quote!(::larder::__private::ErrorTtl::of(#time)),
    };
    mixed!(terms.#name = ::core::option::Option::Some(#ttl);)
}
