//! The attributes of larder: `#[cacheable]`, `#[cache_evict]` and `#[derive(Key)]`.
//!
//! Use them through the facade `larder`, where each has an example; their expansion names
//! `::larder::__private` alone.
//!
//! # How it is cut
//! `attr` and `function` read what was written, `check` refuses, `cacheable` and `evict` print.
//! All mistakes of one attribute are shown together, and the function then stands unchanged beside
//! them, so that its callers do not fail too.

mod attr;
mod body;
mod cacheable;
mod check;
mod derive_key;
mod detached;
mod duration;
mod errors;
mod evict;
mod function;
mod guess;
mod key;
mod made;
mod option;
mod types;

use proc_macro::TokenStream;
use quote::quote;
use syn::{DeriveInput, ItemFn, parse_macro_input};

use crate::errors::Errors;
use crate::function::Function;

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
/// | `ttl = "5m"`, `absent_ttl = …` | how long a value, or absence, is used |
/// | `deadline = "2s"` | how long the load may take; needs a `Result` |
/// | `map_error = \|e\| EXPR` | turns a `LoadError` into the function's error, where that has no `From` |
/// | `name = "…"`, `capacity = N` | of a cache that the attribute makes |
///
/// Durations are texts of whole numbers with `ms`, `s`, `m`, `h`, `d` (`"1h30m"`, at least
/// `"10ms"`), or expressions of type `Duration`, which see the arguments. All expressions are
/// evaluated before the body; those of options that concern a load, on a miss only.
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
    around(attr, item, cacheable::expand)
}

/// Evicts an entry, or all, after the function has succeeded.
///
/// ```text
/// #[cache_evict( CACHE, option,* )]
/// ```
/// | option | |
/// |---|---|
/// | `CACHE` | an expression that derefs to a `Cache<K, V>` |
/// | `key = EXPR`, `skip(…)` | as for `#[cacheable]`; evaluated before the body in any case |
/// | `all` | evicts every entry |
/// | `before` | evicts before the body, also if that fails |
///
/// An `Err` evicts nothing; every other answer is a success. (A type parameter as the return type
/// counts as a success, whatever stands for it.) Several `#[cache_evict]` may stand on one
/// function. Beside `#[cacheable]` it acts on every call, also on a hit.
#[proc_macro_attribute]
pub fn cache_evict(attr: TokenStream, item: TokenStream) -> TokenStream {
    around(attr, item, evict::expand)
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

type Expand =
    fn(proc_macro2::TokenStream, &Function, &mut Errors) -> Option<proc_macro2::TokenStream>;

fn around(attr: TokenStream, item: TokenStream, expand: Expand) -> TokenStream {
    let mut errors = Errors::default();
    let unchanged = proc_macro2::TokenStream::from(item);
    let item = match syn::parse2::<ItemFn>(unchanged.clone()) {
        Ok(item) => item,
        Err(error) => {
            let hint = "the attribute stands on a function with a body";
            errors.push(syn::Error::new(error.span(), format!("{error}: {hint}")));
            let errors = errors.to_compile_errors();
            return quote!(#errors #unchanged).into();
        }
    };
    let function = Function::read(item, &mut errors);
    let expanded = expand(attr.into(), &function, &mut errors);
    let errors = errors.to_compile_errors();
    expanded
        .unwrap_or_else(|| quote!(#errors #unchanged))
        .into()
}
