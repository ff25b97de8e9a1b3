//! Reading and rewriting a function's body.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, ExprClosure, ExprPath, Item, Macro};

/// Whether the tokens name `name`, also inside macros and in the braces of a format string.
///
/// It may say yes for a field of that name in a struct expression; then a little more is cloned
/// than needed.
pub(crate) fn mentions(tokens: &impl ToTokens, name: &str) -> bool {
    let mut found = false;
    visit_tokens(tokens.to_token_stream(), &mut |token| {
        found |= match token {
            TokenTree::Ident(ident) => ident == name,
            TokenTree::Literal(literal) => formats(&literal.to_string(), name),
            _ => false,
        };
    });
    found
}

/// A string literal that puts `self` into a format by name.
pub(crate) fn format_of_self(tokens: &impl ToTokens) -> Option<TokenTree> {
    let mut found = None;
    visit_tokens(tokens.to_token_stream(), &mut |token| {
        if matches!(token, TokenTree::Literal(literal) if formats(&literal.to_string(), "self")) {
            found.get_or_insert(token.clone());
        }
    });
    found
}

/// Visits all but the names of fields and methods.
fn visit_tokens(tokens: TokenStream, visit: &mut dyn FnMut(&TokenTree)) {
    let (mut dots, mut member) = (0, false);
    for token in tokens {
        let is_dot = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '.');
        if !member {
            visit(&token);
        }
        // `a.b`, and not `a..b`.
        dots = if is_dot { dots + 1 } else { 0 };
        member = dots == 1;
        if let TokenTree::Group(group) = token {
            visit_tokens(group.stream(), visit);
        }
    }
}

/// Whether a literal is a text with `{name}` or `{name:…}`.
fn formats(literal: &str, name: &str) -> bool {
    let quoted = literal.contains('"');
    quoted
        && literal.split('{').skip(1).any(|after| {
            let after = after.strip_prefix(name);
            after.is_some_and(|after| after.starts_with(['}', ':']))
        })
}

/// Writes `__self` for `self`, so that the body can stand where `self` is another value.
///
/// Items inside the body have a `self` of their own and stay as they are.
pub(crate) fn rename_self(block: &mut Block) {
    RenameSelf.visit_block_mut(block);
}

/// As [`rename_self`], for a closure over the loaded value.
pub(crate) fn without_self(closure: &ExprClosure) -> ExprClosure {
    let mut closure = closure.clone();
    RenameSelf.visit_expr_closure_mut(&mut closure);
    closure
}

struct RenameSelf;

impl VisitMut for RenameSelf {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Expr::Path(ExprPath {
            qself: None, path, ..
        }) = expr
        {
            if path.is_ident("self") {
                path.segments[0].ident = renamed(&path.segments[0].ident);
            }
        }
        visit_mut::visit_expr_mut(self, expr);
    }

    fn visit_macro_mut(&mut self, call: &mut Macro) {
        call.tokens = rename_in_tokens(call.tokens.clone());
    }

    fn visit_item_mut(&mut self, _: &mut Item) {}
}

/// The name that stands for `self`, with the place and the scope of `this`.
pub(crate) fn renamed(this: &Ident) -> Ident {
    Ident::new("__self", this.span())
}

/// `self::path` stays a path.
fn rename_in_tokens(tokens: TokenStream) -> TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let mut out = TokenStream::new();
    while let Some(token) = tokens.next() {
        let path = matches!(tokens.peek(), Some(TokenTree::Punct(next))
            if next.as_char() == ':' && next.spacing() == proc_macro2::Spacing::Joint);
        out.extend([match token {
            TokenTree::Ident(name) if name == "self" && !path => TokenTree::Ident(renamed(&name)),
            TokenTree::Group(group) => {
                let mut new = Group::new(group.delimiter(), rename_in_tokens(group.stream()));
                new.set_span(group.span());
                TokenTree::Group(new)
            }
            token => token,
        }]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;
    use syn::parse_quote;

    #[test]
    fn mentions_reach_into_macros_and_formats() {
        assert!(mentions(&quote!(f(no)), "no"));
        assert!(mentions(&quote!(vec![(1, no)]), "no"));
        assert!(mentions(&quote!(format!("{no:?}")), "no"));
        assert!(mentions(&quote!(format!("{a} {no}")), "no"));
        assert!(!mentions(&quote!(format!("no {nobody} {}", a)), "no"));
        assert!(!mentions(&quote!(note.now), "no"));
        assert!(!mentions(&quote!(deal.no + deal.no()), "no"));
        assert!(mentions(&quote!(0..no), "no") && mentions(&quote!(0..=no), "no"));
        assert!(mentions(&quote!(all.get(no).b), "no"));
    }

    #[test]
    fn self_is_renamed_in_expressions_and_macros_alone() {
        let mut block: Block = parse_quote!({
            let a = self.db.get(vec![self.no, self::count()], |x| x + self.b);
            fn inner(this: &Inner) -> u8 {
                struct S;
                impl S {
                    fn f(&self) -> u8 {
                        self.x
                    }
                }
                1
            }
            Self::make(self::count(), &self)
        });
        rename_self(&mut block);
        let expected: Block = parse_quote!({
            let a = __self
                .db
                .get(vec![__self.no, self::count()], |x| x + __self.b);
            fn inner(this: &Inner) -> u8 {
                struct S;
                impl S {
                    fn f(&self) -> u8 {
                        self.x
                    }
                }
                1
            }
            Self::make(self::count(), &__self)
        });
        assert_eq!(quote!(#block).to_string(), quote!(#expected).to_string());
    }
}
