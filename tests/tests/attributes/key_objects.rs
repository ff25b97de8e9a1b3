//! What calls with no, one and many arguments are looked up by.

use larder::{Cache, Key, LoadError, cacheable};
use larder_kit::Virtual;

use crate::support::{Calls, cache};

#[derive(Clone)]
struct Shop {
    none: Cache<(), usize>,
    one: Cache<Option<u64>, usize>,
    many: Cache<(u64, Option<String>, Option<u64>), usize>,
    list: Cache<Vec<String>, usize>,
    listed: Cache<(Vec<u64>, u64), usize>,
    calls: Calls,
}

impl Shop {
    fn new(time: &Virtual) -> Self {
        Self {
            none: cache(time),
            one: cache(time),
            many: cache(time),
            list: cache(time),
            listed: cache(time),
            calls: Calls::default(),
        }
    }

    #[cacheable(self.none)]
    async fn none(&self) -> Result<usize, LoadError> {
        Ok(self.calls.enter())
    }

    #[cacheable(self.one)]
    async fn one(&self, no: Option<u64>) -> Result<usize, LoadError> {
        Ok(self.calls.enter())
    }

    #[cacheable(self.many)]
    async fn many(
        &self,
        no: u64,
        text: Option<&'static str>,
        last: Option<u64>,
    ) -> Result<usize, LoadError> {
        Ok(self.calls.enter())
    }

    #[cacheable(self.list)]
    async fn list(&self, list: &[String]) -> Result<usize, LoadError> {
        Ok(self.calls.enter())
    }

    #[cacheable(self.listed)]
    async fn listed(&self, list: &[u64], no: u64) -> Result<usize, LoadError> {
        Ok(self.calls.enter())
    }
}

fn with_shop<F: Future<Output = ()>>(test: impl FnOnce(Shop) -> F) {
    let time = Virtual::new();
    time.block_on(test(Shop::new(&time)));
}

#[test]
fn sp34_no_argument_is_one_key() {
    with_shop(|shop| async move {
        assert_eq!(
            (shop.none().await.ok(), shop.none().await.ok()),
            (Some(1), Some(1))
        );
        assert_eq!(shop.none.get(&()).await.value().as_deref(), Some(&1));
    });
}

#[test]
fn sp35_sp37_one_argument_is_the_key_itself_and_null_is_one() {
    with_shop(|shop| async move {
        for (no, answer) in [(None, 1), (Some(0), 2), (None, 1), (Some(0), 2)] {
            assert_eq!(shop.one(no).await.ok(), Some(answer));
        }
        assert_eq!(
            shop.one.get(&None::<u64>).await.value().as_deref(),
            Some(&1)
        );
    });
}

#[test]
fn sp36_sp38_of_many_arguments_every_one_counts_and_so_do_nulls_and_their_places() {
    with_shop(|shop| async move {
        let calls = [
            (1, Some("a"), Some(1)),
            (2, Some("a"), Some(1)),
            (1, Some("b"), Some(1)),
            (1, None, Some(1)),
            (1, Some("a"), None),
            (1, None, None),
            (1, Some(""), None),
        ];
        for _ in ["misses", "hits"] {
            for (index, (no, text, last)) in calls.into_iter().enumerate() {
                assert_eq!(shop.many(no, text, last).await.ok(), Some(index + 1));
            }
        }
        assert_eq!(shop.calls.count(), calls.len());
    });
}

#[test]
fn sp39_a_list_is_its_content_and_length() {
    let texts = |all: &[&str]| -> Vec<String> { all.iter().map(ToString::to_string).collect() };
    with_shop(|shop| async move {
        let lists = [
            &[][..],
            &["a"],
            &["a", "b"],
            &["b", "a"],
            &["ab"],
            &["a", ""],
            &[""],
        ];
        for _ in ["misses", "hits"] {
            for (index, list) in lists.into_iter().enumerate() {
                assert_eq!(shop.list(&texts(list)).await.ok(), Some(index + 1));
            }
        }
    });
}

#[test]
fn sp40_a_list_beside_another_argument_keeps_its_bounds() {
    with_shop(|shop| async move {
        let calls = [
            (&[1, 2][..], 3),
            (&[1], 2),
            (&[1, 2, 3], 3),
            (&[], 1),
            (&[1], 3),
        ];
        for _ in ["misses", "hits"] {
            for (index, (list, no)) in calls.into_iter().enumerate() {
                assert_eq!(shop.listed(list, no).await.ok(), Some(index + 1));
            }
        }
    });
}

#[test]
fn sp41_a_key_that_went_through_its_text_is_the_same_key() {
    with_shop(|shop| async move {
        let key = (1_u64, Some("a,b".to_owned()), None::<u64>);
        assert_eq!(shop.many(1, Some("a,b"), None).await.ok(), Some(1));
        let again = <(u64, Option<String>, Option<u64>)>::parse(&key.text());
        let again = again.expect("it was written by a key");
        assert_eq!(again, key);
        assert_eq!(shop.many.get(&again).await.value().as_deref(), Some(&1));
    });
}
