//! What a ticket of this store holds.

use larder_core::container::Token;
use larder_core::far::FarTicket;

/// The tokens under which a load began.
///
/// As bytes: the entry's token, that of `:clear` and that of `:any`, 16 bytes each; then for each
/// tag that was known its digest, 8 bytes, little-endian, and its token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ticket {
    pub(crate) entry: Token,
    pub(crate) clear: Token,
    pub(crate) any: Token,
    pub(crate) tags: Vec<(u64, Token)>,
}

const TOKEN: usize = 16;
const TAG: usize = 8 + TOKEN;

impl Ticket {
    pub(crate) fn encode(&self) -> FarTicket {
        let mut bytes = Vec::with_capacity(3 * TOKEN + self.tags.len() * TAG);
        for token in [self.entry, self.clear, self.any] {
            bytes.extend_from_slice(&token.bytes());
        }
        for (tag, token) in &self.tags {
            bytes.extend_from_slice(&tag.to_le_bytes());
            bytes.extend_from_slice(&token.bytes());
        }
        FarTicket::new(bytes.into())
    }

    /// `None` if another store made it.
    pub(crate) fn decode(ticket: &FarTicket) -> Option<Self> {
        let (tokens, tags) = ticket.bytes().split_at_checked(3 * TOKEN)?;
        let mut tokens = tokens.chunks_exact(TOKEN).filter_map(token);
        let chunks = tags.chunks_exact(TAG);
        if !chunks.remainder().is_empty() {
            return None;
        }
        let tag = |bytes: &[u8]| {
            let (digest, rest) = bytes.split_first_chunk()?;
            Some((u64::from_le_bytes(*digest), token(rest)?))
        };
        Some(Self {
            entry: tokens.next()?,
            clear: tokens.next()?,
            any: tokens.next()?,
            tags: chunks.filter_map(tag).collect(),
        })
    }

    /// The token of a tag, if the tag was known when the load began.
    pub(crate) fn tag(&self, tag: u64) -> Option<Token> {
        let known = self.tags.iter().find(|(known, _)| *known == tag);
        known.map(|(_, token)| *token)
    }
}

fn token(bytes: &[u8]) -> Option<Token> {
    bytes.try_into().ok().map(Token::new)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn ticket(tags: &[u64]) -> Ticket {
        let token = |byte| Token::new([byte; TOKEN]);
        Ticket {
            entry: token(1),
            clear: token(2),
            any: token(3),
            tags: tags.iter().map(|tag| (*tag, token(*tag as u8))).collect(),
        }
    }

    #[test]
    fn a_ticket_comes_back() {
        for tags in [&[][..], &[7], &[7, 8, u64::MAX]] {
            let far = ticket(tags).encode();
            assert_eq!(far.bytes().len(), 48 + 24 * tags.len());
            assert_eq!(Ticket::decode(&far), Some(ticket(tags)));
        }
    }

    #[test]
    fn what_another_store_made_is_none() {
        let bytes = ticket(&[7]).encode().bytes().clone();
        for length in (0..bytes.len()).filter(|length| *length != 48) {
            assert_eq!(Ticket::decode(&FarTicket::new(bytes.slice(..length))), None);
        }
        let longer = Bytes::from([&bytes[..], b"1"].concat());
        assert_eq!(Ticket::decode(&FarTicket::new(longer)), None);
    }
}
