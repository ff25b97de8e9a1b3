//! What is said before the body of how a result is kept.

use proc_macro2::TokenStream;

use crate::attr::Attr;
use crate::hygiene::mixed;
use crate::option::Given;
use crate::tags::Tags;
use crate::time::Time;

/// A `Terms` of the options that are expressions; `None` if there are none.
pub(crate) fn terms(attr: &Attr) -> Option<TokenStream> {
    let times = [&attr.ttl, &attr.absent_ttl, &attr.deadline];
    let times = times.into_iter().filter_map(|time| {
        let Given { name, value } = time.as_ref()?;
        let time = Time::before(value)?;
        Some(mixed!(terms.#name = ::core::option::Option::Some(#time);))
    });
    let times: Vec<_> = times.collect();
    let tags = attr.tags.as_ref();
    let tags = tags.and_then(|tags| Tags::before(&tags.value));
    let tags = tags.map(|tags| mixed!(terms.tags = #tags;));
    if times.is_empty() && tags.is_none() {
        return None;
    }
    Some(mixed! {{
        let mut terms = <::larder::__private::Terms as ::core::default::Default>::default();
        #(#times)*
        #tags
        terms
    }})
}
