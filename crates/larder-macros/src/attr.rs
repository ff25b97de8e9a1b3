//! What stands in the brackets of an attribute.

use proc_macro2::{Ident, TokenStream};
use syn::parse::{ParseStream, Parser};
use syn::{Expr, ExprClosure, LitStr, Result, Token};

use crate::errors::Errors;
use crate::function::Function;
use crate::guess::did_you_mean;
use crate::kind::Kind;
use crate::option::{Given, Life, Skip, ungrouped};
use crate::part::{Part, Refresh};
use crate::tags::Tags;
use crate::time::Time;

/// The options of one attribute, as far as they could be read.
#[derive(Default)]
pub(crate) struct Attr {
    pub(crate) cache: Option<Expr>,
    pub(crate) key: Option<Given<Expr>>,
    pub(crate) skip: Option<Given<Skip>>,
    pub(crate) ttl: Option<Given<Time>>,
    pub(crate) absent_ttl: Option<Given<Time>>,
    pub(crate) stale: Option<Given<Time>>,
    pub(crate) max_age: Option<Given<Time>>,
    pub(crate) idle: Option<Given<Time>>,
    pub(crate) jitter: Option<Given<Part>>,
    pub(crate) refresh: Option<Given<Refresh>>,
    pub(crate) deadline: Option<Given<Time>>,
    pub(crate) soft: Option<Given<Time>>,
    pub(crate) error_ttl: Option<Given<Time>>,
    pub(crate) tags: Option<Given<Tags>>,
    pub(crate) condition: Option<Given<Expr>>,
    pub(crate) unless: Option<Given<ExprClosure>>,
    pub(crate) load: Option<Given<Life>>,
    pub(crate) map_error: Option<Given<Expr>>,
    pub(crate) name: Option<Given<LitStr>>,
    pub(crate) capacity: Option<Given<Expr>>,
    pub(crate) codec: Option<Given<Expr>>,
    pub(crate) schema: Option<Given<Expr>>,
    pub(crate) all: Option<Ident>,
    pub(crate) before: Option<Ident>,
    pub(crate) expire: Option<Ident>,
}

