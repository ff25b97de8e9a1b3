//! What `#[cacheable]` expands to on a function that returns a stream.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{ItemFn, Type};

use crate::attr::Attr;
use crate::body::rename_self;
use crate::cacheable::fail;
use crate::function::Function;
use crate::hygiene::mixed;
use crate::key::Key;
use crate::option::Life;
use crate::taken::Taken;
use crate::terms::terms;

/// The function with its body as the source of a stream from the cache; `item` is an element with
/// its error.
pub(crate) fn expand(
    attr: &Attr,
    function: &Function,
    key: &Key<'_>,
    (cache, item): (&TokenStream, &Type),
) -> TokenStream {
    let mut block = (*function.item.block).clone();
    rename_self(&mut block);
    let taken = Taken::by_body(function, &block);
    let (before, inside) = (taken.before(), taken.inside());
    let place = place(attr, cache, key);
    let cancels = attr.life(function) == Life::Cancel;
    let wanted = attr.condition.as_ref().map(|condition| {
        let condition = &condition.value;
        mixed! {{
            let condition: ::core::primitive::bool = #condition;
            condition
        }}
    });
    let wanted = wanted.unwrap_or_else(|| quote!(true));
    let (error, fail) = (Ident::new("error", Span::mixed_site()), fail(attr, item));
    // What the cache does not fit is reported at the element.
    let there = Span::mixed_site().located_at(item.span());
    let stream = quote_spanned!(there=> place.stream);
    let typed = quote_spanned! {there=>
        ::larder::__private::stream_of::<#item, _>(#block)
    };
    let body = mixed! {
        let place = #place;
        let wanted = #wanted;
        #before
        let items = #stream(#cancels, wanted, move |inlet| async move {
            #inside
            inlet.run(move || #typed).await
        });
        ::larder::__private::elements(items, move |#error| -> #item { #fail })
    };
    let ItemFn {
        attrs,
        vis,
        mut sig,
        ..
    } = function.item.clone();
    taken.immutable(&mut sig);
    let body = function.braced(&body);
    quote!(#(#attrs)* #vis #sig #body)
}

/// The entry's place. The key is made at the call, and nothing else happens before the first poll.
fn place(attr: &Attr, cache: &TokenStream, key: &Key<'_>) -> TokenStream {
    let local = key.local();
    let cache = quote_spanned!(cache.span()=> &(#cache));
    let form = quote_spanned!(local.span()=> _);
    let terms = terms(attr).map(|terms| quote!(.under(#terms)));
    mixed! {{
        let cache: &::larder::__private::Cache<_, _> = #cache;
        let #local = #key;
        ::larder::__private::Asked(cache).place::<#form>(#local) #terms
    }}
}
