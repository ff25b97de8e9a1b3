//! The contract is able to fail.

use larder_kit::contract::FarSuite::{self, Bus, Guarded, Lossy, Sweep};
use larder_kit::contract::far_violations;

use super::flaws::{Flaw, Flawed};

/// Each flaw, and the checks that must see it.
const SEEN: &[(Flaw, FarSuite, &[&str])] = &[
    (
        Flaw::WrongReason,
        Guarded,
        &[
            "two_shapes_live_side_by_side",
            "a_tag_kills_its_entries_alone",
            "clear_kills_every_entry_and_refuses_loads",
        ],
    ),
    (
        Flaw::OneCacheForAll,
        Guarded,
        &["caches_share_nothing", "nothing_invalidated_comes_back"],
    ),
    (
        Flaw::OneCacheForAll,
        Bus,
        &["everybody_is_told_of_one_cache"],
    ),
    (
        Flaw::ShapeInTheName,
        Guarded,
        &[
            "either_shape_invalidates_both",
            "nothing_invalidated_comes_back",
        ],
    ),
    (Flaw::CaseOfNamesIgnored, Guarded, &["caches_share_nothing"]),
    (Flaw::LookLoads, Guarded, &["a_look_writes_nothing"]),
    (Flaw::StoredBlindly, Lossy, &["nothing_lost_comes_back"]),
    (Flaw::AnyNotCompared, Lossy, &["nothing_lost_comes_back"]),
    (Flaw::NeverHeld, Guarded, &["the_maker_of_a_token_holds_it"]),
    (
        Flaw::AlwaysHeld,
        Guarded,
        &["the_maker_of_a_token_holds_it"],
    ),
    (
        Flaw::MoreTimeLeft,
        Guarded,
        &[
            "time_left_falls_and_is_never_too_long",
            "nothing_invalidated_comes_back",
        ],
    ),
    (
        Flaw::ReadReversed,
        Guarded,
        &["many_keys_are_answered_in_order"],
    ),
    (
        Flaw::ExpiredIsFresh,
        Guarded,
        &["expire_keeps_a_fallback", "nothing_invalidated_comes_back"],
    ),
    (
        Flaw::StoredBlindly,
        Guarded,
        &[
            "an_old_ticket_is_refused_however_late",
            "nothing_invalidated_comes_back",
        ],
    ),
    (
        Flaw::EntryNotCompared,
        Guarded,
        &[
            "expire_refuses_running_loads",
            "nothing_invalidated_comes_back",
        ],
    ),
    (
        Flaw::ClearNotCompared,
        Guarded,
        &[
            "clear_kills_every_entry_and_refuses_loads",
            "nothing_invalidated_comes_back",
        ],
    ),
    (
        Flaw::AnyNotCompared,
        Guarded,
        &[
            "an_unknown_tag_dropped_during_the_load_refuses",
            "nothing_invalidated_comes_back",
        ],
    ),
    (
        Flaw::TagsForgotten,
        Guarded,
        &[
            "a_tag_kills_its_entries_alone",
            "nothing_invalidated_comes_back",
        ],
    ),
    (
        Flaw::TagsOfTheLoadOnly,
        Guarded,
        &[
            "a_tag_of_the_value_is_a_barrier_too",
            "nothing_invalidated_comes_back",
        ],
    ),
    (
        Flaw::OneShapeOnly,
        Guarded,
        &["two_shapes_live_side_by_side"],
    ),
    (
        Flaw::BarriersNotRenewed,
        Guarded,
        &["stores_keep_barriers_alive"],
    ),
    (
        Flaw::KeptTwiceAsLong,
        Guarded,
        &[
            "time_left_falls_and_is_never_too_long",
            "nothing_invalidated_comes_back",
        ],
    ),
    (
        Flaw::PutBlindly,
        Guarded,
        &[
            "a_put_with_an_old_ticket_deletes",
            "nothing_invalidated_comes_back",
        ],
    ),
    (
        Flaw::PutIsAStore,
        Guarded,
        &[
            "a_put_voids_older_tickets",
            "nothing_invalidated_comes_back",
        ],
    ),
    (Flaw::PutIsAStore, Bus, &["every_change_is_told"]),
    (
        Flaw::InvalidatedOnlyInMessages,
        Guarded,
        &[
            "an_old_ticket_is_refused_however_late",
            "nothing_invalidated_comes_back",
        ],
    ),
    (
        Flaw::OnlyTheFirstInvalidated,
        Guarded,
        &["invalidate_removes_its_keys_alone"],
    ),
    (Flaw::OnlyTheFirstInvalidated, Bus, &["each_key_is_told"]),
    (
        Flaw::InvalidateIsExpire,
        Guarded,
        &[
            "invalidate_removes_its_keys_alone",
            "nothing_invalidated_comes_back",
        ],
    ),
    (
        Flaw::InvalidateIsClear,
        Guarded,
        &["invalidate_removes_its_keys_alone"],
    ),
    (
        Flaw::ExpireIsInvalidate,
        Guarded,
        &["expire_keeps_a_fallback"],
    ),
    (
        Flaw::ExpiredOnlyInMessages,
        Guarded,
        &[
            "expire_refuses_running_loads",
            "nothing_invalidated_comes_back",
        ],
    ),
    (
        Flaw::TagDroppedOnlyInMessages,
        Guarded,
        &[
            "a_tag_kills_its_entries_alone",
            "nothing_invalidated_comes_back",
        ],
    ),
    (
        Flaw::ClearedOnlyInMessages,
        Guarded,
        &[
            "clear_kills_every_entry_and_refuses_loads",
            "nothing_invalidated_comes_back",
        ],
    ),
    (
        Flaw::TagIsClear,
        Guarded,
        &["a_tag_kills_its_entries_alone"],
    ),
    (
        Flaw::EverythingReleased,
        Guarded,
        &["release_lets_go_of_its_own_only"],
    ),
    (
        Flaw::NothingReleased,
        Guarded,
        &["release_lets_go_of_its_own_only"],
    ),
    (Flaw::NothingReleased, Bus, &["loads_that_end_wake"]),
    (
        Flaw::TicketNeverEnds,
        Guarded,
        &["a_ticket_lives_as_long_as_a_load"],
    ),
    (Flaw::Silent, Bus, &["every_change_is_told"]),
    (Flaw::SinksKept, Bus, &["who_is_gone_is_not_kept"]),
    (
        Flaw::StoresAreTold,
        Bus,
        &["what_changes_nothing_is_not_told"],
    ),
    (Flaw::SmallNumbers, Bus, &["numbers_start_at_random"]),
    (Flaw::NumberAhead, Bus, &["numbers_go_up_by_one"]),
    (
        Flaw::HeartbeatRenewsNothing,
        Bus,
        &["a_heartbeat_keeps_barriers"],
    ),
    (Flaw::PurgeOfMore, Sweep, &["a_purge_empties_one_cache"]),
    (
        Flaw::PurgeOfNothing,
        Sweep,
        &["a_purge_refuses_running_loads"],
    ),
    (Flaw::PurgeCountsOn, Sweep, &["a_purge_empties_one_cache"]),
];

#[test]
fn every_flaw_is_seen_by_the_checks_for_it() {
    let mut missed = Vec::new();
    for (flaw, suite, checks) in SEEN {
        let violations = far_violations(*suite, |time| Flawed::abilities(*flaw, time));
        let sees = |check: &&&str| violations.iter().any(|one| one.check() == **check);
        let blind = checks.iter().filter(|check| !sees(check));
        missed.extend(blind.map(|check| (flaw, check)));
    }
    assert!(missed.is_empty(), "not seen: {missed:?}");
}

#[test]
fn the_store_without_a_flaw_passes() {
    for suite in [Guarded, Lossy, Bus, Sweep] {
        let violations = far_violations(suite, |time| Flawed::abilities(Flaw::Nothing, time));
        assert!(violations.is_empty(), "{violations:?}");
    }
}

#[test]
fn every_named_check_exists() {
    for (flaw, suite, checks) in SEEN {
        let exists = |name: &&str| suite.checks().any(|check| check == *name);
        assert!(checks.iter().all(exists), "{flaw:?}: {checks:?}");
    }
}
