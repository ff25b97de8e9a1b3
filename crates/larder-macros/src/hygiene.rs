//! Names that users cannot see.

/// Tokens whose local names are the expansion's own.
macro_rules! mixed {
    ($($tokens:tt)*) => {
        ::quote::quote_spanned!(::proc_macro2::Span::mixed_site()=> $($tokens)*)
    };
}

pub(crate) use mixed;
