//! What a node knows of its cluster.

use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use larder_core::far::FarError;

use super::map::SlotMap;
use super::place::Place;
use crate::args;
use crate::wire::{Reply, Request};
use crate::{ConnectError, ConnectErrorKind};

/// What a node knows of its cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Survey {
    pub(super) map: SlotMap,
    /// How many times masters have changed, as far as the node has heard.
    epoch: u64,
    /// Whether it is in touch with most masters, and answers.
    serves: bool,
}

impl Survey {
    /// What a node is asked.
    pub(super) fn questions() -> [Request; 2] {
        let ask = |about| Request::on_master(0, "CLUSTER", vec![args::word(about)]);
        [ask("INFO"), ask("SLOTS")]
    }

    /// Puts what the node at `asked` has answered in the place of what is less.
    ///
    /// # Errors
    /// It is nothing, or not so good that no other need be asked: a node that is cut off says that
    /// it does not serve.
    pub(super) fn hear(
        replies: Result<Vec<Reply>, FarError>,
        asked: &Place,
        best: &Mutex<Option<Self>>,
    ) -> Result<(), ConnectError> {
        let replies = replies.map_err(|_| ConnectErrorKind::Lost)?;
        let survey = Self::read(replies, asked)?;
        let serves = survey.serves;
        let mut best = best.lock().unwrap_or_else(PoisonError::into_inner);
        let other = best.take();
        *best = Some(survey.or_better(other));
        let unsettled = ConnectErrorKind::Unavailable;
        serves.then_some(()).ok_or(unsettled.into())
    }

    /// Reads what the node at `asked` has answered.
    ///
    /// # Errors
    /// It is part of no cluster, permits too little, or answers something else.
    fn read(replies: Vec<Reply>, asked: &Place) -> Result<Self, ConnectError> {
        let refused = replies.iter().find_map(|reply| match reply {
            Reply::Error { code, .. } => Some(ConnectError::refused(code)),
            _ => None,
        });
        if let Some(error) = refused {
            return Err(error);
        }
        let Ok([Reply::Bytes(info), slots]) = <[Reply; 2]>::try_from(replies) else {
            return Err(ConnectErrorKind::Garbage.into());
        };
        let epoch = field(&info, b"cluster_current_epoch:").and_then(|text| text.parse().ok());
        let serves = field(&info, b"cluster_state:") == Some("ok");
        Ok(Self {
            map: SlotMap::read(slots, asked).map_err(|_| ConnectErrorKind::Garbage)?,
            epoch: epoch.unwrap_or(0),
            serves,
        })
    }

    /// This one, unless the other knows more.
    fn or_better(self, other: Option<Self>) -> Self {
        let worth = |survey: &Self| (survey.serves, survey.epoch);
        let other = other.filter(|other| worth(other) > worth(&self));
        other.unwrap_or(self)
    }
}

/// What stands behind a name, up to the end of its line.
fn field<'i>(info: &'i Bytes, name: &[u8]) -> Option<&'i str> {
    let lines = info.split(|byte| matches!(byte, b'\r' | b'\n'));
    let mut values = lines.filter_map(|line| line.strip_prefix(name));
    values
        .next()
        .and_then(|value| std::str::from_utf8(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> Place {
        let host = "h".to_owned();
        Place { host, port: 1 }
    }

    fn survey(state: &str, epoch: u64) -> Survey {
        let info = format!(
            "cluster_state:{state}\r\ncluster_slots_ok:0\r\ncluster_current_epoch:{epoch}\r\n"
        );
        let replies = vec![Reply::bytes(info), Reply::Array(vec![])];
        Survey::read(replies, &asked()).unwrap()
    }

    #[test]
    fn who_serves_is_believed_and_else_who_has_heard_most() {
        let (old, new, cut) = (survey("ok", 3), survey("ok", 4), survey("fail", 9));
        assert_eq!(old.clone().or_better(None), old);
        assert_eq!(cut.clone().or_better(Some(old.clone())), old);
        assert_eq!(old.or_better(Some(new.clone())), new);
        assert_eq!(new.clone().or_better(Some(cut)), new);
        assert_eq!(
            survey("fail", 1).or_better(Some(survey("fail", 2))).epoch,
            2
        );
    }

    #[test]
    fn what_is_no_cluster_is_an_error() {
        let refused = Reply::error("ERR", "This instance has cluster support disabled");
        let odd = [
            vec![refused.clone(), refused],
            vec![Reply::bytes("cluster_state:ok")],
            vec![Reply::ok(), Reply::Array(vec![])],
            vec![Reply::bytes(""), Reply::Nil],
        ];
        for replies in odd {
            assert!(
                Survey::read(replies.clone(), &asked()).is_err(),
                "{replies:?}"
            );
        }
    }
}
