//! The values of options.

use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Expr, Result, Token, parenthesized};

use crate::attr::twice;
use crate::guess::did_you_mean;
use crate::hygiene::mixed;

/// An option that was given, with its name as the place of errors.
pub(crate) struct Given<T> {
    pub(crate) name: Ident,
    pub(crate) value: T,
}

impl<T> Given<T> {
    /// Fills the slot of an option that may be given once.
    pub(crate) fn put(slot: &mut Option<Self>, name: Ident, value: T) -> Result<()> {
        if slot.is_some() {
            return Err(twice(&name));
        }
        *slot = Some(Self { name, value });
        Ok(())
    }
}

/// The arguments that do not belong to the key; `self` is one of them.
pub(crate) struct Skip(pub(crate) Vec<Ident>);

impl Skip {
    pub(crate) fn parse(input: ParseStream<'_>) -> Result<Self> {
        let list;
        parenthesized!(list in input);
        let names = Punctuated::<Ident, Token![,]>::parse_terminated_with(&list, Ident::parse_any)?;
        Ok(Self(names.into_iter().collect()))
    }

    pub(crate) fn has(&self, name: &Ident) -> bool {
        self.0.contains(name)
    }

    pub(crate) fn has_self(&self) -> bool {
        self.0.iter().any(|name| name == "self")
    }
}

/// In whose task a load runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Life {
    /// The cache's.
    #[default]
    Detach,
    /// The caller's, or after it that of the next who waits.
    HandOver,
    /// The cache's, until the last caller has left.
    Cancel,
}

impl Life {
    pub(crate) fn parse(input: ParseStream<'_>) -> Result<Self> {
        let name: Ident = input.parse()?;
        match name.to_string().as_str() {
            "detach" => Ok(Self::Detach),
            "hand_over" => Ok(Self::HandOver),
            "cancel" => Ok(Self::Cancel),
            other => {
                let guess = did_you_mean(other, &["detach", "hand_over", "cancel"]);
                let text = format!("no load lives by `{other}`{guess}");
                Err(syn::Error::new_spanned(name, text))
            }
        }
    }
}

/// What is made only under the condition, as an `Option`; without a condition what is made.
///
/// The condition is a `bool`; a wrong type is reported at the user's tokens.
pub(crate) fn when(condition: Option<&Given<Expr>>, made: &TokenStream) -> TokenStream {
    let Some(Given { value, .. }) = condition else {
        return made.clone();
    };
    mixed! {{
        let condition: ::core::primitive::bool = #value;
        if condition {
            ::core::option::Option::Some(#made)
        } else {
            ::core::option::Option::None
        }
    }}
}

/// A `macro_rules` argument stands in invisible parentheses.
pub(crate) fn ungrouped(expr: Expr) -> Expr {
    match expr {
        Expr::Group(group) => ungrouped(*group.expr),
        expr => expr,
    }
}
