//! What `#[cacheable]` expands to.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{ItemFn, Type};

use crate::attr::{Attr, Kind};
use crate::check;
use crate::detached::Detached;
use crate::errors::Errors;
use crate::function::Function;
use crate::key::Key;
use crate::made::Made;
use crate::option::{Given, Time};

/// The function with a lookup in front and its body as the load; after a mistake nothing.
pub(crate) fn expand(
    tokens: TokenStream,
    function: &Function,
    errors: &mut Errors,
) -> Option<TokenStream> {
    let attr = Attr::parse(tokens, Kind::Cacheable, errors);
    check::cacheable(&attr, function, errors);
    let key = Key::of(&attr, function);
    let made = match attr.cache {
        Some(_) => None,
        None => Made::of(&attr, function, &key, errors),
    };
    if !errors.is_empty() {
        return None;
    }
    let cache = match &attr.cache {
        Some(cache) => cache.to_token_stream(),
        None => made.as_ref()?.call(),
    };
    let detached = Detached::of(function);
    let mut body = lookup(&cache, &key, &function.answer);
    body.extend(load(&attr, &function.answer, &detached));
    let ItemFn {
        attrs,
        vis,
        mut sig,
        ..
    } = function.item.clone();
    detached.immutable(&mut sig);
    let body = function.braced(&body);
    Some(quote!(#made #(#attrs)* #vis #sig #body))
}

/// Returns the hit, or gives the entry's place. Nothing else of it lives on in the future.
fn lookup(cache: &TokenStream, key: &Key<'_>, answer: &Type) -> TokenStream {
    let local = key.local();
    let cache = quote_spanned!(cache.span()=> &(#cache));
    // Inferred, and the place where a wrong key is reported.
    let form = quote_spanned!(local.span()=> _);
    quote_spanned! {Span::mixed_site()=>
        let place = {
            let cache: &::larder::__private::Cache<_, _> = #cache;
            let #local = #key;
            match ::larder::__private::Asked(cache).hit::<#answer, _, #form>(#local) {
                ::core::result::Result::Ok(hit) => return hit,
                ::core::result::Result::Err(place) => place,
            }
        };
    }
}

/// The miss.
fn load(attr: &Attr, answer: &Type, detached: &Detached<'_>) -> TokenStream {
    let (terms, fail) = (terms(attr, answer), fail(attr, answer));
    let (detach, attach, block) = (detached.detach(), detached.attach(), &detached.block);
    quote_spanned! {Span::mixed_site()=>
        let terms = #terms;
        let body = {
            #detach
            move || async move {
                #attach
                // Never runs; it says the type, so that `?` knows what to convert to.
                if false {
                    return ::larder::__private::answer_type::<#answer>();
                }
                #block
            }
        };
        match place.load::<#answer, _, _, _>(terms, body).await {
            ::core::result::Result::Ok(answer) => answer,
            ::core::result::Result::Err(error) => { #fail }
        }
    }
}

fn terms(attr: &Attr, answer: &Type) -> TokenStream {
    let time = |time: &Option<Given<Time>>| match time {
        Some(time) => {
            let time = &time.value;
            quote!(::core::option::Option::Some(#time))
        }
        None => quote!(::core::option::Option::None),
    };
    let (ttl, absent_ttl) = (time(&attr.ttl), time(&attr.absent_ttl));
    let deadline = time(&attr.deadline);
    let fallible = attr
        .deadline
        .as_ref()
        .map(|given| fallible(&given.name, answer));
    quote! {{
        #fallible
        ::larder::__private::Terms { ttl: #ttl, absent_ttl: #absent_ttl, deadline: #deadline, ..::core::default::Default::default() }
    }}
}

/// Compiles only for a `Result`; the error points at the option that needs one.
fn fallible(option: &Ident, answer: &Type) -> TokenStream {
    quote_spanned!(option.span()=> ::larder::__private::needs_result::<#answer>();)
}

/// How a failed load becomes the function's answer.
fn fail(attr: &Attr, answer: &Type) -> TokenStream {
    let fail = quote_spanned!(answer.span()=> ::larder::__private::Fail::<#answer>::NEW);
    let error = Ident::new("error", Span::mixed_site());
    let Some(Given { name, value }) = &attr.map_error else {
        let call = quote_spanned!(answer.span()=> .fail(#error));
        return quote_spanned! {Span::mixed_site()=>
            #[allow(unused_imports)]
            use ::larder::__private::{FailByClone as _, FailByFrom as _, FailByPanic as _};
            (&&&#fail) #call
        };
    };
    let fallible = fallible(name, answer);
    let map = quote_spanned!(name.span()=> .map(#error, #value));
    quote_spanned! {Span::mixed_site()=>
        #[allow(unused_imports)]
        use ::larder::__private::{MapByCall as _, MapByClone as _, MapByNothing as _};
        #fallible
        (&&&#fail) #map
    }
}
