//! What `#[cacheable]` expands to.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Block, ItemFn, Type};

use crate::after::after;
use crate::attr::Attr;
use crate::body::rename_self;
use crate::check;
use crate::errors::Errors;
use crate::function::Function;
use crate::hygiene::mixed;
use crate::key::Key;
use crate::kind::Kind;
use crate::made::Made;
use crate::option::{Given, Life, when};
use crate::stream;
use crate::taken::Taken;
use crate::terms::terms;

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
    if let Some(item) = function.streams() {
        let function = stream::expand(&attr, function, &key, (&cache, item));
        return Some(quote!(#made #function));
    }
    let load = Load::of(&attr, function);
    let mut body = lookup(&attr, &cache, &key, &function.answer);
    body.extend(load.run());
    let ItemFn {
        attrs,
        vis,
        mut sig,
        ..
    } = function.item.clone();
    load.taken.immutable(&mut sig);
    let body = function.braced(&body);
    Some(quote!(#made #(#attrs)* #vis #sig #body))
}

/// Returns the hit, or gives the entry's place. Nothing else of it lives on in the future.
fn lookup(attr: &Attr, cache: &TokenStream, key: &Key<'_>, answer: &Type) -> TokenStream {
    let local = key.local();
    let cache = quote_spanned!(cache.span()=> &(#cache));
    // Inferred, and the place where a wrong key is reported.
    let form = quote_spanned!(local.span()=> _);
    let terms = terms(attr).map(|terms| quote!(.under(#terms)));
    let place = mixed! {{
        let cache: &::larder::__private::Cache<_, _> = #cache;
        let #local = #key;
        match ::larder::__private::Asked(cache).hit::<#answer, _, #form>(#local) {
            ::core::result::Result::Ok(hit) => return hit,
            ::core::result::Result::Err(place) => place #terms,
        }
    }};
    let place = when(attr.condition.as_ref(), &place);
    mixed!(let place = #place;)
}

/// The miss.
struct Load<'a> {
    attr: &'a Attr,
    function: &'a Function,
    life: Life,
    taken: Taken<'a>,
    block: Block,
}

impl<'a> Load<'a> {
    fn of(attr: &'a Attr, function: &'a Function) -> Self {
        let life = attr.life(function);
        let mut block = (*function.item.block).clone();
        let taken = match life {
            Life::HandOver => Taken::default(),
            Life::Detach | Life::Cancel => {
                rename_self(&mut block);
                Taken::by_body(function, &block)
            }
        };
        Self {
            attr,
            function,
            life,
            taken,
            block,
        }
    }

    /// What the closures need of the arguments is taken before the body takes the arguments.
    fn run(&self) -> TokenStream {
        let Self { attr, function, .. } = self;
        let answer = &function.answer;
        let (body, fail) = (self.body(), fail(attr, answer));
        let after = after(attr, function, self.life);
        let past = attr.condition.as_ref().map(|_| {
            let body = match function.blocks() {
                false => mixed!(::std::boxed::Box::pin(body()).await),
                true => mixed!(body()),
            };
            // Moved as a whole: what a pattern leaves of a variable would stay in the future.
            mixed! {
                let ::core::option::Option::Some(place) = ::core::convert::identity(place) else {
                    return #body;
                };
            }
        });
        let of_errors = [&attr.deadline, &attr.error_ttl].into_iter().flatten();
        let fallible: TokenStream = of_errors
            .map(|given| fallible(&given.name, answer))
            .collect();
        let absent = attr.absent_ttl.as_ref().map(|given| {
            quote_spanned!(given.name.span()=> ::larder::__private::needs_option::<#answer>();)
        });
        let loaded = self.loaded();
        mixed! {
            #fallible
            #absent
            let after = #after;
            let body = #body;
            #past
            match #loaded {
                ::core::result::Result::Ok(answer) => answer,
                ::core::result::Result::Err(error) => { #fail }
            }
        }
    }

    /// The answer of the load.
    fn loaded(&self) -> TokenStream {
        let answer = &self.function.answer;
        // What the type does not fit is reported there alone.
        let there = Span::mixed_site().located_at(answer.span());
        match self.life {
            _ if self.function.blocks() => {
                quote_spanned!(there=> place.block::<#answer, _, _, _, _>(body, after))
            }
            Life::Detach => quote_spanned! {there=>
                place.load::<#answer, _, _, _, _, _>(body, after).await
            },
            Life::Cancel => quote_spanned! {there=>
                place.cancel::<#answer, _, _, _, _, _>(body, after).await
            },
            Life::HandOver => {
                quote_spanned!(there=> place.hold::<#answer, _, _, _, _, _>(body, after).await)
            }
        }
    }

    /// What makes the future of the body, or is it.
    fn body(&self) -> TokenStream {
        let (before, inside) = (self.taken.before(), self.taken.inside());
        let (answer, block) = (&self.function.answer, &self.block);
        // Never runs; it says the type, so that `?` knows what to convert to.
        let typed = mixed! {
            if false {
                return ::larder::__private::answer_type::<#answer>();
            }
        };
        match self.function.blocks() {
            false => mixed! {{
                #before
                move || async move { #inside #typed #block }
            }},
            true => mixed!(move || { #typed #block }),
        }
    }
}

/// Compiles only for a `Result`; the error points at the option that needs one.
fn fallible(option: &Ident, answer: &Type) -> TokenStream {
    quote_spanned!(option.span()=> ::larder::__private::needs_result::<#answer>();)
}

/// How a failed load becomes the function's answer.
pub(crate) fn fail(attr: &Attr, answer: &Type) -> TokenStream {
    let fail = quote_spanned!(answer.span()=> ::larder::__private::Fail::<#answer>::NEW);
    let error = Ident::new("error", Span::mixed_site());
    let Some(Given { name, value }) = &attr.map_error else {
        let call = quote_spanned!(answer.span()=> .fail(#error));
        return mixed! {
            #[allow(unused_imports)]
            use ::larder::__private::{FailByClone as _, FailByFrom as _, FailByPanic as _};
            (&&&#fail) #call
        };
    };
    let fallible = fallible(name, answer);
    let map = quote_spanned!(name.span()=> .map(#error, #value));
    mixed! {
        #[allow(unused_imports)]
        use ::larder::__private::{MapByCall as _, MapByClone as _, MapByNothing as _};
        #fallible
        (&&&#fail) #map
    }
}
