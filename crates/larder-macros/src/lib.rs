//! The attributes of larder: `#[cacheable]`, `#[cache_put]`, `#[cache_evict]` and `#[derive(Key)]`.
//!
//! Use them through the facade `larder`, where each has an example; their expansion names
//! `::larder::__private` alone.
//!
//! # How it is cut
//! `stack` puts several attributes in their order, `attr` and `function` read what was written,
//! `check` refuses, `cacheable`, `put` and `evict` print.
//! All mistakes of one attribute are shown together, and the function then stands unchanged beside
//! them, so that its callers do not fail too.

mod after;
mod attr;
mod body;
mod cacheable;
mod check;
mod derive_key;
mod derive_schema;
mod duration;
mod errors;
mod evict;
mod function;
mod guess;
mod hygiene;
mod key;
mod kind;
mod made;
mod option;
mod part;
mod put;
mod stack;
mod stream;
mod tags;
mod taken;
mod terms;
mod time;
mod types;

use proc_macro::TokenStream;
use quote::{ToTokens, quote};
use syn::{DeriveInput, ItemFn, parse_macro_input};

use crate::errors::Errors;
use crate::function::Function;
use crate::kind::Kind;

/// Answers from a cache; on a miss runs the function once, for all who ask for the same key.
///
/// ```text
/// #[cacheable( [CACHE,] option,* )]
/// ```
/// | option | |
/// |---|---|
/// | `CACHE` | an expression that derefs to a `Cache<K, V>`: a static, `self.deals`, a call. Without it a static cache is made, named `module::function` and reached as `function::cache()`, for a method as `Self::function_cache()` |
/// | `key = EXPR` | what the call is looked up by; borrowed. Without it all arguments in order: none is `()`, one itself, several a tuple |
/// | `skip(a, b, self)` | these arguments do not belong to the key |
/// | `ttl = "5m"`, `ttl = \|value\| EXPR`, `absent_ttl = "5s"` | how long a value, or absence, is used |
/// | `stale = "1h"`, `stale = \|value\| EXPR` | how long after that it may still be served, while or because there is nothing newer |
/// | `max_age = "1d"`, `idle = "10m"`, `jitter = 0.1` | how old it may be, how long it lives unused, the part of the ttl that chance takes away |
/// | `refresh = 0.8`, `refresh = xfetch` | loads it anew before its end: at this part of its ttl, or at random by what its load costs |
/// | `soft = "100ms"` | how long a caller waits where there is an old value |
/// | `error_ttl = "1s"`, `error_ttl = \|error\| EXPR` | how long an error is kept; by a closure over the `LoadError`, an `Option<Duration>` |
/// | `tags = [EXPR, …]`, `tags = \|value\| [EXPR, …]` | by which the value can be invalidated together with others; anything that is `Display` |
/// | `condition = EXPR` | false: as if the attribute were not there |
/// | `unless = \|value\| EXPR` | true: the value is returned and not stored |
/// | `deadline = "2s"` | how long the load may take; needs a `Result` |
/// | `load = detach`, `load = hand_over`, `load = cancel` | in whose task the load runs: the cache's (the default), the caller's, or the cache's until the last caller has left |
/// | `map_error = \|e\| EXPR` | turns a `LoadError` into the function's error, where that has no `From` |
/// | `name = "…"`, `capacity = N`, `codec = EXPR`, `schema = N` | of a cache that the attribute makes |
///
/// Durations are texts of whole numbers with `ms`, `s`, `m`, `h`, `d` (`"1h30m"`, at least
/// `"10ms"`), or expressions of type `Duration`.
///
/// # One rule of time
/// An expression sees the arguments and is evaluated before the body; those of options that concern
/// a load, on a miss only. A closure sees the loaded value, `&T` of what is in `Ok` (an `Option`
/// where the function returns one), and is evaluated after the body; it sees the arguments too, as
/// they were before. `unless` comes first: where it says no, the other closures are not called.
///
/// # What a function may return
/// Over a `Cache<K, V>`: `V` (then `V: Clone`), `Arc<V>`, an `Option` of these, where `None` is
/// absence, or a `Result` of any, through any alias. An `Err` is never stored.
///
/// # The load
/// The body runs detached: it goes on, and its result is stored, when its callers have left. So
/// what it uses must be `Send + 'static`. Plain references among the arguments are cloned to their
/// owned form, on a miss only. `&self` is cloned too and needs `Clone`, cheap where the fields are
/// `Arc`s; `self: Arc<Self>` does not need it. A hit allocates nothing and does not enter the body.
///
/// With `load = hand_over` the body runs in the caller's task instead: it may borrow anything, and
/// needs no `Send`. Others wait for it all the same. If the caller is dropped so is the load, and one
/// of those who wait goes on with its own.
///
/// A plain `fn` runs its body in the thread of its first caller, and others park, never past the
/// deadline; on a thread that is known to run tasks a miss is an error of kind `WouldBlock`.
///
/// A plain `fn` that returns `impl Stream<Item = Result<T, E>>` has one source for all who call it,
/// over a cache of `Vec<T>`; its source runs beside those who read it, and so owns what it uses.
///
/// # Errors
/// The function's error must be `From<LoadError>` (or use `map_error`). If it is `Clone` each
/// waiting caller gets the original, else every caller, also a lone one, gets it inside the
/// `LoadError`: anyhow and boxed errors need nothing.
///
/// # Panics
/// A function without a `Result` panics where its load panicked or timed out.
///
/// # Not possible
/// `&mut self`, patterns as arguments, methods under `#[async_trait]`; without `CACHE` also
/// generic functions, methods of traits and associated functions without `self`. A function that
/// calls itself needs a boxed future in between.
#[proc_macro_attribute]
pub fn cacheable(attr: TokenStream, item: TokenStream) -> TokenStream {
    around(Kind::Cacheable, attr, item, cacheable::expand)
}

