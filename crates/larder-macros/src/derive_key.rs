//! What `#[derive(Key)]` expands to.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Fields, Generics, Member, Type, parse_quote};

use crate::errors::Errors;

/// The type as a key and as the form that looks itself up; after a mistake nothing.
pub(crate) fn expand(input: &DeriveInput, errors: &mut Errors) -> Option<TokenStream> {
    if let Some(lifetime) = input.generics.lifetimes().next() {
        errors.at(lifetime, "a key owns what it holds, so it has no lifetimes");
    }
    let (write, read) = match &input.data {
        Data::Struct(data) => of_struct(&data.fields),
        Data::Enum(data) => of_enum(data),
        Data::Union(data) => {
            errors.at(
                data.union_token,
                "a union cannot be a key: which field is in use is not known",
            );
            return None;
        }
    };
    if !errors.is_empty() {
        return None;
    }
    let generics = bounded(&input.generics);
    let (params, args, bounds) = generics.split_for_impl();
    let name = &input.ident;
    Some(quote! {
        #[automatically_derived]
        impl #params ::larder::__private::Key for #name #args #bounds {
            fn write(&self, out: &mut ::larder::__private::KeyWriter) {
                #write
            }

            fn read(
                text: &mut ::larder::__private::KeyReader<'_>,
            ) -> ::core::result::Result<Self, ::larder::__private::KeyError> {
                #read
            }
        }

        #[automatically_derived]
        impl #params ::larder::__private::Lookup<Self> for #name #args #bounds {
            #[inline]
            fn same(&self, key: &Self) -> bool {
                self == key
            }

            fn to_key(&self) -> Self {
                ::core::clone::Clone::clone(self)
            }
        }
    })
}

fn bounded(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    for param in generics.type_params_mut() {
        param.bounds.push(parse_quote!(::larder::__private::Key));
    }
    generics
}

fn of_struct(fields: &Fields) -> (TokenStream, TokenStream) {
    let parts: Vec<_> = parts(fields).collect();
    if parts.is_empty() {
        return (quote!(out.empty();), quote!(text.empty().map(|()| Self {})));
    }
    let writes = parts
        .iter()
        .map(|(member, ty)| write(ty, &quote!(&self.#member)));
    let reads = parts.iter().enumerate().map(|(at, (member, ty))| {
        let (comma, read) = ((at > 0).then(|| quote!(text.comma()?;)), read(ty));
        quote!(#member: { #comma #read })
    });
    let writes = separated(writes);
    (
        writes,
        quote!(::core::result::Result::Ok(Self { #(#reads),* })),
    )
}

fn of_enum(data: &syn::DataEnum) -> (TokenStream, TokenStream) {
    let names = data
        .variants
        .iter()
        .map(|variant| variant.ident.unraw().to_string());
    let names: Vec<_> = names.collect();
    let writes = data.variants.iter().zip(&names).map(|(variant, name)| {
        let (ident, members) = (
            &variant.ident,
            parts(&variant.fields).map(|(member, _)| member),
        );
        let locals: Vec<_> = locals(&variant.fields).collect();
        let fields = parts(&variant.fields).zip(&locals);
        let writes = fields.map(|((_, ty), local)| write(ty, local));
        let pattern = quote!(Self::#ident { #(#members: ref #locals),* });
        quote!(#pattern => { out.text(#name); #(out.comma(); #writes)* })
    });
    let reads = data.variants.iter().zip(&names).map(|(variant, name)| {
        let (ident, fields) = (&variant.ident, parts(&variant.fields));
        let fields = fields.map(|(member, ty)| {
            let read = read(ty);
            quote!(#member: { text.comma()?; #read })
        });
        quote!(#name => ::core::result::Result::Ok(Self::#ident { #(#fields),* }),)
    });
    let missing = format!("one of the variants {}", names.join(", "));
    let write = quote!(match *self { #(#writes)* });
    let read = quote! {
        let missing = text.error(#missing);
        match &*text.text()? {
            #(#reads)*
            _ => ::core::result::Result::Err(missing),
        }
    };
    (write, read)
}

fn parts(fields: &Fields) -> impl Iterator<Item = (Member, &Type)> {
    fields.members().zip(fields.iter().map(|field| &field.ty))
}

/// One name a field, which no field's own name can hide.
fn locals(fields: &Fields) -> impl Iterator<Item = TokenStream> {
    (0..fields.len()).map(|at| quote::format_ident!("__field{at}").into_token_stream())
}

fn separated(writes: impl Iterator<Item = TokenStream>) -> TokenStream {
    writes
        .reduce(|before, next| quote!(#before out.comma(); #next))
        .unwrap_or_default()
}

/// A type that is no key is reported at the field.
fn write(ty: &Type, place: &impl ToTokens) -> TokenStream {
    quote_spanned!(ty.span()=> <#ty as ::larder::__private::Key>::write(#place, out);)
}

fn read(ty: &Type) -> TokenStream {
    quote!(<#ty as ::larder::__private::Key>::read(text)?)
}
