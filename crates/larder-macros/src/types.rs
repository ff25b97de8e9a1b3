//! What the text of a type tells.

use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{
    BoundLifetimes, GenericArgument, Lifetime, ParenthesizedGenericArguments, PathArguments,
    PathSegment, Type, TypeBareFn, TypeImplTrait, TypeParamBound, TypePath, TypeReference,
    parse_quote,
};

/// `ty` without the parentheses, and the invisible ones that a `macro_rules` argument has.
pub(crate) fn plain(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => plain(&group.elem),
        Type::Paren(paren) => plain(&paren.elem),
        ty => ty,
    }
}

/// The place of the first borrow in `ty` that is not `'static`.
pub(crate) fn borrow(ty: &Type) -> Option<Type> {
    let mut borrows = Borrows::default();
    borrows.visit_type(ty);
    borrows.found
}

/// Whether the reference outlives every call.
pub(crate) fn is_static(reference: &TypeReference) -> bool {
    matches!(&reference.lifetime, Some(lifetime) if lifetime.ident == "static")
}

#[derive(Default)]
struct Borrows {
    innermost: Option<Type>,
    found: Option<Type>,
}

impl<'ast> Visit<'ast> for Borrows {
    fn visit_type(&mut self, ty: &'ast Type) {
        let outer = self.innermost.replace(ty.clone());
        visit::visit_type(self, ty);
        self.innermost = outer;
    }

    fn visit_type_reference(&mut self, reference: &'ast TypeReference) {
        if reference.lifetime.is_none() {
            self.found.get_or_insert(Type::Reference(reference.clone()));
        }
        visit::visit_type_reference(self, reference);
    }

    fn visit_lifetime(&mut self, lifetime: &'ast Lifetime) {
        if lifetime.ident != "static" && self.found.is_none() {
            self.found.clone_from(&self.innermost);
        }
    }

