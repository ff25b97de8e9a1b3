//! The contract that every far tier keeps.

mod barriers;
mod changes;
mod ears;
mod heartbeat;
mod held;
mod histories;
mod life;
mod messages;
mod names;
mod purge;
mod puts;
mod rig;
mod schemas;
mod tokens;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use larder_core::LoadError;
use larder_core::far::Abilities;

use super::{Verdict, Violation, assert_none};
use crate::Virtual;
use rig::Rig;

/// Checks that a store keeps the contract of [`Guarded`](larder_core::far::Guarded): that nothing
/// invalidated ever comes back, and that what was not is found.
///
/// `make` gives an empty store that takes its time from the runtime. It is called for each check
/// anew; a check takes about a millisecond with a store in memory.
///
/// # Panics
/// When a check fails, the text lists all that do; or when the store has not the ability.
pub fn guarded(make: impl Fn(&Virtual) -> Abilities) {
    assert_none(&far_violations(FarSuite::Guarded, make));
}

/// Checks that nothing invalidated ever comes back from a store that may lose any key at any time:
/// one so small that it evicts, or a server that does.
///
/// # Panics
/// As [`guarded`].
pub fn lossy(make: impl Fn(&Virtual) -> Abilities) {
    assert_none(&far_violations(FarSuite::Lossy, make));
}

/// Checks that a store keeps the contract of [`Bus`](larder_core::far::Bus): that each change of
/// its `Guarded` is told to all who listen, under the next number.
///
/// # Panics
/// As [`guarded`].
pub fn bus(make: impl Fn(&Virtual) -> Abilities) {
    assert_none(&far_violations(FarSuite::Bus, make));
}

/// Checks that a store keeps the contract of [`Sweep`](larder_core::far::Sweep): that a purge
/// removes what the cache of its `Guarded` holds, and nothing else.
///
/// # Panics
/// As [`guarded`].
pub fn sweep(make: impl Fn(&Virtual) -> Abilities) {
    assert_none(&far_violations(FarSuite::Sweep, make));
}

/// A contract of a far tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the abilities of a store")]
pub enum FarSuite {
    /// What [`guarded`] asserts.
    Guarded,
    /// What [`lossy`] asserts.
    Lossy,
    /// What [`bus`] asserts.
    Bus,
    /// What [`sweep`] asserts.
    Sweep,
}

/// The checks of a suite that a store fails; none if it keeps the contract.
///
/// # Panics
/// When the store lacks an ability that the suite needs.
pub fn far_violations(suite: FarSuite, make: impl Fn(&Virtual) -> Abilities) -> Vec<Violation> {
    far_violations_within(suite, GRAIN, make)
}

/// As [`far_violations`], for a store that may lose up to `grain` of a time that it keeps, as one does
/// that takes real time for its work. It may never keep anything longer.
///
/// # Panics
/// As there.
pub fn far_violations_within(
    suite: FarSuite,
    grain: Duration,
    make: impl Fn(&Virtual) -> Abilities,
) -> Vec<Violation> {
    let run = |check: &Check| {
        let time = Virtual::new();
        let rig = Rig::new(make(&time), time, grain);
        let end = catch_unwind(AssertUnwindSafe(|| (check.run)(&rig)));
        let end = end.unwrap_or_else(|panic| Err(LoadError::from_panic(&*panic).to_string()));
        let check = check.name;
        let path = suite.name();
        end.err().map(|text| Violation { check, path, text })
    };
    suite.all().iter().filter_map(run).collect()
}

/// What a store may lose of a time by counting in whole milliseconds or by a coarse clock.
const GRAIN: Duration = Duration::from_millis(10);

struct Check {
    name: &'static str,
    run: fn(&Rig) -> Verdict,
}

macro_rules! checks {
    ($($module:ident::$name:ident),* $(,)?) => {
        &[$(Check { name: stringify!($name), run: $module::$name }),*]
    };
}

impl FarSuite {
    /// The names of its checks.
    pub fn checks(self) -> impl Iterator<Item = &'static str> {
        self.all().iter().map(|check| check.name)
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Guarded => "guarded",
            Self::Lossy => "lossy",
            Self::Bus => "bus",
            Self::Sweep => "sweep",
        }
    }

    const fn all(self) -> &'static [Check] {
        match self {
            Self::Guarded => GUARDED,
            Self::Lossy => LOSSY,
            Self::Bus => BUS,
            Self::Sweep => SWEEP,
        }
    }
}

const GUARDED: &[Check] = checks! {
    tokens::a_load_gets_a_ticket_and_stores,
    tokens::a_look_writes_nothing,
    tokens::a_look_gives_a_ticket_of_what_is_there,
    tokens::an_old_ticket_is_refused_however_late,
    tokens::tokens_are_new_each_time,
    tokens::a_ticket_is_of_one_key,
    tokens::a_foreign_ticket_is_refused,
    life::a_ticket_lives_as_long_as_a_load,
    life::time_left_falls_and_is_never_too_long,
    life::reading_prolongs_nothing,
    life::the_shortest_and_the_longest_time,
    held::the_maker_of_a_token_holds_it,
    held::both_holders_may_store,
    held::a_key_listed_twice_is_held_by_the_read,
    held::release_lets_go_of_its_own_only,
    held::dead_parts_give_a_new_token,
    schemas::two_shapes_live_side_by_side,
    schemas::of_three_shapes_the_oldest_falls,
    schemas::either_shape_invalidates_both,
    schemas::shapes_end_by_themselves,
    schemas::a_store_replaces_its_own_shape,
    barriers::clear_kills_every_entry_and_refuses_loads,
    barriers::a_tag_kills_its_entries_alone,
    barriers::a_tag_of_the_value_is_a_barrier_too,
    barriers::an_unknown_tag_dropped_during_the_load_refuses,
    barriers::a_tag_that_no_one_names_refuses_nothing,
    barriers::new_tags_replace_old_ones,
    barriers::a_lost_barrier_refuses_and_never_revives,
    barriers::barriers_live_as_long_as_what_lists_them,
    barriers::stores_keep_barriers_alive,
    changes::invalidate_removes_its_keys_alone,
    changes::expire_keeps_a_fallback,
    changes::expire_refuses_running_loads,
    changes::expire_reaches_every_shape,
    changes::expire_brings_nothing_back,
    puts::a_put_replaces_every_shape,
    puts::a_put_voids_older_tickets,
    puts::a_put_with_an_old_ticket_deletes,
    puts::a_put_looks_at_barriers,
    names::caches_share_nothing,
    names::tags_share_nothing,
    names::keys_share_nothing,
    names::many_keys_are_answered_in_order,
    histories::nothing_invalidated_comes_back,
};

const LOSSY: &[Check] = checks! { histories::nothing_lost_comes_back };

const BUS: &[Check] = checks! {
    messages::every_change_is_told,
    messages::what_changes_nothing_is_not_told,
    messages::each_key_is_told,
    messages::everybody_is_told_of_one_cache,
    messages::who_is_gone_is_not_kept,
    messages::loads_that_end_wake,
    heartbeat::numbers_go_up_by_one,
    heartbeat::numbers_start_at_random,
    heartbeat::a_lost_number_starts_anew,
    heartbeat::a_heartbeat_keeps_the_number,
    heartbeat::a_heartbeat_keeps_barriers,
};

const SWEEP: &[Check] = checks! {
    purge::a_purge_empties_one_cache,
    purge::a_purge_refuses_running_loads,
    purge::a_large_cache_is_purged,
};
