//! Durations as options.

use std::time::Duration;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::ParseStream;
use syn::{Expr, ExprClosure, ExprLit, Lit, Result};

use crate::duration;
use crate::hygiene::mixed;
use crate::option::ungrouped;

/// How long something lasts.
pub(crate) enum Time {
    Text(Duration),
    Expr(Expr),
    /// Over the loaded value.
    Closure(ExprClosure),
}

/// The shortest text: the clock of a hit moves in steps of some 4 ms.
const LEAST: Duration = Duration::from_millis(10);

impl Time {
    /// Reads a text like `"5m"`, or any other expression.
    pub(crate) fn parse(input: ParseStream<'_>) -> Result<Self> {
        match ungrouped(input.parse()?) {
            Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) => match duration::parse(&text.value()) {
                Ok(short) if short < LEAST => refuse(
                    &text,
                    "the clock of a hit moves in steps: at least \"10ms\"",
                ),
                Ok(duration) => Ok(Self::Text(duration)),
                Err(error) => refuse(&text, &error),
            },
            Expr::Lit(literal) => {
                let text = "a duration is a text with a unit, like \"5m\", or an expression of \
                            type `Duration`";
                refuse(&literal, text)
            }
            Expr::Closure(closure) => Ok(Self::Closure(closure)),
            expr => Ok(Self::Expr(expr)),
        }
    }

    /// How long it is, if that is known here.
    pub(crate) fn text(&self) -> Option<Duration> {
        match self {
            Self::Text(duration) => Some(*duration),
            Self::Expr(_) | Self::Closure(_) => None,
        }
    }

    /// Whether it is known here.
    pub(crate) fn is_text(&self) -> bool {
        self.text().is_some()
    }

    pub(crate) fn closure(&self) -> Option<&ExprClosure> {
        match self {
            Self::Closure(closure) => Some(closure),
            Self::Text(_) | Self::Expr(_) => None,
        }
    }

    /// An expression of type `Duration` for before the body, if it is none of the value; a wrong
    /// type is reported at the user's tokens.
    pub(crate) fn before(&self) -> Option<TokenStream> {
        match self {
            Self::Text(duration) => {
                let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
                Some(quote!(::core::time::Duration::from_millis(#millis)))
            }
            Self::Expr(expr) => Some(mixed!({
                let time: ::core::time::Duration = #expr;
                time
            })),
            Self::Closure(_) => None,
        }
    }
}

fn refuse<T>(place: &impl ToTokens, text: &str) -> Result<T> {
    Err(syn::Error::new_spanned(place, text))
}
