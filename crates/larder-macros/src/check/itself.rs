//! A function that awaits itself.

use proc_macro2::Ident;
use syn::visit::{self, Visit};
use syn::{Expr, ExprAwait, ExprCall, ExprMethodCall, Item, PatIdent};

use crate::attr::Attr;
use crate::errors::Errors;
use crate::function::Function;
use crate::option::Life;

/// The future of an `async fn` cannot hold itself, and the load of one that is detached not even in
/// a box that it makes itself: whether that is `Send` is what is still to be found out.
pub(crate) fn none(attr: &Attr, function: &Function, errors: &mut Errors) {
    let name = &function.item.sig.ident;
    if function.item.sig.asyncness.is_none() || function.argument(name).is_some() {
        return;
    }
    let mut calls = Calls {
        name,
        method: function.receiver().is_some(),
        boxed: attr.life(function) == Life::HandOver,
        found: Vec::new(),
        hidden: false,
    };
    calls.visit_block(&function.item.block);
    if calls.hidden {
        return;
    }
    for call in calls.found {
        let text = format!(
            "a cached function cannot hold the future of another call of itself: await a plain \
             `fn` that returns `larder::BoxFuture` and makes it by `Box::pin({name}(…))` (another \
             function of this name is called by its path, `self::{name}(…)`)"
        );
        errors.at(call, text);
    }
}

/// The calls of a function in its own body.
struct Calls<'a> {
    name: &'a Ident,
    method: bool,
    /// Whether a box around the call is enough.
    boxed: bool,
    found: Vec<Expr>,
    /// Whether something in the body has the function's name.
    hidden: bool,
}

impl Calls<'_> {
    fn is_own(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Call(ExprCall { func, .. }) => match &**func {
                Expr::Path(path) if self.method => {
                    let names: Vec<_> = path.path.segments.iter().collect();
                    matches!(&names[..], [this, name] if this.ident == "Self" && name.ident == *self.name)
                }
                Expr::Path(path) => path.path.is_ident(self.name),
                _ => false,
            },
            Expr::MethodCall(ExprMethodCall {
                receiver, method, ..
            }) => {
                let this = matches!(&**receiver, Expr::Path(path) if path.path.is_ident("self"));
                self.method && this && method == self.name
            }
            _ => false,
        }
    }
}

impl<'ast> Visit<'ast> for Calls<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        let held = match expr {
            Expr::Await(ExprAwait { base, .. }) if self.boxed => Some(&**base),
            expr if !self.boxed => Some(expr),
            _ => None,
        };
        if let Some(call) = held.filter(|call| self.is_own(call)) {
            self.found.push(call.clone());
        }
        visit::visit_expr(self, expr);
    }

    fn visit_pat_ident(&mut self, pat: &'ast PatIdent) {
        self.hidden |= pat.ident == *self.name;
        visit::visit_pat_ident(self, pat);
    }

    fn visit_item(&mut self, item: &'ast Item) {
        self.hidden |= matches!(item, Item::Fn(item) if item.sig.ident == *self.name);
    }
}
