//! What a ticket of this store holds.

use larder_core::far::FarTicket;

use super::name::Barrier;
use super::token::Token;

/// The tokens under which a load began.
///
/// As bytes: the entry's token, that of `:clear` and that of `:any`, 16 bytes each; then for each
/// tag that was known its digest, 8 bytes in big-endian order, and its token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tokens {
    pub(super) entry: Token,
    pub(super) barriers: Barriers,
}

/// The tokens that all keys of one read share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Barriers {
    pub(super) clear: Token,
    pub(super) any: Token,
    pub(super) tags: Vec<(u64, Token)>,
}

impl Tokens {
    pub(super) fn encode(&self) -> FarTicket {
        let Barriers { clear, any, tags } = &self.barriers;
        let mut bytes = Vec::with_capacity(3 * Token::SIZE + tags.len() * TAG_SIZE);
        for token in [self.entry, *clear, *any] {
            bytes.extend_from_slice(&token.to_bytes());
        }
        for (tag, token) in tags {
            bytes.extend_from_slice(&tag.to_be_bytes());
            bytes.extend_from_slice(&token.to_bytes());
        }
        FarTicket::new(bytes.into())
    }

    /// `None` if another store made it.
    pub(super) fn decode(ticket: &FarTicket) -> Option<Self> {
        let mut rest = ticket.bytes().as_ref();
        let entry = token(&mut rest)?;
        let clear = token(&mut rest)?;
        let any = token(&mut rest)?;
        let mut tags = Vec::with_capacity(rest.len() / TAG_SIZE);
        while !rest.is_empty() {
            let tag = u64::from_be_bytes(take(&mut rest)?);
            tags.push((tag, token(&mut rest)?));
        }
        let barriers = Barriers { clear, any, tags };
        Some(Self { entry, barriers })
    }
}

impl Barriers {
    /// The token of a tag, if the tag was known when the load began.
    pub(super) fn tag(&self, tag: u64) -> Option<Token> {
        let known = self.tags.iter().find(|(known, _)| *known == tag);
        known.map(|(_, token)| *token)
    }

    /// What must be in place still, whatever is stored.
    pub(super) fn demanded(&self) -> impl Iterator<Item = (Barrier, Token)> {
        let tags = self.tags.iter();
        let tags = tags.map(|(tag, token)| (Barrier::Tag(*tag), *token));
        std::iter::once((Barrier::Clear, self.clear)).chain(tags)
    }
}

const TAG_SIZE: usize = size_of::<u64>() + Token::SIZE;

fn token(rest: &mut &[u8]) -> Option<Token> {
    take(rest).map(Token::from_bytes)
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (head, tail) = rest.split_first_chunk()?;
    *rest = tail;
    Some(*head)
}

#[cfg(test)]
mod tests {
    use larder_core::digest;

    use super::*;

    fn tokens(tags: &[&str]) -> Tokens {
        let mut random = fastrand::Rng::with_seed(1);
        let mut token = || Token::new(&mut random);
        let barriers = Barriers {
            clear: token(),
            any: token(),
            tags: tags
                .iter()
                .map(|tag| (digest(tag.as_bytes()), token()))
                .collect(),
        };
        Tokens {
            entry: token(),
            barriers,
        }
    }

    #[test]
    fn a_ticket_comes_back() {
        for tags in [&[][..], &["a"], &["a", "b", ""]] {
            let tokens = tokens(tags);
            let ticket = tokens.encode();
            assert_eq!(ticket.bytes().len(), 48 + 24 * tags.len());
            assert_eq!(Tokens::decode(&ticket), Some(tokens));
        }
    }

    #[test]
    fn what_another_store_made_is_none() {
        let bytes = tokens(&["a"]).encode().bytes().clone();
        for length in (0..bytes.len()).filter(|length| *length != 48) {
            assert_eq!(Tokens::decode(&FarTicket::new(bytes.slice(..length))), None);
        }
    }
}
