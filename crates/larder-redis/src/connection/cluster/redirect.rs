//! What a node answers that does not serve a key, or not now.

use super::place::Place;
use crate::wire::Reply;

/// Why a node has not run a request, and who will.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Redirect {
    /// The slot is another node's from now on.
    Moved { slot: usize, to: Place },
    /// The slot is on its way to another node, and there the key is asked for by this once.
    Ask(Place),
    /// Some keys of the request are on their way: it can run once they have come.
    Later,
}

impl Redirect {
    /// What a reply of the node at `asked` says of this kind; `None`: it is an answer.
    pub(super) fn read(reply: &Reply, asked: &Place) -> Option<Self> {
        let Reply::Error { code, text } = reply else {
            return None;
        };
        let mut words = text.split_ascii_whitespace();
        let slot = |word: &str| word.parse().ok().filter(|slot| *slot < super::slot::SLOTS);
        match &code[..] {
            "MOVED" => Some(Self::Moved {
                slot: slot(words.next()?)?,
                to: Place::read(words.next()?, asked)?,
            }),
            "ASK" => {
                slot(words.next()?)?;
                Some(Self::Ask(Place::read(words.next()?, asked)?))
            }
            "TRYAGAIN" => Some(Self::Later),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(host: &str, port: u16) -> Place {
        let host = host.to_owned();
        Place { host, port }
    }

    fn read(code: &str, text: &str) -> Option<Redirect> {
        Redirect::read(&Reply::error(code, text), &place("here", 1))
    }

    #[test]
    fn what_a_node_says_is_read() {
        let moved = |slot, to| Some(Redirect::Moved { slot, to });
        let there = || place("10.0.0.2", 7);
        assert_eq!(read("MOVED", "5 10.0.0.2:7"), moved(5, there()));
        assert_eq!(read("MOVED", "0 ::1:7"), moved(0, place("::1", 7)));
        assert_eq!(read("MOVED", "5 :7"), moved(5, place("here", 7)));
        assert_eq!(read("ASK", "5 10.0.0.2:7"), Some(Redirect::Ask(there())));
        assert_eq!(read("TRYAGAIN", "Multiple keys"), Some(Redirect::Later));
    }

    #[test]
    fn what_makes_no_sense_is_an_answer() {
        let odd = [
            "",
            "5",
            "x h:7",
            "16384 h:7",
            "-1 h:7",
            "5 h",
            "5 h:",
            "5 h:65536",
        ];
        for text in odd {
            assert_eq!(read("MOVED", text), None, "{text}");
            assert_eq!(read("ASK", text), None, "{text}");
        }
        assert_eq!(read("OOM", "5 h:7"), None);
        assert_eq!(Redirect::read(&Reply::Nil, &place("here", 1)), None);
    }
}