impl Attr {
    /// Reads all options; after a mistake it goes on at the next comma.
    pub(crate) fn parse(tokens: TokenStream, kind: Kind, errors: &mut Errors) -> Self {
        let mut attr = Self::default();
        let read = |input: ParseStream<'_>| {
            let mut first = true;
            while !input.is_empty() {
                let item = attr.item(input, kind, first).and_then(|()| end(input));
                if errors.catch(item).is_none() {
                    skip_to_comma(input)?;
                }
                first = false;
                if !input.is_empty() {
                    input.parse::<Token![,]>()?;
                }
            }
            Ok(())
        };
        let done = read.parse2(tokens);
        errors.catch(done);
        attr
    }

    /// In whose task the load runs; of a function that blocks always in the caller's.
    pub(crate) fn life(&self, function: &Function) -> Life {
        let said = self.load.as_ref().map(|load| load.value);
        match function.blocks() {
            true => Life::HandOver,
            false => said.unwrap_or_default(),
        }
    }

    /// The times, but for that of errors.
    pub(crate) fn times(&self) -> impl Iterator<Item = &Given<Time>> {
        let results = [
            &self.ttl,
            &self.absent_ttl,
            &self.stale,
            &self.max_age,
            &self.idle,
        ];
        let loads = [&self.deadline, &self.soft];
        results.into_iter().chain(loads).flatten()
    }

    /// The closures over the loaded value, with their options, `key` aside.
    pub(crate) fn closures(&self) -> impl Iterator<Item = (&Ident, &ExprClosure)> {
        let times = self.times();
        let times = times.filter_map(|time| Some((&time.name, time.value.closure()?)));
        let tags = self.tags.as_ref();
        let tags = tags.and_then(|tags| Some((&tags.name, tags.value.closure()?)));
        let unless = self.unless.as_ref();
        let unless = unless.map(|unless| (&unless.name, &unless.value));
        times.chain(tags).chain(unless)
    }

    fn item(&mut self, input: ParseStream<'_>, kind: Kind, first: bool) -> Result<()> {
        match option_name(input, kind)? {
            Some(name) if kind.takes(&name) => self.option(name, input),
            Some(name) => Err(unknown(&name, kind)),
            None => self.positional(input, kind, first),
        }
    }

    fn positional(&mut self, input: ParseStream<'_>, kind: Kind, first: bool) -> Result<()> {
        let expr: Expr = input.parse()?;
        match (&expr, first) {
            (_, true) => self.cache = Some(expr),
            (Expr::Path(path), _) if path.path.get_ident().is_some() => {
                let name = path.path.require_ident()?;
                return Err(unknown(name, kind));
            }
            _ => {
                let text = "only the cache stands without a name, and it comes first; \
                            is this `key = …`?";
                return Err(syn::Error::new_spanned(expr, text));
            }
        }
        Ok(())
    }

    fn option(&mut self, name: Ident, input: ParseStream<'_>) -> Result<()> {
        let text = name.to_string();
        match text.as_str() {
            "all" => return flag(&mut self.all, name, input),
            "before" => return flag(&mut self.before, name, input),
            "expire" => return flag(&mut self.expire, name, input),
            "skip" => return Given::put(&mut self.skip, name, Skip::parse(input)?),
            _ => input.parse::<Token![=]>()?,
        };
        match text.as_str() {
            "key" => Given::put(&mut self.key, name, ungrouped(input.parse()?)),
            "ttl" => Given::put(&mut self.ttl, name, Time::parse(input)?),
            "absent_ttl" => Given::put(&mut self.absent_ttl, name, Time::parse(input)?),
            "stale" => Given::put(&mut self.stale, name, Time::parse(input)?),
            "max_age" => Given::put(&mut self.max_age, name, Time::parse(input)?),
            "idle" => Given::put(&mut self.idle, name, Time::parse(input)?),
            "jitter" => Given::put(&mut self.jitter, name, Part::parse(input)?),
            "refresh" => Given::put(&mut self.refresh, name, Refresh::parse(input)?),
            "deadline" => Given::put(&mut self.deadline, name, Time::parse(input)?),
            "soft" => Given::put(&mut self.soft, name, Time::parse(input)?),
            "error_ttl" => Given::put(&mut self.error_ttl, name, Time::parse(input)?),
            "tags" => Given::put(&mut self.tags, name, Tags::parse(input)?),
            "condition" => Given::put(&mut self.condition, name, ungrouped(input.parse()?)),
            "unless" => Given::put(&mut self.unless, name, over_value(input)?),
            "load" => Given::put(&mut self.load, name, Life::parse(input)?),
            "map_error" => Given::put(&mut self.map_error, name, input.parse()?),
            "name" => Given::put(&mut self.name, name, input.parse()?),
            "capacity" => Given::put(&mut self.capacity, name, input.parse()?),
            "codec" => Given::put(&mut self.codec, name, input.parse()?),
            "schema" => Given::put(&mut self.schema, name, input.parse()?),
            other => unreachable!("`{other}` is listed as a name and not read"),
        }
    }
}

fn over_value(input: ParseStream<'_>) -> Result<ExprClosure> {
    match ungrouped(input.parse()?) {
        Expr::Closure(closure) => Ok(closure),
        other => {
            let text = "this is decided by the loaded value: write a closure, `|value| …`";
            Err(syn::Error::new_spanned(other, text))
        }
    }
}