/// Puts what the function returned into a cache; the function runs on every call.
///
/// ```text
/// #[cache_put( CACHE, option,* )]
/// ```
/// | option | |
/// |---|---|
/// | `CACHE` | an expression that derefs to a `Cache<K, V>` |
/// | `key = EXPR`, `skip(…)` | as for `#[cacheable]` |
/// | `key = \|value\| EXPR` | the key is made of what the function returned |
/// | `ttl`, `stale`, `tags`, `condition`, `unless` | as for `#[cacheable]` |
///
/// What the function may return is as for `#[cacheable]`: an `Err` puts nothing, `None` puts
/// absence. A borrow, and an error that is not `'static`, is not possible.
///
/// # What is never undone
/// The put takes its ticket before the body. If anything of the key was put or invalidated since,
/// the value may be older than that: it is not stored, and the key is invalidated. So between two
/// writers the one that is late at the cache never undoes the other. Where `unless` says no, the
/// key is invalidated too, for its source has changed.
///
/// A key that is made of the value is not known when the ticket is taken. In the process that makes
/// no difference, for one ticket serves all keys; in a far tier the put only deletes. Where `unless`
/// says no, no key is made, and the cache is left as it is.
///
/// # Cancellation
/// The body runs in the caller's task: dropped half way it puts nothing, although the source may
/// have changed. A put that has begun runs to its end.
///
/// # Panics
/// A closure that panics takes the call with it: nothing is put, and what was held stays.
///
/// # Cost
/// With a far tier one round trip before the body and one after it, fewer where the key is made of
/// the value.
#[proc_macro_attribute]
pub fn cache_put(attr: TokenStream, item: TokenStream) -> TokenStream {
    around(Kind::Put, attr, item, put::expand)
}

/// Evicts an entry, those with a tag, or all, after the function has succeeded.
///
/// ```text
/// #[cache_evict( CACHE, option,* )]
/// ```
/// | option | |
/// |---|---|
/// | `CACHE` | an expression that derefs to a `Cache<K, V>` |
/// | `key = EXPR`, `skip(…)` | as for `#[cacheable]`; evaluated before the body |
/// | `key = \|value\| EXPR` | the key is made of what the function returned; not with `before` |
/// | `tags = [EXPR, …]` | evicts every entry with one of these tags; then an entry by its key only if `key` or `skip` is written |
/// | `all` | evicts every entry |
/// | `before` | evicts before the body, also if that fails |
/// | `expire` | the entry is kept as a fallback, in caches that have one |
/// | `condition = EXPR` | false: as if the attribute were not there |
///
/// An `Err` evicts nothing; every other answer is a success. (A type parameter as the return type
/// counts as a success, whatever stands for it.)
///
/// # Several on one function
/// Whatever the order of writing: evict with `before`, lookup, function, put, evict. On a hit
/// neither the function nor a put runs; evictions act on every call. Those of one kind act in the
/// order in which they are written; of several lookups the first is asked first.
#[proc_macro_attribute]
pub fn cache_evict(attr: TokenStream, item: TokenStream) -> TokenStream {
    around(Kind::Evict, attr, item, evict::expand)
}

/// Makes a struct or an enum a key: its fields in order, for an enum after the variant's name.
///
/// The type must also be `Clone + PartialEq + Eq + Hash`, and every field a `Key`. A type
/// parameter must be a `Key`; lifetimes are not possible, for a key owns what it holds.
#[proc_macro_derive(Key)]
pub fn derive_key(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let mut errors = Errors::default();
    match derive_key::expand(&input, &mut errors) {
        Some(tokens) => tokens.into(),
        None => errors.to_compile_errors().into(),
    }
}

/// Writes down a value's shape, for caches that keep it in a far store.
///
/// A far store's values carry the shape of their type, so that another version's are misses. It is
/// found by tracing the type through serde; where tracing cannot follow a type to its end, derive
/// its shape and build the cache with `.shaped()`. Every field's type has to have a shape, down to
/// those of the standard library; a field of a foreign type is given one as a text, to be changed
/// whenever that type's form is: `#[schema("…")]`. What `#[serde(…)]` and `#[prost(…)]` say is part of
/// the shape.
#[proc_macro_derive(Schema, attributes(schema))]
pub fn derive_schema(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let mut errors = Errors::default();
    match derive_schema::expand(&input, &mut errors) {
        Some(tokens) => tokens.into(),
        None => errors.to_compile_errors().into(),
    }
}

type Expand =
    fn(proc_macro2::TokenStream, &Function, &mut Errors) -> Option<proc_macro2::TokenStream>;

fn around(kind: Kind, attr: TokenStream, item: TokenStream, expand: Expand) -> TokenStream {
    let (attr, item) = (attr.into(), proc_macro2::TokenStream::from(item));
    let mut errors = Errors::default();
    let mut item = match syn::parse2::<ItemFn>(item.clone()) {
        Ok(item) => item,
        Err(error) => {
            let hint = "the attribute stands on a function with a body";
            errors.push(syn::Error::new(error.span(), format!("{error}: {hint}")));
            let errors = errors.to_compile_errors();
            return quote!(#errors #item).into();
        }
    };
    if let Some(later) = stack::later(kind, &attr, &item) {
        return later.into();
    }
    let attr = stack::innermost(kind, attr, &mut item);
    let unchanged = item.to_token_stream();
    let function = Function::read(item, &mut errors);
    let expanded = expand(attr, &function, &mut errors);
    let errors = errors.to_compile_errors();
    expanded
        .unwrap_or_else(|| quote!(#errors #unchanged))
        .into()
}
