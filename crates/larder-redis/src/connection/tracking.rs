//! Of which writes a connection tells.

use std::collections::HashSet;

use bytes::Bytes;

use super::ears::Ears;
use super::listening::Control;
use super::topic::Topic;
use crate::tell::tell;
use crate::{ConnectError, log};

/// Of which writes a connection tells, as far as its server permits.
#[derive(Default)]
pub(super) struct Tracking {
    told: HashSet<Bytes>,
    refused: Option<ConnectError>,
}

impl Tracking {
    /// The connection is another, which tells of none.
    pub(super) fn restart(&mut self) {
        self.told.clear();
    }

    /// The connection is of no use before it stood: who was told that it hears does not.
    pub(super) fn lost(&mut self, ears: &Ears) {
        for prefix in self.told.drain() {
            tell(ears.of(&Topic::Prefix(prefix)), |ear| ear.lost());
        }
    }

    pub(super) fn tells(&self, topic: &Topic) -> bool {
        topic
            .prefix()
            .is_some_and(|prefix| self.told.contains(prefix))
    }

    /// Asks for what somebody wants to hear and is not told. A refusal leaves all else as it is.
    ///
    /// # Errors
    /// The connection is lost.
    pub(super) async fn add(
        &mut self,
        ears: &Ears,
        control: &dyn Control,
    ) -> Result<(), ConnectError> {
        for prefix in ears.prefixes() {
            if self.told.contains(&prefix) {
                continue;
            }
            match control.track(&prefix).await {
                Ok(()) => {
                    self.refused = None;
                    self.told.insert(prefix.clone());
                    let ears = ears.of(&Topic::Prefix(prefix));
                    tell(ears, |ear| ear.ready());
                }
                Err(why) if why.code().is_some() => self.refused(why),
                Err(why) => return Err(why),
            }
        }
        Ok(())
    }

    /// Said once for each reason.
    fn refused(&mut self, why: ConnectError) {
        if self.refused.as_ref() != Some(&why) {
            log::untold(&why);
            self.refused = Some(why);
        }
    }
}
