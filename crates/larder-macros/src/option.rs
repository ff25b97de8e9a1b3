//! The values of options.

use std::time::Duration;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, Lit, Result, Token, parenthesized};

use crate::attr::twice;
use crate::duration;

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

/// How long something lasts.
pub(crate) enum Time {
    Text(Duration),
    Expr(Expr),
}

/// The shortest text: the clock of a hit moves in steps of some 4 ms.
const LEAST: Duration = Duration::from_millis(10);

/// Reads a text like `"5m"`, or any other expression.
pub(crate) fn time(input: ParseStream<'_>) -> Result<Time> {
    match ungrouped(input.parse()?) {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => match duration::parse(&text.value()) {
            Ok(short) if short < LEAST => refuse(
                &text,
                "the clock of a hit moves in steps: at least \"10ms\"",
            ),
            Ok(duration) => Ok(Time::Text(duration)),
            Err(error) => refuse(&text, &error),
        },
        Expr::Lit(literal) => {
            let text = "a duration is a text with a unit, like \"5m\", or an expression of type \
                        `Duration`";
            refuse(&literal, text)
        }
        expr => Ok(Time::Expr(expr)),
    }
}

/// A `macro_rules` argument stands in invisible parentheses.
fn ungrouped(expr: Expr) -> Expr {
    match expr {
        Expr::Group(group) => ungrouped(*group.expr),
        expr => expr,
    }
}

fn refuse<T>(place: &impl ToTokens, text: &str) -> Result<T> {
    Err(syn::Error::new_spanned(place, text))
}

impl ToTokens for Time {
    /// An expression of type `Duration`; a wrong type is reported at the user's tokens.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match self {
            Self::Text(duration) => {
                let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
                quote!(::core::time::Duration::from_millis(#millis))
            }
            Self::Expr(expr) => quote_spanned!(Span::mixed_site()=> {
                let time: ::core::time::Duration = #expr;
                time
            }),
        });
    }
}
