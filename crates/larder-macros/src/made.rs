//! The cache that an attribute without one makes.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Type};

use crate::attr::Attr;
use crate::errors::Errors;
use crate::function::Function;
use crate::hygiene::mixed;
use crate::key::Key;
use crate::option::Given;
use crate::time::Time;
use crate::types;

/// A static cache beside the function.
pub(crate) struct Made<'a> {
    attr: &'a Attr,
    function: &'a Function,
    key: Type,
    value: Type,
}

impl<'a> Made<'a> {
    /// Finds the types of key and value in the signature; `None` after a mistake.
    pub(crate) fn of(
        attr: &'a Attr,
        function: &'a Function,
        key: &Key<'_>,
        errors: &mut Errors,
    ) -> Option<Self> {
        if function.is_generic() {
            let text = "a generic function needs a named cache: `#[cacheable(CACHE, …)]`";
            errors.at(&function.item.sig.ident, text);
        }
        let Some(ty) = key.ty(function) else {
            let text = "the type of this key cannot be seen here: make it of whole arguments, \
                        or name a cache: `#[cacheable(CACHE, key = …)]`";
            errors.at(&attr.key.as_ref()?.value, text);
            return None;
        };
        let value = function.kept();
        for ty in [&ty, &value].into_iter().filter(|ty| types::has_self(ty)) {
            let text = "a static cache cannot hold `Self`: write the type's name, or name a cache";
            errors.at(ty, text);
        }
        Some(Self {
            attr,
            function,
            key: ty,
            value,
        })
    }

    /// How the cache is reached: `deal::cache()`, in an impl `Self::deal_cache()`.
    pub(crate) fn call(&self) -> TokenStream {
        let (name, getter) = (&self.function.item.sig.ident, self.getter());
        if self.is_method() {
            quote!(Self::#getter())
        } else {
            quote!(#name::#getter())
        }
    }

    fn is_method(&self) -> bool {
        self.function.receiver().is_some()
    }

    fn getter(&self) -> Ident {
        let name = &self.function.item.sig.ident;
        if self.is_method() {
            format_ident!("{name}_cache")
        } else {
            Ident::new("cache", name.span())
        }
    }

    fn cfgs(&self) -> impl Iterator<Item = &Attribute> {
        let attrs = self.function.item.attrs.iter();
        attrs.filter(|attr| attr.path().is_ident("cfg"))
    }

    /// The function that gives the cache; the first call makes it.
    fn method(&self) -> TokenStream {
        let Self {
            attr,
            function,
            key,
            value,
        } = self;
        let (vis, name, getter) = (&function.item.vis, &function.item.sig.ident, self.getter());
        let cache = quote!(::larder::__private::Cache<#key, #value>);
        let place = if self.is_method() {
            quote!(::core::any::type_name::<Self>())
        } else {
            quote!(::core::module_path!())
        };
        let full_name = match &attr.name {
            Some(name) => name.value.to_token_stream(),
            None => quote!(::std::format!("{}::{}", #place, ::core::stringify!(#name))),
        };
        let (settings, stale) = (settings(attr), attr.stale.is_some());
        let no_result = quote_spanned! {value.span()=>
            ::core::assert!(
                !::larder::__private::Probe::<#value>::RESULT,
                "the cache would keep errors: write `Result` by its name, or name a cache",
            )
        };
        let doc = format!("The cache of `{name}`.");
        quote_spanned! {Span::mixed_site()=>
            #[doc = #doc]
            #[allow(dead_code)]
            #vis fn #getter() -> &'static #cache {
                const _: () = {
                    use ::larder::__private::NoResult as _;
                    #no_result
                };
                static CACHE: ::std::sync::OnceLock<#cache> = ::std::sync::OnceLock::new();
                CACHE.get_or_init(|| {
                    ::larder::__private::made::<#key, #value>(
                        #full_name,
                        #stale,
                        |cache| cache #settings,
                    )
                })
            }
        }
    }
}

/// What is said to the builder of the cache.
fn settings(attr: &Attr) -> TokenStream {
    let capacity = attr.capacity.as_ref().map(|Given { name, value }| {
        let entries = mixed!({
            let entries: ::core::primitive::usize = #value;
            entries
        });
        quote_spanned!(name.span()=> .capacity(#entries))
    });
    let codec = attr.codec.as_ref().map(|Given { name, value }| {
        // A far tier wants an end; that of the function is a text, and so the same for every call.
        let ttl = attr.ttl.as_ref().and_then(|ttl| Time::before(&ttl.value));
        let ttl = ttl.map(|ttl| quote!(.ttl(#ttl)));
        quote_spanned!(name.span()=> #ttl .codec(#value))
    });
    let schema = attr.schema.as_ref().map(|Given { name, value }| {
        let number = mixed!({
            let number: ::core::primitive::u64 = #value;
            number
        });
        quote_spanned!(name.span()=> .schema(#number))
    });
    quote!(#capacity #codec #schema)
}

impl ToTokens for Made<'_> {
    /// The items that stand beside the function.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let (vis, name) = (&self.function.item.vis, &self.function.item.sig.ident);
        let (cfgs, method) = (self.cfgs(), self.method());
        if self.is_method() {
            return tokens.extend(quote!(#(#cfgs)* #method));
        }
        let doc = format!("Where the cache of [`{name}()`] is found.");
        let more_cfgs = self.cfgs();
        tokens.extend(quote! {
            #(#cfgs)*
            #[doc = #doc]
            #[allow(dead_code, non_camel_case_types)]
            #[allow(missing_debug_implementations, clippy::exhaustive_enums)]
            #vis enum #name {}
            #(#more_cfgs)*
            impl #name { #method }
        });
    }
}
