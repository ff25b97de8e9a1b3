//! What `#[cache_evict]` expands to.

use proc_macro2::TokenStream;
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
use crate::tags::Tags;

/// The function with an eviction around its body; after a mistake nothing.
pub(crate) fn expand(
    tokens: TokenStream,
    function: &Function,
    errors: &mut Errors,
) -> Option<TokenStream> {
    let attr = Attr::parse(tokens, Kind::Evict, errors);
    check::evict(&attr, function, errors);
    if !errors.is_empty() {
        return None;
    }
    let evict = Evict::of(&attr, function);
    let (begun, block) = (evict.begun()?, &function.item.block);
    let order = if attr.before.is_some() {
        let evicted = function.awaited(&mixed!(evicting.evict()));
        let evict = evict.under_condition(&mixed!(#evicted;));
        quote!(#evict #block)
    } else {
        evict.after_success()
    };
    let ItemFn {
        attrs, vis, sig, ..
    } = &function.item;
    let body = function.braced(&quote!(#begun #order));
    Some(quote!(#(#attrs)* #vis #sig #body))
}

struct Evict<'a> {
    attr: &'a Attr,
    function: &'a Function,
    /// With `all`, or with tags alone, there is none.
    key: Option<Key<'a>>,
}

impl<'a> Evict<'a> {
    fn of(attr: &'a Attr, function: &'a Function) -> Self {
        let chosen = attr.key.is_some() || attr.skip.is_some() || attr.tags.is_none();
        let one = chosen && attr.all.is_none();
        Self {
            attr,
            function,
            key: one.then(|| Key::of(attr, function)),
        }
    }

    /// Before the body, which may consume what is named: what is to be evicted.
    fn begun(&self) -> Option<TokenStream> {
        let cache = self.attr.cache.as_ref()?;
        let cache = quote_spanned!(cache.span()=> &(#cache));
        let (mut key, mut named) = (TokenStream::new(), TokenStream::new());
        if let Some(one @ (Key::Arguments(_) | Key::Expr(_))) = &self.key {
            let local = one.local();
            key = mixed!(let #local = #one;);
            named = quote!(.key(#local));
        }
        if self.attr.expire.is_some() {
            named.extend(quote!(.expire()));
        }
        if self.attr.all.is_some() {
            named.extend(quote!(.all()));
        }
        let tags = self.attr.tags.as_ref();
        if let Some(tags) = tags.and_then(|tags| Tags::before(&tags.value)) {
            named.extend(quote!(.tags(#tags)));
        }
        let evicting = mixed! {{
            let cache: &::larder::__private::Cache<_, _> = #cache;
            #key
            ::larder::__private::Evicting::new(cache) #named
        }};
        let evicting = when(self.attr.condition.as_ref(), &evicting);
        Some(mixed!(let evicting = #evicting;))
    }

    fn after_success(&self) -> TokenStream {
        let body = self.function.body();
        let by_value = match &self.key {
            Some(Key::Closure(closure)) => Some(closure),
            _ => None,
        };
        let made = by_value.map(|closure| {
            let closure = after::key(closure, &mixed!(evicting), self.function, Life::HandOver);
            mixed!(let key = #closure;)
        });
        let (named, evicting) = match by_value {
            Some(_) => (mixed!(.map(key)), mixed!(evicting.named(success))),
            None => (mixed!(.map(|_| ())), mixed!(evicting)),
        };
        let evicted = self.function.awaited(&quote!(#evicting.evict()));
        let evict = mixed! {
            let success = {
                #[allow(unused_imports)]
                use ::larder::__private::{AnySucceeded as _, ResultSucceeded as _};
                (&&::larder::__private::Answered(&answer)).success() #named
            };
            if let ::core::option::Option::Some(success) = success {
                #evicted;
            }
        };
        let evict = self.under_condition(&evict);
        mixed! {
            #made
            let answer = #body;
            #evict
            answer
        }
    }

    fn under_condition(&self, evict: &TokenStream) -> TokenStream {
        match self.attr.condition {
            None => evict.clone(),
            Some(_) => mixed! {
                if let ::core::option::Option::Some(evicting) = evicting {
                    #evict
                }
            },
        }
    }
}
