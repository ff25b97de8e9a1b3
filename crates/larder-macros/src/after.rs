//! Closures over the loaded value.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ExprClosure;
use syn::spanned::Spanned;

use crate::attr::Attr;
use crate::body::without_self;
use crate::function::Function;
use crate::hygiene::mixed;
use crate::option::Life;
use crate::tags::{Tags, texts_of};
use crate::taken::Taken;
use crate::time::Time;

/// What options say of the loaded value, as one closure that makes an `After` of it.
///
/// It is made before the body and called after it, so it holds what the user's closures name. Where
/// `unless` says no, the others are not asked: they may be about a value that is there.
pub(crate) fn after(attr: &Attr, function: &Function, life: Life) -> TokenStream {
    let ttl = attr.ttl.as_ref().and_then(|ttl| Time::closure(&ttl.value));
    let stale = attr.stale.as_ref();
    let stale = stale.and_then(|stale| Time::closure(&stale.value));
    let tags = attr
        .tags
        .as_ref()
        .and_then(|tags| Tags::closure(&tags.value));
    let unless = attr.unless.as_ref().map(|unless| &unless.value);
    let closures: Vec<_> = [ttl, stale, tags, unless].into_iter().flatten().collect();
    if closures.is_empty() {
        return quote_spanned!(function.answer.span()=> ::larder::__private::nothing);
    }
    let unless = unless.map(|unless| {
        let unless = apply(&without_self(unless), &quote!(::core::primitive::bool));
        mixed! {
            after.unless = #unless;
            if after.unless {
                return after;
            }
        }
    });
    let duration = |closure| apply(&without_self(closure), &quote!(::core::time::Duration));
    let ttl = ttl.map(|ttl| {
        let ttl = duration(ttl);
        mixed!(after.ttl = ::core::option::Option::Some(#ttl);)
    });
    let stale = stale.map(|stale| {
        let stale = duration(stale);
        mixed!(after.stale = ::core::option::Option::Some(#stale);)
    });
    let tags = tags.map(|tags| {
        let texts = quote!(::std::vec::Vec<::std::string::String>);
        let tags = apply(&texts_of(&without_self(tags)), &texts);
        mixed!(after.tags = #tags;)
    });
    let made = mixed! {
        let mut after = <::larder::__private::After as ::core::default::Default>::default();
        #unless
        #ttl
        #stale
        #tags
        after
    };
    over_value(&closures, &made, function, life)
}

/// The closure of a key that is made of the value; `holder` is by its name what will be done to
/// the cache.
pub(crate) fn key(
    key: &ExprClosure,
    holder: &TokenStream,
    function: &Function,
    life: Life,
) -> TokenStream {
    let looked_up = apply(&without_self(key), &quote!(_));
    let span = Span::mixed_site().located_at(key.body.span());
    let owned = quote_spanned!(span=> .owned(&#looked_up));
    let owned = over_value(&[key], &mixed!(keyed #owned), function, life);
    mixed! {{
        let keyed = ::larder::__private::Keyed::of(&#holder);
        #owned
    }}
}

/// The user's closure, called with the value.
fn apply(closure: &ExprClosure, result: &TokenStream) -> TokenStream {
    let value = value();
    quote!(::larder::__private::apply::<_, #result, _>(#value, #closure))
}

fn value() -> Ident {
    Ident::new("value", Span::mixed_site())
}

/// A closure whose argument has a type before anything is known of where it is called.
fn over_value(
    closures: &[&ExprClosure],
    made: &TokenStream,
    function: &Function,
    life: Life,
) -> TokenStream {
    let taken = Taken::by_closures(function, closures, life);
    let (before, inside) = (taken.before(), taken.inside());
    let (value, answer) = (value(), &function.answer);
    mixed! {{
        #[allow(unused_imports)]
        use ::larder::__private::{AnyReturns as _, ResultReturns as _};
        #before
        (&&::larder::__private::Returns::<#answer>::NEW).closure(move |#value| {
            #inside
            #made
        })
    }}
}
