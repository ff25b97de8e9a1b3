//! The text of what was traced.

use super::registry::{Registry, Type};

/// The text of a type. A named type is written out where it comes first; where it comes again, also
/// within itself, `^n` stands for the n-th that was written out, counted from 0. Names are escaped,
/// so that no two types share a text.
pub(super) fn render(registry: &Registry, root: &Type) -> String {
    let mut renderer = Renderer {
        registry,
        written: Vec::new(),
        out: String::new(),
    };
    renderer.one(root);
    renderer.out
}

struct Renderer<'r> {
    registry: &'r Registry,
    /// The named types so far.
    written: Vec<usize>,
    out: String,
}

impl Renderer<'_> {
    fn one(&mut self, of: &Type) {
        match of {
            Type::Leaf(name) => self.out.push_str(name),
            Type::Option(inner) => {
                self.out.push('?');
                self.one(inner);
            }
            Type::Seq(element) => {
                self.out.push('[');
                self.one(element);
                self.out.push(']');
            }
            Type::Map(entry) => {
                self.out.push('[');
                self.one(&entry.0);
                self.out.push_str("=>");
                self.one(&entry.1);
                self.out.push(']');
            }
            Type::Tuple(types) => self.tuple(types),
            Type::Fields(names, types) => self.fields(names, types),
            Type::Named(id) => self.named(*id),
        }
    }

    fn tuple(&mut self, types: &[Type]) {
        self.out.push('(');
        match types {
            // An array is a tuple to serde, and may be long.
            [first, _, ..] if types.iter().all(|each| each == first) => {
                self.one(first);
                self.out.push_str(&format!(";{}", types.len()));
            }
            _ => self.list(types.len(), |renderer, at| renderer.one(&types[at])),
        }
        self.out.push(')');
    }

    fn fields(&mut self, names: &[&str], types: &[Type]) {
        self.out.push('{');
        self.list(types.len(), |renderer, at| {
            renderer.name(names[at]);
            renderer.out.push(':');
            renderer.one(&types[at]);
        });
        self.out.push('}');
    }

    fn named(&mut self, id: usize) {
        if let Some(at) = self.written.iter().position(|written| *written == id) {
            self.out.push_str(&format!("^{at}"));
            return;
        }
        self.written.push(id);
        let named = self.registry.get(id);
        self.name(named.name());
        let Some(variants) = named.variants() else {
            return named
                .content()
                .into_iter()
                .for_each(|content| self.one(content));
        };
        let variants: Vec<_> = variants.collect();
        self.out.push('<');
        self.list(variants.len(), |renderer, at| {
            let (name, content) = variants[at];
            renderer.name(name);
            content.iter().for_each(|content| renderer.one(content));
        });
        self.out.push('>');
    }

    fn list(&mut self, count: usize, one: impl Fn(&mut Self, usize)) {
        for at in 0..count {
            if at > 0 {
                self.out.push(',');
            }
            one(self, at);
        }
    }

    fn name(&mut self, name: &str) {
        for byte in name.bytes() {
            if byte.is_ascii_alphanumeric() || byte == b'_' {
                self.out.push(char::from(byte));
            } else {
                self.out.push_str(&format!("%{byte:02X}"));
            }
        }
    }
}
