//! The adapter's scripts, as functions: written from what their list says, not from their text.

mod barriers;
mod entry;
mod number;
mod parts;

use bytes::Bytes;

use super::command::{Answer, number as decimal};
use super::refusal::{ARGUMENTS, Refusal, UNKNOWN};
use super::turn::Turn;

impl Turn<'_> {
    /// Runs the script of this name. What it wrote before a refusal stays, as on a server.
    pub(super) fn script(&mut self, name: &str, keys: &[Bytes], args: &[Bytes]) -> Answer {
        self.one_slot(keys)?;
        match name {
            "store" => entry::store(self, keys, args),
            "put" => entry::put(self, keys, args),
            "expire" => entry::expire(self, keys, args),
            "release" => entry::release(self, keys, args),
            "open" => entry::open(self, keys, args),
            "look" => entry::look(self, keys),
            "vouch" => barriers::vouch_script(self, keys, args),
            "remove" => number::remove(self, keys, args),
            "number" => number::number(self, keys, args),
            _ => Err(UNKNOWN),
        }
    }

    fn value(&self, name: &[u8]) -> Value {
        match self.text(name) {
            Ok(None) => Value::Missing,
            Ok(Some(text)) => Value::Text(text),
            Err(_) => Value::Foreign,
        }
    }

    fn remove(&mut self, name: &Bytes) -> Result<(), Refusal> {
        let names = std::slice::from_ref(name);
        self.command("UNLINK", names).map(drop)
    }

    fn put(&mut self, name: &Bytes, text: Bytes, life: u64) -> Result<(), Refusal> {
        let life = life.to_string().into();
        let words = [name.clone(), text, Bytes::from_static(b"PX"), life];
        self.command("SET", &words).map(drop)
    }

    fn prolong(&mut self, name: &Bytes, life: u64) -> Result<(), Refusal> {
        let words = [name.clone(), life.to_string().into()];
        self.command("PEXPIRE", &words).map(drop)
    }

    fn tell(&mut self, channel: &Bytes, text: Bytes) -> Result<(), Refusal> {
        let words = [channel.clone(), text];
        self.command("PUBLISH", &words).map(drop)
    }
}

/// What lies under a key, as a script sees it.
enum Value {
    Missing,
    Text(Bytes),
    /// Another type.
    Foreign,
}

impl Value {
    const fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }

    fn text(self) -> Option<Bytes> {
        match self {
            Self::Text(text) => Some(text),
            Self::Missing | Self::Foreign => None,
        }
    }
}

fn argument(args: &[Bytes], at: usize) -> Result<&Bytes, Refusal> {
    args.get(at).ok_or(ARGUMENTS)
}

fn millis(args: &[Bytes], at: usize) -> Result<u64, Refusal> {
    let number = decimal(argument(args, at)?)?;
    u64::try_from(number).map_err(|_| ARGUMENTS)
}
