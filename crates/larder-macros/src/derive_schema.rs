//! What `#[derive(Schema)]` expands to.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Field, Fields, Generics, LitStr, parse_quote};

use crate::errors::Errors;

/// The type as one that says its shape; after a mistake nothing.
pub(crate) fn expand(input: &DeriveInput, errors: &mut Errors) -> Option<TokenStream> {
    if let Some(lifetime) = input.generics.lifetimes().next() {
        errors.at(
            lifetime,
            "a cached value owns what it holds, so it has no lifetimes",
        );
    }
    let (kind, parts) = match &input.data {
        Data::Struct(data) => ("struct", fields(&data.fields, errors)),
        Data::Enum(data) => {
            let variants = data.variants.iter().map(|variant| {
                let name = name(&variant.ident.unraw().to_string(), &variant.attrs);
                let kind = style(&variant.fields);
                let fields = fields(&variant.fields, errors);
                quote!(#name out.word(#kind); #fields)
            });
            ("enum", variants.collect())
        }
        Data::Union(data) => {
            errors.at(
                data.union_token,
                "a union has no shape that could be written",
            );
            return None;
        }
    };
    if !errors.is_empty() {
        return None;
    }
    let own = said(&input.attrs);
    let generics = bounded(&input.generics);
    let (params, args, bounds) = generics.split_for_impl();
    let ident = &input.ident;
    Some(quote! {
        #[automatically_derived]
        impl #params ::larder::__private::Shaped for #ident #args #bounds {
            fn shape(out: &mut ::larder::__private::ShapeText) {
                out.made::<Self>(#kind, |out| {
                    out.name("", #own);
                    #parts
                });
            }
        }
    })
}

fn bounded(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    for param in generics.type_params_mut() {
        param.bounds.push(parse_quote!(::larder::__private::Shaped));
    }
    generics
}

/// Tells apart what serde writes differently: `V`, `V()`, `V {}`.
fn style(fields: &Fields) -> &'static str {
    match fields {
        Fields::Unit => "unit",
        Fields::Unnamed(_) => "tuple",
        Fields::Named(_) => "fields",
    }
}

fn fields(fields: &Fields, errors: &mut Errors) -> TokenStream {
    let parts = fields.iter().zip(fields.members()).map(|(field, member)| {
        let text = member.to_token_stream().to_string();
        let name = name(text.trim_start_matches("r#"), &field.attrs);
        let shape = shape(field, errors);
        quote!(#name #shape)
    });
    parts.collect()
}

fn name(name: &str, attributes: &[Attribute]) -> TokenStream {
    let attributes = said(attributes);
    quote!(out.name(#name, #attributes);)
}

/// What serde and prost are told, word for word.
fn said(attributes: &[Attribute]) -> String {
    let forms = ["serde", "prost"];
    let said = attributes
        .iter()
        .filter(|one| forms.iter().any(|form| one.path().is_ident(form)));
    let words: Vec<_> = said
        .map(|one| one.meta.to_token_stream().to_string())
        .collect();
    words.join(" ")
}

/// The shape that is given at the field, or else that of its type; a type without one is reported
/// at the field.
fn shape(field: &Field, errors: &mut Errors) -> TokenStream {
    let given = field.attrs.iter().find(|one| one.path().is_ident("schema"));
    let Some(given) = given else {
        let ty = &field.ty;
        return quote_spanned!(ty.span()=> <#ty as ::larder::__private::Shaped>::shape(out););
    };
    match given.parse_args::<LitStr>() {
        Ok(text) => quote!(out.given(#text);),
        Err(_) => {
            errors.at(given, "write the shape as a text: `#[schema(\"…\")]`");
            TokenStream::new()
        }
    }
}
