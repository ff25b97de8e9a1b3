//! What a call is looked up by.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprClosure, Type, parse_quote};

use crate::attr::Attr;
use crate::function::{Argument, Function};
use crate::types;

/// The arguments in order, an expression over them, or a closure over the loaded value.
pub(crate) enum Key<'a> {
    Arguments(Vec<&'a Argument>),
    Expr(&'a Expr),
    Closure(&'a ExprClosure),
}

impl<'a> Key<'a> {
    pub(crate) fn of(attr: &'a Attr, function: &'a Function) -> Self {
        match attr.key.as_ref().map(|key| &key.value) {
            Some(Expr::Closure(closure)) => return Self::Closure(closure),
            Some(key) => return Self::Expr(key),
            None => {}
        }
        let skipped = |name| attr.skip.as_ref().is_some_and(|skip| skip.value.has(name));
        let all = function.arguments.iter();
        Self::Arguments(all.filter(|argument| !skipped(&argument.name)).collect())
    }

    /// The type of the owned key, as far as the signature shows it.
    pub(crate) fn ty(&self, function: &Function) -> Option<Type> {
        match self {
            Self::Arguments(arguments) => Some(match &arguments[..] {
                [one] => types::owned(&one.ty),
                all => {
                    let parts = all.iter().map(|argument| types::owned(&argument.ty));
                    parse_quote!((#(#parts),*))
                }
            }),
            Self::Expr(expr) => type_of(expr, function),
            Self::Closure(_) => None,
        }
    }

    /// A name for the key whose place in errors is the key as the user wrote it.
    pub(crate) fn local(&self) -> Ident {
        let place = match self {
            Self::Arguments(arguments) => arguments.first().map(|first| first.name.span()),
            Self::Expr(expr) => Some(expr.span()),
            Self::Closure(closure) => Some(closure.span()),
        };
        let scope = Span::mixed_site();
        Ident::new("key", place.map_or(scope, |place| scope.located_at(place)))
    }
}

impl ToTokens for Key<'_> {
    /// A reference to the key, where it is known before the body; nothing is moved into it.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match self {
            Self::Arguments(arguments) => {
                let names = arguments.iter().map(|argument| &argument.name);
                match arguments.len() {
                    1 => quote!(#(&#names)*),
                    _ => quote!(&(#(&#names),*)),
                }
            }
            Self::Expr(expr) => borrowed(expr),
            Self::Closure(closure) => closure.to_token_stream(),
        });
    }
}

/// The parts of a tuple are borrowed one by one, or they would move into it.
fn borrowed(expr: &Expr) -> TokenStream {
    match expr {
        Expr::Paren(paren) => borrowed(&paren.expr),
        Expr::Group(group) => borrowed(&group.expr),
        Expr::Tuple(tuple) => {
            let parts = tuple.elems.iter().map(borrowed);
            quote_spanned!(tuple.span()=> &(#(#parts,)*))
        }
        expr => quote_spanned!(expr.span()=> &(#expr)),
    }
}

/// The owned type of an argument, a reference to one, or a tuple of these.
fn type_of(expr: &Expr, function: &Function) -> Option<Type> {
    match expr {
        Expr::Paren(paren) => type_of(&paren.expr, function),
        Expr::Group(group) => type_of(&group.expr, function),
        Expr::Reference(reference) => type_of(&reference.expr, function),
        Expr::Tuple(tuple) => {
            let parts = tuple.elems.iter().map(|part| type_of(part, function));
            let parts: Vec<_> = parts.collect::<Option<_>>()?;
            Some(parse_quote!((#(#parts,)*)))
        }
        Expr::Path(path) => {
            let argument = function.argument(path.path.get_ident()?)?;
            Some(types::owned(&argument.ty))
        }
        _ => None,
    }
}