/// Takes the name in front of `=`, `skip` in front of its list, or one of evict's words.
fn option_name(input: ParseStream<'_>, kind: Kind) -> Result<Option<Ident>> {
    let ahead = input.fork();
    let Ok(name) = ahead.parse::<Ident>() else {
        return Ok(None);
    };
    let assigned = ahead.peek(Token![=]) && !ahead.peek(Token![==]);
    let list = name == "skip" && ahead.peek(syn::token::Paren);
    let alone = ahead.is_empty() || ahead.peek(Token![,]);
    let words = ["all", "before", "expire"];
    let word = kind == Kind::Evict && alone && words.iter().any(|word| name == word);
    if assigned || list || word {
        input.parse().map(Some)
    } else {
        Ok(None)
    }
}

fn flag(slot: &mut Option<Ident>, name: Ident, input: ParseStream<'_>) -> Result<()> {
    if input.peek(Token![=]) {
        return Err(syn::Error::new_spanned(
            &name,
            format!("`{name}` takes no value"),
        ));
    }
    if slot.is_some() {
        return Err(twice(&name));
    }
    *slot = Some(name);
    Ok(())
}

fn unknown(name: &Ident, kind: Kind) -> syn::Error {
    if kind.takes(name) {
        let value = if name == "skip" {
            "`skip(…)`".into()
        } else {
            format!("`{name} = …`")
        };
        return syn::Error::new_spanned(name, format!("`{name}` needs a value: {value}"));
    }
    let guess = did_you_mean(&name.to_string(), kind.options());
    syn::Error::new_spanned(name, format!("unknown argument `{name}`{guess}"))
}

pub(crate) fn twice(name: &Ident) -> syn::Error {
    syn::Error::new_spanned(name, format!("`{name}` is given twice"))
}

/// Nothing may follow an option but a comma.
fn end(input: ParseStream<'_>) -> Result<()> {
    if input.is_empty() || input.peek(Token![,]) {
        Ok(())
    } else {
        Err(input.error("expected `,`"))
    }
}

fn skip_to_comma(input: ParseStream<'_>) -> Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<proc_macro2::TokenTree>()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    fn texts(tokens: TokenStream, kind: Kind) -> Vec<String> {
        let mut errors = Errors::default();
        Attr::parse(tokens, kind, &mut errors);
        errors.texts()
    }

    #[test]
    fn all_mistakes_are_found_in_one_pass() {
        let given = quote!(
            DEALS,
            tll = "5m",
            ttl = "300",
            key = no,
            key = no,
            7 + 1,
            quux
        );
        assert_eq!(
            texts(given, Kind::Cacheable),
            [
                "unknown argument `tll`; did you mean `ttl`?",
                "`300` has no unit: ms, s, m, h or d",
                "`key` is given twice",
                "only the cache stands without a name, and it comes first; is this `key = …`?",
                "unknown argument `quux`; known: `key`, `skip`, `ttl`, `absent_ttl`, `stale`, \
                 `max_age`, `idle`, `jitter`, `refresh`, `deadline`, `soft`, `error_ttl`, `tags`, \
                 `condition`, `unless`, `load`, `map_error`, `name`, `capacity`, `codec`, `schema`",
            ]
        );
    }

    #[test]
    fn the_words_of_evict_are_no_cache() {
        let mut errors = Errors::default();
        let attr = Attr::parse(quote!(all, before), Kind::Evict, &mut errors);
        assert!(errors.is_empty() && attr.cache.is_none());
        assert!(attr.all.is_some() && attr.before.is_some());
        assert_eq!(
            texts(quote!(C, all = true), Kind::Evict),
            ["`all` takes no value"]
        );
    }

    #[test]
    fn any_expression_is_a_cache() {
        for cache in [
            quote!(DEALS),
            quote!(self.deals),
            quote!(deal::cache()),
            quote!(a == b),
        ] {
            let mut errors = Errors::default();
            let attr = Attr::parse(quote!(#cache, skip(a, self)), Kind::Cacheable, &mut errors);
            assert!(errors.is_empty() && attr.cache.is_some() && attr.skip.is_some());
        }
    }
}
