//! Guards that a build made for it can take out.
//!
//! A guard is one check or one step that a promise stands on. To know that the tests would notice if
//! it were missing, a build with `--cfg larder_mutants` lets a thread take guards out; without that
//! cfg there is no switch, and nothing of this module but a macro that expands to the guard.

/// A guard, and what would be in its place if it were missing.
///
/// Expands to the guard alone; nothing else of it is compiled.
#[cfg(not(larder_mutants))]
#[macro_export]
macro_rules! guard {
    ($name:ident, $guard:expr, $without:expr) => {
        $guard
    };
}

/// A guard, and what is in its place on a thread that has taken it out.
#[cfg(larder_mutants)]
#[macro_export]
macro_rules! guard {
    ($name:ident, $guard:expr, $without:expr) => {
        if $crate::guards::is_out($crate::guards::Guard::$name) {
            $without
        } else {
            $guard
        }
    };
}

#[cfg(larder_mutants)]
pub use taken_out::{Guard, is_out, without};

#[cfg(larder_mutants)]
mod taken_out {
    use std::cell::Cell;

    /// Names the thread's first guards that are out, in one list with commas: so that any test can
    /// be run without them.
    const VARIABLE: &str = "WITHOUT_GUARDS";

    macro_rules! guards {
        ($($(#[doc = $doc:literal])+ $name:ident,)+) => {
            /// The guards that can be taken out.
            #[derive(Debug, Clone, Copy, PartialEq, Eq)]
            #[expect(clippy::exhaustive_enums, reason = "tests go through all of them")]
            pub enum Guard {
                $($(#[doc = $doc])+ $name,)+
            }

            impl Guard {
                /// All of them.
                pub const ALL: &[Self] = &[$(Self::$name),+];

                /// Its name.
                #[must_use]
                pub const fn name(self) -> &'static str {
                    match self {
                        $(Self::$name => stringify!($name),)+
                    }
                }
            }
        };
    }

    guards! {
        /// Near: an entry's end is compared at every use.
        EndsAtUse,
        /// Near: the stamps of the entry's slot and of the cache are compared at every use.
        StampAtUse,
        /// Near: the stamps of an entry's tags are compared at every use.
        TagsAtUse,
        /// Near: a node that has not heard of the others uses nothing old.
        SightAtUse,
        /// Near: a fallback's stamps are compared when it is used.
        FallbackStamp,
        /// Near: what is expired raises a stamp, so that it is not fresh any more.
        ExpireStamp,
        /// Stamps: the one of the whole cache is compared.
        AllStamp,
        /// Near: what was invalidated while it was loaded is not inserted.
        InsertCheck,
        /// Near: the ticket is taken before anything is read.
        TicketBeforeLoad,
        /// Near: blindness counts from the ticket and not from the insert.
        SightFromTicket,
        /// Near: nothing outlives the time that the far tier says is left.
        FarLeft,
        /// A change raises near before it goes far.
        FirstRaise,
        /// A change raises near again when far has answered.
        SecondRaise,
        /// A change runs to its end though its caller leaves.
        RunsToItsEnd,
        /// Flight: a running load is joined only while its ticket is current.
        JoinCheck,
        /// Flight: who registers looks again, under the lock, for one who did meanwhile.
        SecondFind,
        /// Flight: who waits listens before it looks.
        ListenFirst,
        /// Flight: of a load that callers poll all of them are told that it is to be polled.
        WakesAll,
        /// Flight: and its leader, when another has polled it to its end.
        PollerTells,
        /// Flight: and the runtime has it when the last of them has left.
        LastSends,
        /// Load: a joined result is checked when it is handed out.
        HandOutCheck,
        /// Load: a joined result that is too old for a blind node is not handed out.
        HandOutSight,
        /// Load: a joined result whose time was over when the call began is not handed out.
        HandOutEnd,
        /// Load: the leader looks again for what the load before it has kept.
        SecondLook,
        /// Far: an answer is checked against the load's ticket when it is decoded.
        DecodeCheck,
        /// Far: the ticket is taken before the source is read.
        FarTicketBeforeLoad,
        /// Far: what is queued is not believed.
        Fence,
        /// Far: nor what has a tag that is queued, known only from the answer.
        FenceTags,
        /// Far: nor is it stored.
        FenceAtStore,
        /// Far: what was acknowledged lately is sent again after a reconnect, where that is asked for.
        Requeue,
        /// Bus: a server that is behind what it has told has forgotten it.
        NumberBehind,
        /// Far: the fence stands until the store has acknowledged.
        FenceUntilAcknowledged,
        /// Far: near is raised again when a queued item is acknowledged.
        RaiseAtDrain,
        /// Far: a queue that overflows becomes a clear.
        Overflow,
        /// Put: both tickets are taken before the source is changed.
        PutTicketBefore,
        /// Put: near refuses a put whose ticket has fallen.
        PutTicketNear,
        /// Put: near looks at the ticket again when far has answered.
        PutTicketAtEnd,
        /// Put: what near refuses only deletes far.
        PutVoidsClaim,
        /// Put: its own raise does not make its own value fall.
        PutOutlivesItself,
        /// Stream: a running source is joined only while nothing was invalidated since it began.
        FollowCheck,
        /// Stream: a source is joined only while its start is there.
        FromTheStart,
        /// Stream: only what is whole is kept.
        KeptWhole,
        /// Reload: only what may be fallen back to is offered as the old value.
        OfferStands,
        /// Reload: what holds still keeps its tags.
        RenewedTags,
        /// Old: what was expired by hand is given only when a load was tried.
        ExpiredTries,
        /// Old: after a load that failed the source is left alone for the throttle.
        SourceLeftAlone,
        /// Near: an entry that nobody used for its idle time is not used.
        IdleAtUse,
        /// Load: the time that a value says of itself counts.
        TtlOfValue,
        /// Load: a value that says so is not kept.
        UnlessOfValue,
        /// Mode: what a call brings that keeps nothing is not kept.
        KeepsMode,
        /// Mode: a call that does not look takes only what was loaded after it began.
        BeganLater,
        /// Bus: a message of another node raises what it names.
        MessageRaise,
        /// Bus: what somebody else has written or deleted is raised.
        TouchRaise,
        /// Near: beside foreign writers, a load that is not far is used for the blind ttl only.
        UnwatchedEnds,
        /// Near: beside foreign writers, a put that is not far is not kept.
        UnwatchedPut,
        /// Bus: a jump in the numbers raises all.
        GapRaise,
        /// Bus: a number that was not reached by the next heartbeat raises all.
        HeartbeatRaise,
        /// Bus: a heartbeat whose number is not reached ends no blindness.
        HeartbeatReached,
        /// Bus: a lost connection raises all.
        LossRaise,
        /// Bus: after a lost connection the first heartbeat raises all.
        LossForgets,
        /// Store: it stores only under the token of the ticket.
        StoreCompare,
        /// Store: it stores only under the barriers of the ticket.
        BarrierAtStore,
        /// Store: for tags that the ticket does not know, `:any` is looked at last.
        AnyLast,
        /// Store: to drop a tag is to drop `:any` as well.
        AnyDropped,
        /// Store: a put stores only under the token of the ticket.
        PutCompare,
        /// Store: a put has a new token.
        PutNewToken,
        /// Store: what is expired gets a new token.
        ExpireNewToken,
        /// Store: what is expired serves as fallback only.
        ExpireMarks,
        /// Store: a part is read only under the barriers that it lists.
        BarrierAtRead,
        /// Store: a barrier that is missing is another one.
        MissingIsDead,
        /// Store: numbers that were lost start at random.
        NumberAtRandom,
        /// Store: tokens are random, so that none comes twice.
        TokenAtRandom,
        /// Store: the key of an entry does not name the schema of its values.
        SchemaOutsideName,
        /// Store: barriers that only the answer to them can tell of are asked before it stores.
        BarriersFirst,
        /// Store: whoever stores lets the barriers live on.
        BarriersRenewed,
        /// Store: a load that failed lets go of its token.
        TokenReleased,
        /// Lease: who finds that another node loads waits for it.
        LeaseAwaited,
        /// Lease: the wait ends with the lease.
        LeaseEnds,
        /// Lease: who waits listens before it reads.
        LeaseListensFirst,
        /// Lease: who has held it for longer lets go of nothing, as others may have taken over.
        LeaseLetGo,
        /// Store: a load that has ended wakes those who wait for it.
        WakeSent,
        /// Store: a message goes out after what it tells of was done.
        MessageLast,
    }

    thread_local! {
        static OUT: Cell<u128> = Cell::new(named());
    }

    const _: () = assert!(Guard::ALL.len() <= u128::BITS as usize);

    fn bit(guard: Guard) -> u128 {
        1 << guard as u32
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "no build that reads it is shipped"
    )]
    fn named() -> u128 {
        let names = std::env::var(VARIABLE).unwrap_or_default();
        let names = names.split(',').filter(|name| !name.is_empty());
        let guards = names.map(|name| {
            let mut guards = Guard::ALL.iter();
            let guard = guards.find(|guard| guard.name() == name);
            bit(*guard.unwrap_or_else(|| panic!("{VARIABLE}: there is no guard {name}")))
        });
        guards.fold(0, |out, guard| out | guard)
    }

    /// Whether this thread has taken the guard out.
    #[must_use]
    pub fn is_out(guard: Guard) -> bool {
        OUT.get() & bit(guard) != 0
    }

    /// Runs `world` on this thread without these guards; after it, or after its panic, they are as
    /// before.
    pub fn without<T>(guards: &[Guard], world: impl FnOnce() -> T) -> T {
        struct Before(u128);
        impl Drop for Before {
            fn drop(&mut self) {
                OUT.set(self.0);
            }
        }
        let _before = Before(OUT.get());
        OUT.set(guards.iter().fold(0, |out, guard| out | bit(*guard)));
        world()
    }
}
