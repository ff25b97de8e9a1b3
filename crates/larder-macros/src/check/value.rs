//! Options that see the arguments, and options that see the loaded value.

use proc_macro2::Ident;
use syn::{Expr, ExprClosure};

use crate::attr::Attr;
use crate::body::format_of_self;
use crate::errors::Errors;
use crate::function::Function;

/// Closures where only expressions are taken, and closures that are not over the value alone.
pub(crate) fn all(attr: &Attr, function: &Function, errors: &mut Errors) {
    for (name, closure) in attr.closures() {
        let over_value = ["ttl", "stale", "tags", "unless"];
        if over_value.iter().any(|one| name == one) {
            one_argument(closure, function, errors);
        } else {
            expected_expression(name, closure, errors);
        }
    }
    let condition = attr.condition.as_ref();
    if let Some((name, closure)) =
        condition.and_then(|given| Some((&given.name, closure(&given.value)?)))
    {
        expected_expression(name, closure, errors);
    }
    let key = attr.key.as_ref();
    if let Some(closure) = key.and_then(|key| closure(&key.value)) {
        one_argument(closure, function, errors);
    }
}

/// An eviction does not see the values that it evicts.
pub(crate) fn evicted_tags(attr: &Attr, errors: &mut Errors) {
    let Some(tags) = &attr.tags else { return };
    if tags.value.is_empty() {
        let text =
            "no tag, so nothing is evicted: name one, or leave `tags` out to evict by the key";
        errors.at(&tags.name, text);
    }
    if let Some(closure) = tags.value.closure() {
        expected_expression(&tags.name, closure, errors);
    }
}

pub(super) fn closure(expr: &Expr) -> Option<&ExprClosure> {
    match expr {
        Expr::Closure(closure) => Some(closure),
        _ => None,
    }
}

pub(super) fn expected_expression(name: &Ident, closure: &ExprClosure, errors: &mut Errors) {
    let text = format!(
        "`{name}` is evaluated before the body, over the arguments: write an expression, not a \
         closure"
    );
    errors.at(closure.or1_token, text);
}

fn one_argument(closure: &ExprClosure, function: &Function, errors: &mut Errors) {
    if closure.inputs.len() != 1 {
        let text = "the closure is called with the loaded value: `|value| …`";
        errors.at(closure.or1_token, text);
    }
    if function.receiver().is_some() {
        if let Some(literal) = format_of_self(closure) {
            let text = "in a closure over the loaded value `self` cannot be named in a format: \
                        write `{}`, and `self` as an argument";
            errors.at(literal, text);
        }
    }
}
