//! What a ticket of a plain store holds.

use larder_core::container::Token;
use larder_core::far::FarTicket;

use super::name;

/// The tokens under which a load began.
///
/// As bytes: the entry's token; then for each barrier its name, 8 bytes in little-endian order, and
/// its token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tokens {
    pub(super) entry: Token,
    pub(super) barriers: Vec<(u64, Token)>,
}

impl Tokens {
    pub(super) fn barrier(&self, name: u64) -> Option<Token> {
        let known = self.barriers.iter().find(|(known, _)| *known == name);
        known.map(|(_, token)| *token)
    }

    /// What must be in place still, whatever is stored.
    pub(super) fn demanded(&self) -> impl Iterator<Item = (u64, Token)> {
        let barriers = self.barriers.iter().copied();
        barriers.filter(|(name, _)| *name != name::any())
    }

    pub(super) fn encode(&self) -> FarTicket {
        let mut bytes = self.entry.bytes().to_vec();
        for (name, token) in &self.barriers {
            bytes.extend_from_slice(&name.to_le_bytes());
            bytes.extend_from_slice(&token.bytes());
        }
        FarTicket::new(bytes.into())
    }

    /// `None` if another store made it.
    pub(super) fn decode(ticket: &FarTicket) -> Option<Self> {
        let mut rest = ticket.bytes().as_ref();
        let entry = Token::new(take(&mut rest)?);
        let mut barriers = Vec::new();
        while !rest.is_empty() {
            let name = u64::from_le_bytes(take(&mut rest)?);
            barriers.push((name, Token::new(take(&mut rest)?)));
        }
        Some(Self { entry, barriers })
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (head, tail) = rest.split_first_chunk()?;
    *rest = tail;
    Some(*head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_comes_back_and_a_part_of_one_is_none() {
        let barriers = vec![(1, Token::new([1; 16])), (u64::MAX, Token::new([2; 16]))];
        let tokens = Tokens {
            entry: Token::new([0; 16]),
            barriers,
        };
        let ticket = tokens.encode();
        assert_eq!(Tokens::decode(&ticket), Some(tokens));
        for length in (0..ticket.bytes().len()).filter(|length| ![16, 40].contains(length)) {
            let part = FarTicket::new(ticket.bytes().slice(..length));
            assert_eq!(Tokens::decode(&part), None);
        }
    }
}
