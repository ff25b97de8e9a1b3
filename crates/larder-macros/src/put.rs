//! What `#[cache_put]` expands to.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ItemFn;
use syn::spanned::Spanned;

use crate::after;
use crate::attr::Attr;
use crate::check;
use crate::errors::Errors;
use crate::function::Function;
use crate::hygiene::mixed;
use crate::key::Key;
use crate::kind::Kind;
use crate::option::{Life, when};
use crate::terms::terms;

/// The function with a ticket in front of its body and a put behind it; after a mistake nothing.
pub(crate) fn expand(
    tokens: TokenStream,
    function: &Function,
    errors: &mut Errors,
) -> Option<TokenStream> {
    let attr = Attr::parse(tokens, Kind::Put, errors);
    check::put(&attr, function, errors);
    if !errors.is_empty() {
        return None;
    }
    let key = Key::of(&attr, function);
    let begun = begun(&attr, &key, function)?;
    let ended = ended(&attr, &key, function);
    let ItemFn {
        attrs, vis, sig, ..
    } = &function.item;
    let body = function.braced(&quote!(#begun #ended));
    Some(quote!(#(#attrs)* #vis #sig #body))
}

/// Before the body, which changes the source: the ticket.
fn begun(attr: &Attr, key: &Key<'_>, function: &Function) -> Option<TokenStream> {
    let cache = attr.cache.as_ref()?;
    let cache = quote_spanned!(cache.span()=> &(#cache));
    let under = terms(attr).map(|terms| quote!(.under(#terms)));
    let put = match key {
        Key::Closure(_) => mixed! {{
            let cache: &::larder::__private::Cache<_, _> = #cache;
            ::larder::__private::Asked(cache).put_by_value() #under
        }},
        key => {
            let local = key.local();
            let put = function.awaited(&mixed!(place #under.put()));
            mixed! {{
                let place = {
                    let cache: &::larder::__private::Cache<_, _> = #cache;
                    let #local = #key;
                    ::larder::__private::Asked(cache).place(#local)
                };
                #put
            }}
        }
    };
    let put = when(attr.condition.as_ref(), &put);
    Some(mixed!(let put = #put;))
}

/// The body, and the put of what it gave. The closures are made before the body, which may consume
/// what they name.
fn ended(attr: &Attr, key: &Key<'_>, function: &Function) -> TokenStream {
    let (body, answer) = (function.body(), &function.answer);
    let after = after::after(attr, function, Life::HandOver);
    let mut made = mixed!(let after = #after;);
    let mut arguments = mixed!(answer, after);
    // What the type does not fit is reported there alone, so all of the call lies there.
    let there = Span::mixed_site().located_at(answer.span());
    let mut forms = quote_spanned!(there=> #answer, _, _, _);
    if let Key::Closure(closure) = key {
        let closure = after::key(closure, &mixed!(put), function, Life::HandOver);
        made.extend(mixed!(let key = #closure;));
        arguments.extend(mixed!(, key));
        forms.extend(quote_spanned!(there=> , _));
    }
    let put = function.awaited(&quote_spanned!(there=> put.end::<#forms>(#arguments)));
    let put = match attr.condition {
        None => put,
        Some(_) => mixed! {
            match put {
                ::core::option::Option::Some(put) => #put,
                ::core::option::Option::None => answer,
            }
        },
    };
    mixed! {
        #made
        let answer = #body;
        #put
    }
}
