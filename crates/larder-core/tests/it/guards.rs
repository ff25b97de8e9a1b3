//! Guards: nothing in a build that is shipped, and one switch each in the build for the tests.

/// The other names are in no scope, so this only compiles if the macro is its guard and no more.
#[cfg(not(larder_mutants))]
#[test]
fn a_guard_is_nothing_but_itself() {
    const SUM: u32 = larder_core::guard!(ThereIsNoSuchGuard, 1 + 1, nor_such_a_function()) * 2;
    assert_eq!(SUM, 4);
}

#[cfg(larder_mutants)]
mod switched {
    use std::panic::catch_unwind;
    use std::thread;

    use larder_core::guard;
    use larder_core::guards::{Guard, is_out, without};

    fn kept() -> bool {
        guard!(Fence, true, false)
    }

    #[test]
    fn a_guard_is_out_on_one_thread_and_for_a_time() {
        assert!(kept());
        without(&[Guard::Fence], || {
            assert!(!kept());
            assert!(!is_out(Guard::FenceTags));
            assert!(thread::spawn(kept).join().is_ok_and(|kept| kept));
            without(&[Guard::FenceTags], || assert!(kept()));
            assert!(!kept());
        });
        assert!(kept());
        let panicked = catch_unwind(|| without(&[Guard::Fence], || panic!("a world ends")));
        assert!(panicked.is_err() && kept());
    }
}
