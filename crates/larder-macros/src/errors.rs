//! All mistakes of one attribute, shown together.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::Error;

/// What is wrong so far.
#[derive(Default)]
pub(crate) struct Errors(Option<Error>);

impl Errors {
    pub(crate) fn push(&mut self, error: Error) {
        match &mut self.0 {
            Some(all) => all.combine(error),
            none => *none = Some(error),
        }
    }

    /// Notes a mistake at `place`.
    pub(crate) fn at(&mut self, place: impl ToTokens, text: impl std::fmt::Display) {
        self.push(Error::new_spanned(place, text));
    }

    /// Notes the mistake and goes on without the value.
    pub(crate) fn catch<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// One `compile_error!` a mistake; nothing if there is none.
    pub(crate) fn to_compile_errors(&self) -> TokenStream {
        self.0
            .as_ref()
            .map_or_else(TokenStream::new, Error::to_compile_error)
    }

    #[cfg(test)]
    pub(crate) fn texts(&self) -> Vec<String> {
        let all = self.0.iter().flatten();
        all.map(|error| error.to_string()).collect()
    }
}