    // Lifetimes of a function's own arguments borrow nothing.
    fn visit_type_bare_fn(&mut self, _: &'ast TypeBareFn) {}
    fn visit_parenthesized_generic_arguments(&mut self, _: &'ast ParenthesizedGenericArguments) {}
    fn visit_bound_lifetimes(&mut self, _: &'ast BoundLifetimes) {}
}

/// The type that owns what `ty` borrows: `(&str, Option<&u64>)` becomes `(String, Option<u64>)`.
pub(crate) fn owned(ty: &Type) -> Type {
    struct Owned;
    impl VisitMut for Owned {
        fn visit_type_mut(&mut self, ty: &mut Type) {
            visit_mut::visit_type_mut(self, ty);
            if let Type::Reference(TypeReference { elem, .. }) = ty {
                *ty = match plain(elem) {
                    Type::Path(path) if path.path.is_ident("str") => {
                        parse_quote!(::std::string::String)
                    }
                    elem @ (Type::Path(_) | Type::Tuple(_) | Type::Array(_)) => elem.clone(),
                    elem => parse_quote!(<#elem as ::std::borrow::ToOwned>::Owned),
                };
            }
        }
    }
    let mut owner = ty.clone();
    Owned.visit_type_mut(&mut owner);
    owner
}

/// What a cache keeps of an answer: `Result`, then `Option`, then `Arc` are taken off, by name.
pub(crate) fn kept(answer: &Type) -> &Type {
    ["Result", "Option", "Arc"]
        .iter()
        .fold(answer, |ty, name| argument_of(ty, name).unwrap_or(ty))
}

fn argument_of<'a>(ty: &'a Type, name: &str) -> Option<&'a Type> {
    let segment = last_segment(ty)?;
    match &segment.arguments {
        PathArguments::AngleBracketed(list) if segment.ident == name => list.args.first(),
        _ => None,
    }
    .and_then(|first| match first {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

fn last_segment(ty: &Type) -> Option<&PathSegment> {
    match plain(ty) {
        Type::Path(TypePath { qself: None, path }) => path.segments.last(),
        _ => None,
    }
}

/// Whether `ty` is written with `Self`.
pub(crate) fn has_self(ty: &Type) -> bool {
    struct Selfs(bool);
    impl<'ast> Visit<'ast> for Selfs {
        fn visit_ident(&mut self, name: &'ast proc_macro2::Ident) {
            self.0 |= name == "Self";
        }
    }
    let mut selfs = Selfs(false);
    selfs.visit_type(ty);
    selfs.0
}

/// Whether `ty` is `Self`.
pub(crate) fn is_self(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident("Self"))
}

/// Whether `ty` is written with `impl Trait`.
pub(crate) fn has_impl(ty: &Type) -> bool {
    struct Impls(bool);
    impl<'ast> Visit<'ast> for Impls {
        fn visit_type_impl_trait(&mut self, _: &'ast TypeImplTrait) {
            self.0 = true;
        }
    }
    let mut impls = Impls(false);
    impls.visit_type(ty);
    impls.0
}

/// Whether `ty` is an `impl Stream`.
pub(crate) fn is_stream(ty: &Type) -> bool {
    stream(ty).is_some()
}

/// The element of an `impl Stream<Item = …>`.
pub(crate) fn element(ty: &Type) -> Option<&Type> {
    let PathArguments::AngleBracketed(list) = &stream(ty)?.arguments else {
        return None;
    };
    list.args.iter().find_map(|argument| match argument {
        GenericArgument::AssocType(item) if item.ident == "Item" => Some(&item.ty),
        _ => None,
    })
}

/// The `T` of a `Result<T, …>`, by name.
pub(crate) fn succeeds_with(ty: &Type) -> Option<&Type> {
    argument_of(ty, "Result")
}

fn stream(ty: &Type) -> Option<&PathSegment> {
    let Type::ImplTrait(opaque) = plain(ty) else {
        return None;
    };
    opaque.bounds.iter().find_map(|bound| match bound {
        TypeParamBound::Trait(bound) => {
            let name = bound.path.segments.last();
            name.filter(|name| name.ident == "Stream")
        }
        _ => None,
    })
}

/// Whether `ty` is a `Pin<Box<dyn …>>`, as `#[async_trait]` makes it.
pub(crate) fn is_boxed_future(ty: &Type) -> bool {
    let inner = argument_of(ty, "Pin").and_then(|ty| argument_of(ty, "Box"));
    matches!(inner, Some(Type::TraitObject(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;

    fn text(ty: &impl ToTokens) -> String {
        ty.to_token_stream().to_string().replace(' ', "")
    }

    #[test]
    fn answers_are_peeled_by_name_once() {
        for (answer, value) in [
            ("Deal", "Deal"),
            ("anyhow::Result<Option<Arc<Deal>>>", "Deal"),
            ("std::result::Result<Arc<Deal>, E>", "Deal"),
            ("Option<Option<u8>>", "Option<u8>"),
            ("Vec<Option<u8>>", "Vec<Option<u8>>"),
            ("Arc<Option<u8>>", "Option<u8>"),
        ] {
            let answer: Type = syn::parse_str(answer).expect("a type");
            assert_eq!(text(kept(&answer)), value);
        }
    }

    #[test]
    fn a_key_owns_what_the_arguments_borrow() {
        for (argument, key) in [
            ("&str", "::std::string::String"),
            ("&'a Deal", "Deal"),
            ("Option<&str>", "Option<::std::string::String>"),
            (
                "&[&str]",
                "<[::std::string::String]as::std::borrow::ToOwned>::Owned",
            ),
            ("u64", "u64"),
        ] {
            let argument: Type = syn::parse_str(argument).expect("a type");
            assert_eq!(text(&owned(&argument)), key);
        }
    }

    #[test]
    fn only_borrows_of_the_caller_count() {
        for ty in [
            "u64",
            "Option<&'static str>",
            "fn(&str) -> &str",
            "Box<dyn Fn(&str)>",
            "Foo<'static>",
        ] {
            assert!(
                borrow(&syn::parse_str(ty).expect("a type")).is_none(),
                "{ty}"
            );
        }
        for (ty, place) in [
            ("Option<&str>", "&str"),
            ("Foo<'a>", "Foo<'a>"),
            ("(u8, Cow<'_, str>)", "Cow<'_,str>"),
        ] {
            let found = borrow(&syn::parse_str(ty).expect("a type"));
            assert_eq!(found.map(|found| text(&found)).as_deref(), Some(place));
        }
    }
}
