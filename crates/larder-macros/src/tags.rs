//! Lists of tags.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprClosure, Result, Token};

use crate::option::ungrouped;

/// The tags of a value.
pub(crate) enum Tags {
    List(Punctuated<Expr, Token![,]>),
    /// Over the loaded value.
    Closure(ExprClosure),
}

impl Tags {
    pub(crate) fn parse(input: ParseStream<'_>) -> Result<Self> {
        match ungrouped(input.parse()?) {
            Expr::Array(list) => Ok(Self::List(list.elems)),
            Expr::Closure(closure) => Ok(Self::Closure(closure)),
            other => {
                let text = "tags are a list over the arguments, `[…]`, or a closure over the \
                            loaded value, `|value| […]`";
                Err(syn::Error::new_spanned(other, text))
            }
        }
    }

    /// Whether it is a list of none.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::List(list) if list.is_empty())
    }

    pub(crate) fn closure(&self) -> Option<&ExprClosure> {
        match self {
            Self::Closure(closure) => Some(closure),
            Self::List(_) => None,
        }
    }

    /// The texts for before the body, if they are none of the value.
    pub(crate) fn before(&self) -> Option<TokenStream> {
        match self {
            Self::List(list) => Some(texts(list)),
            Self::Closure(_) => None,
        }
    }
}

/// Each by itself, so that they may differ in type.
fn texts(list: &Punctuated<Expr, Token![,]>) -> TokenStream {
    let texts = list
        .iter()
        .map(|tag| quote_spanned!(tag.span()=> ::larder::__private::tag(&(#tag))));
    quote!(::std::vec::Vec::<::std::string::String>::from([#(#texts),*]))
}

/// The closure with texts as its result: a list as its body may be of several types, anything else
/// is iterated over.
pub(crate) fn texts_of(closure: &ExprClosure) -> ExprClosure {
    let mut closure = closure.clone();
    let body = ungrouped((*closure.body).clone());
    let texts = match &body {
        Expr::Array(list) => texts(&list.elems),
        body => quote_spanned!(body.span()=> ::larder::__private::tags(#body)),
    };
    *closure.body = Expr::Verbatim(texts);
    closure
}
