//! The key that users are encrypted by.

use larder::Keys;

/// Keys that were given or made, as a cache takes them. Nothing shows them.
#[derive(Debug)]
pub(crate) struct Secret(pub(crate) Keys);

/// Of all keys: they are tried one after the other, so that none has to be numbered.
const ID: u32 = 1;

impl Secret {
    /// Keys from hexadecimal digits, with commas between them: the first writes, all are read.
    ///
    /// # Errors
    /// One is none. Says nothing of the text.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let mut keys = None;
        for key in text.split(',') {
            let key =
                bytes(key.trim()).ok_or("not 64 hexadecimal digits, or several with commas")?;
            keys = Some(match keys {
                None => Keys::new(ID, key),
                Some(keys) => Keys::also(keys, ID, key),
            });
        }
        keys.map(Self).ok_or("empty")
    }

    /// A key that nobody else has, by the system's randomness.
    ///
    /// # Errors
    /// The system gives none.
    pub(crate) fn made() -> Result<Self, getrandom::Error> {
        let mut key = [0; 32];
        getrandom::fill(&mut key)?;
        Ok(Self(Keys::new(ID, key)))
    }
}

fn bytes(text: &str) -> Option<[u8; 32]> {
    let digits: Vec<u8> = text
        .chars()
        .map(|digit| digit.to_digit(16).map(|digit| digit as u8))
        .collect::<Option<_>>()?;
    if digits.len() != 64 {
        return None;
    }
    let pairs = digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]);
    pairs.collect::<Vec<_>>().try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_whole_or_refused_without_being_shown() {
        let key = "0123456789abcdefABCDEF0123456789".repeat(2);
        for text in [key.clone(), format!("{key}, {key}")] {
            let secret = Secret::parse(&text).expect("keys");
            assert!(!format!("{secret:?}").contains("0123"), "{secret:?}");
        }
        for text in [
            "",
            "abc",
            &key[1..],
            &format!("{key}0"),
            &format!("{key},"),
            "\u{661}",
        ] {
            let refused = Secret::parse(text).expect_err(text);
            assert!(!refused.contains("abc"), "{refused}");
        }
        assert_eq!(bytes(&key).map(|key| (key[0], key[31])), Some((0x01, 0x89)));
    }
}
