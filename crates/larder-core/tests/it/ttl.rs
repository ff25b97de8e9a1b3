//! The laws of every ttl: it is in its range, as near to what was asked for as that allows.

use std::time::Duration;

use larder_core::{Moment, Ttl, TtlError};
use proptest::prelude::*;

/// Durations of every size, the edges of the range among them.
fn duration() -> impl Strategy<Value = Duration> {
    let edge = prop::sample::select(vec![
        Duration::ZERO,
        Ttl::MIN.duration(),
        Ttl::MAX.duration(),
    ]);
    prop_oneof![
        (0..64_u32, any::<u64>()).prop_map(|(shift, nanos)| Duration::from_nanos(nanos >> shift)),
        any::<(u64, u32)>()
            .prop_map(|(seconds, nanos)| { Duration::new(seconds, nanos % 1_000_000_000) }),
        (edge, 0..3_u64).prop_map(|(edge, nanos)| {
            edge.saturating_add(Duration::from_nanos(nanos))
                .saturating_sub(Duration::from_nanos(1))
        }),
    ]
}

proptest! {
    #[test]
    fn a_ttl_is_what_was_asked_for_clamped_above_and_refused_below(asked in duration()) {
        match Ttl::new(asked) {
            Ok(ttl) => {
                prop_assert!((Ttl::MIN..=Ttl::MAX).contains(&ttl));
                prop_assert_eq!(ttl.duration(), asked.min(Ttl::MAX.duration()));
            }
            Err(TtlError::Zero) => prop_assert!(asked.is_zero()),
            Err(_) => prop_assert!(!asked.is_zero() && asked < Ttl::MIN.duration()),
        }
    }

    #[test]
    fn no_time_wraps(origin: u64, by in duration()) {
        let origin = Moment::from_nanos(origin);
        prop_assert!(origin.before(by) <= origin && origin <= origin.after(by));
        let moved = origin.after(by).since(origin);
        prop_assert!(moved == by || (moved < by && origin.after(by) == Moment::MAX));
    }
}
