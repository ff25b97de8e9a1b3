//! Requests as the server reads them.

use ::redis::Script as Hashed;

use crate::scripts::{ALL, Script};
use crate::wire::{Call, Request};

/// The digests that scripts are called by.
pub(super) struct Scripts(Vec<(&'static Script, String)>);

impl Scripts {
    pub(super) fn new() -> Self {
        let digest = |script: &Script| Hashed::new(script.source()).get_hash().to_owned();
        Self(
            ALL.into_iter()
                .map(|script| (script, digest(script)))
                .collect(),
        )
    }

    /// Appends what makes all scripts known to a server, and says how many requests that is.
    pub(super) fn write_loads(&self, out: &mut Vec<u8>) -> usize {
        for (script, _) in &self.0 {
            write_words(out, [&b"SCRIPT"[..], b"LOAD", script.source().as_bytes()]);
        }
        self.0.len()
    }

    /// Appends a request. `whole`: a script is not called by its digest, which the server may not
    /// know, but sent.
    pub(super) fn write(&self, request: &Request, whole: bool, out: &mut Vec<u8>) {
        match request.call() {
            Call::Command { name, args } => {
                begin(out, 1 + args.len());
                word(out, name.as_bytes());
                args.iter().for_each(|arg| word(out, arg));
            }
            Call::Script { script, keys, args } => {
                begin(out, 3 + keys.len() + args.len());
                match self.digest(script).filter(|_| !whole) {
                    Some(digest) => {
                        word(out, b"EVALSHA");
                        word(out, digest.as_bytes());
                    }
                    None => {
                        word(out, b"EVAL");
                        word(out, script.source().as_bytes());
                    }
                }
                word(out, keys.len().to_string().as_bytes());
                keys.iter().chain(args).for_each(|arg| word(out, arg));
            }
        }
    }

    fn digest(&self, script: &Script) -> Option<&str> {
        let known = self
            .0
            .iter()
            .find(|(known, _)| std::ptr::eq(*known, script));
        known.map(|(_, digest)| &digest[..])
    }
}

/// Appends a request of so many words.
pub(super) fn write_words<const N: usize>(out: &mut Vec<u8>, words: [&[u8]; N]) {
    begin(out, N);
    words.into_iter().for_each(|one| word(out, one));
}

/// Appends what stands before the words of a request.
pub(super) fn begin(out: &mut Vec<u8>, words: usize) {
    count(out, b'*', words);
}

/// Appends one of them.
pub(super) fn word(out: &mut Vec<u8>, word: &[u8]) {
    count(out, b'$', word.len());
    out.extend_from_slice(word);
    out.extend_from_slice(b"\r\n");
}

fn count(out: &mut Vec<u8>, kind: u8, count: usize) {
    out.push(kind);
    out.extend_from_slice(itoa::Buffer::new().format(count).as_bytes());
    out.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scripts::LOOK;
    use bytes::Bytes;

    fn written(request: &Request, whole: bool) -> String {
        let mut out = Vec::new();
        Scripts::new().write(request, whole, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_command_is_an_array_of_its_name_and_arguments() {
        let set = Request::command("SET", vec![Bytes::from_static(b"k"), Bytes::new()]);
        assert_eq!(
            written(&set, false),
            "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$0\r\n\r\n"
        );
    }

    #[test]
    fn a_script_goes_by_its_digest_or_whole() {
        let look = Request::script(&LOOK, vec!["k".into()], vec!["a".into()]);
        let by_digest = written(&look, false);
        assert!(
            by_digest.starts_with("*5\r\n$7\r\nEVALSHA\r\n$40\r\n"),
            "{by_digest}"
        );
        assert!(
            by_digest.ends_with("\r\n$1\r\n1\r\n$1\r\nk\r\n$1\r\na\r\n"),
            "{by_digest}"
        );
        let whole = written(&look, true);
        assert!(whole.starts_with("*5\r\n$4\r\nEVAL\r\n") && whole.contains(LOOK.source()));
    }
}
