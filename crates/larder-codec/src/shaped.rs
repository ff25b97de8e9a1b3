//! Types that say their own shape.

mod impls;

use std::any::TypeId;

/// A type that says its own shape: the names, order and types of what it is made of.
///
/// For values whose shape [tracing](crate::Schema::traced) cannot find, as validated texts.
/// `#[derive(larder::Schema)]` writes it, and asks it of every field; a field of a foreign type is
/// given its shape as a text, `#[schema("…")]`, to be changed whenever that type's form is.
///
/// The name of a type is no part of its shape, so a type may be renamed. What the attributes of serde
/// and prost say is, word for word, for they decide the form: a change of one is a change of the shape.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say its shape",
    label = "the shape of this is not known",
    note = "derive it with `#[derive(larder::Schema)]`, or give the field its shape as a text: \
            `#[schema(\"…\")]`"
)]
pub trait Shaped: 'static {
    /// Writes the shape.
    fn shape(out: &mut ShapeText);
}

/// A shape being written.
#[derive(Debug, Default)]
pub struct ShapeText {
    text: String,
    /// The types that are being written, so that a recursive one ends.
    open: Vec<TypeId>,
}

impl ShapeText {
    /// The shape of a type, as text for [`Schema::of_shape`](crate::Schema::of_shape).
    #[must_use]
    pub fn of<T: Shaped>() -> String {
        let mut out = Self::default();
        T::shape(&mut out);
        out.text
    }

    /// A word that stands for a whole type.
    pub fn word(&mut self, word: &str) {
        self.text.push_str(word);
    }

    /// The shape of a part.
    pub fn part<T: Shaped>(&mut self) {
        T::shape(self);
    }

    /// A type made of others; inside itself it is told by how far out it was begun.
    pub fn made<T: 'static>(&mut self, kind: &str, parts: impl FnOnce(&mut Self)) {
        let id = TypeId::of::<T>();
        if let Some(out) = self.open.iter().rev().position(|open| *open == id) {
            self.text.push_str(&format!("^{out}"));
            return;
        }
        self.open.push(id);
        self.text.push_str(kind);
        self.text.push('{');
        parts(self);
        self.text.push('}');
        self.open.pop();
    }

    /// Begins a field or a variant: its name, and what is written at it.
    pub fn name(&mut self, name: &str, attributes: &str) {
        self.text.push_str(&format!(";{name:?}{attributes:?}:"));
    }

    /// A shape that is given as a text.
    pub fn given(&mut self, text: &str) {
        self.text.push_str(&format!("given{text:?}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Tree;

    impl Shaped for Tree {
        fn shape(out: &mut ShapeText) {
            out.made::<Self>("struct", |out| {
                out.name("value", "");
                out.part::<u64>();
                out.name("children", "");
                out.part::<Vec<Self>>();
            });
        }
    }

    #[test]
    fn a_recursive_type_ends_and_names_are_quoted() {
        let tree = r#"struct{;"value""":u64;"children""":seq(^0)}"#;
        assert_eq!(ShapeText::of::<Tree>(), tree);
        assert_eq!(ShapeText::of::<(Tree, Tree)>(), format!("({tree},{tree},)"));
    }
}
