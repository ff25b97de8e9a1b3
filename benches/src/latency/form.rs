//! How users lie in the server.

use std::time::Instant;

use larder::{Codec, DecodeError, EncodeError};
use larder_domain::User;
use serde::{Deserialize, Serialize};

use crate::seeds::clock::now;

/// The form of the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Protobuf,
    Postcard,
}

impl Form {
    pub(super) const ALL: [Self; 2] = [Self::Protobuf, Self::Postcard];

    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Protobuf => "protobuf",
            Self::Postcard => "postcard",
        }
    }
}

/// A user's message.
pub(super) fn message(no: u64) -> User {
    let user = User::new(id(no), code(no), email(no), NAME);
    user.with_passwords(PASSWORD, PASSWORD)
}

/// The same fields, for serde.
#[derive(Serialize, Deserialize)]
pub(super) struct Person {
    user_id: String,
    user_code: String,
    email: String,
    password: String,
    user_name: String,
    app_password: String,
}

pub(super) fn person(no: u64) -> Person {
    Person {
        user_id: id(no),
        user_code: code(no),
        email: email(no),
        password: PASSWORD.to_owned(),
        user_name: NAME.to_owned(),
        app_password: PASSWORD.to_owned(),
    }
}

pub(super) fn id(no: u64) -> String {
    format!("user-{no:04}")
}

fn code(no: u64) -> String {
    format!("U-{no:08}")
}

fn email(no: u64) -> String {
    format!("user-{no:04}@example.org")
}

const NAME: &str = "Ada Lovelace";
const PASSWORD: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$iWh06vD8Fy27wf9npn6FXWiCX4K6pW6Ue1Bnzz07Z8A";

/// A value, and when its bytes were there.
pub(super) struct Arrived<V> {
    pub(super) value: V,
    pub(super) at: Instant,
}

/// Another codec, which notes when it begins to read.
pub(super) struct Noting<C>(pub(super) C);

impl<V, C: Codec<V>> Codec<Arrived<V>> for Noting<C> {
    fn id(&self) -> u8 {
        200
    }

    fn encode(&self, value: &Arrived<V>, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.0.encode(&value.value, out)
    }

    fn decode(&self, bytes: &[u8]) -> Result<Arrived<V>, DecodeError> {
        let at = now();
        let value = self.0.decode(bytes)?;
        Ok(Arrived { value, at })
    }
}
