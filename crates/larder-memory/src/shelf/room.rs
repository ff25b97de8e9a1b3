//! What one cache keeps, for the length of one operation.

use std::time::Duration;

use fastrand::Rng;
use larder_core::far::{Change, Message, Missing, Space};
use larder_core::guard;

use super::container::{Container, Part};
use super::keys::{Content, Keys};
use super::name::{Barrier, Kind, Name};
use super::post::{Note, Post};
use super::token::Token;

/// What one cache keeps, for the length of one operation: nobody else changes anything meanwhile.
pub(super) struct Room<'a> {
    pub(super) keys: &'a mut Keys,
    pub(super) random: &'a mut Rng,
    pub(super) post: &'a mut Post,
    pub(super) space: &'a Space,
}

impl Room<'_> {
    pub(super) fn container(&mut self, key: &[u8]) -> Option<Container> {
        let name = self.name(Kind::Entry(key));
        match self.keys.find(&name) {
            Some((Content::Entry(container), _)) => Some(container.clone()),
            _ => None,
        }
    }

    /// Keeps an entry until its last value ends; one without values as long as a load may take.
    pub(super) fn keep(&mut self, key: &[u8], container: Container) {
        let load = self.keys.ends(self.space.load());
        let ends = container.ends().unwrap_or(load);
        let name = self.name(Kind::Entry(key));
        self.keys.keep(name, Content::Entry(container), ends);
    }

    pub(super) fn remove(&mut self, key: &[u8]) {
        let name = self.name(Kind::Entry(key));
        self.keys.remove(&name);
    }

    /// Why a value may not be given out any more, if so.
    pub(super) fn death(&mut self, part: &Part) -> Option<Missing> {
        if part.ends <= self.keys.latest() {
            return Some(Missing::Absent);
        }
        let mut barriers = part.barriers.iter();
        let lost = barriers.find(|(barrier, token)| {
            let now = self.barrier(*barrier);
            let dead = guard!(MissingIsDead, now != Some(*token), {
                now.is_some_and(|now| now != *token)
            });
            guard!(BarrierAtRead, dead, false)
        });
        lost.map(|(barrier, _)| match barrier {
            Barrier::Tag(_) => Missing::Tag,
            Barrier::Clear | Barrier::Any => Missing::Cleared,
        })
    }

    pub(super) fn barrier(&mut self, barrier: Barrier) -> Option<Token> {
        let name = self.name(Kind::Barrier(barrier));
        match self.keys.find(&name) {
            Some((Content::Barrier(token), _)) => Some(*token),
            _ => None,
        }
    }

    /// The token of a barrier, made if it is missing: the only way that one comes to be.
    pub(super) fn barrier_or_new(&mut self, barrier: Barrier) -> Token {
        if let Some(token) = self.barrier(barrier) {
            return token;
        }
        let token = self.token();
        let name = self.name(Kind::Barrier(barrier));
        let ends = self.keys.ends(self.space.barrier());
        self.keys.keep(name, Content::Barrier(token), ends);
        token
    }

    pub(super) fn drop_barrier(&mut self, barrier: Barrier) {
        let name = self.name(Kind::Barrier(barrier));
        self.keys.remove(&name);
    }

    /// Lets the cache's barriers that are in place, and these, live on: as long as a value that lists
    /// them at least, or it would die by theirs.
    pub(super) fn renew(&mut self, barriers: &[(Barrier, Token)], ends: Duration) {
        let life = self.space.barrier().max(ends);
        let tags = barriers.iter().map(|(barrier, _)| *barrier);
        for barrier in [Barrier::Clear, Barrier::Any].into_iter().chain(tags) {
            self.prolong(Kind::Barrier(barrier), life);
        }
    }

    /// The number of the last message. Where it is missing it starts at random: a listener that
    /// knows an older number must see a jump.
    pub(super) fn number(&mut self) -> u64 {
        let name = self.name(Kind::Number);
        if let Some((Content::Number(number), _)) = self.keys.find(&name) {
            let number = *number;
            self.prolong(Kind::Number, self.space.barrier());
            return number;
        }
        let number = guard!(NumberAtRandom, self.random.u64(..) >> 1, 0);
        self.keep_number(number);
        number
    }

    /// Tells others of a change, under the next number. To be called after the change.
    pub(super) fn announce(&mut self, change: Change) {
        let number = self.number() + 1;
        self.keep_number(number);
        let node = self.space.node();
        let message = Message {
            node,
            number,
            change,
        };
        self.post.send(self.space.cache(), Note::Message(message));
    }

    /// Tells who waits for a load of this key that it has ended.
    pub(super) fn wake(&mut self, key: &[u8]) {
        let note = Note::Wake(larder_core::digest(key));
        guard!(WakeSent, self.post.send(self.space.cache(), note), ());
    }

    pub(super) fn token(&mut self) -> Token {
        Token::new(self.random)
    }

    fn keep_number(&mut self, number: u64) {
        let ends = self.keys.ends(self.space.barrier());
        let name = self.name(Kind::Number);
        self.keys.keep(name, Content::Number(number), ends);
    }

    fn prolong(&mut self, kind: Kind<'_>, life: Duration) {
        let ends = self.keys.ends(life);
        let name = self.name(kind);
        self.keys.renew(&name, ends);
    }

    fn name(&self, kind: Kind<'_>) -> Name {
        Name::new(self.space.cache(), kind)
    }
}
