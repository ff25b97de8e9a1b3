//! Parts of a ttl as options.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::ParseStream;
use syn::{Expr, ExprLit, Lit, Result};

use crate::hygiene::mixed;
use crate::option::ungrouped;

/// A part of a ttl: a number, or an expression of type `f64`.
pub(crate) struct Part(Expr);

impl Part {
    /// Reads a part from 0 to below 1, as far as it is known here.
    pub(crate) fn parse(input: ParseStream<'_>) -> Result<Self> {
        Self::of(ungrouped(input.parse()?), |part| (0.0..1.0).contains(&part))
    }

    fn of(expr: Expr, fits: impl Fn(f64) -> bool) -> Result<Self> {
        let part = match &expr {
            Expr::Lit(ExprLit {
                lit: Lit::Float(number),
                ..
            }) => number.base10_parse::<f64>().ok(),
            Expr::Lit(_) => None,
            _ => return Ok(Self(expr)),
        };
        match part {
            Some(part) if fits(part) => Ok(Self(expr)),
            _ => {
                let text = "this is a part of the ttl: a number between 0.0 and 1.0, like `0.1`";
                Err(syn::Error::new_spanned(expr, text))
            }
        }
    }
}

impl ToTokens for Part {
    /// A wrong type is reported at the user's tokens.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let part = &self.0;
        tokens.extend(mixed!({
            let part: ::core::primitive::f64 = #part;
            part
        }));
    }
}

/// When a value is loaded anew before its end.
pub(crate) enum Refresh {
    At(Part),
    XFetch,
}

impl Refresh {
    /// Reads `xfetch`, or a part above 0.
    pub(crate) fn parse(input: ParseStream<'_>) -> Result<Self> {
        let expr = ungrouped(input.parse()?);
        match &expr {
            Expr::Path(path) if path.path.is_ident("xfetch") => Ok(Self::XFetch),
            _ => Part::of(expr, |part| part > 0.0 && part < 1.0).map(Self::At),
        }
    }
}

impl ToTokens for Refresh {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match self {
            Self::At(part) => quote!(::larder::__private::Refresh::At(#part)),
            Self::XFetch => quote!(::larder::__private::Refresh::XFetch { beta: 1.0 }),
        });
    }
}
