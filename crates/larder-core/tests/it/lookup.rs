//! Every borrowed form hashes as its key, equals it and makes it.

use std::borrow::Cow;
use std::fmt::Debug;
use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use larder_core::{Key, Lookup};
use proptest::prelude::*;

use crate::nasty::text;

/// Notes what is written to it, call by call.
#[derive(Default)]
struct Recorder(Vec<String>);

macro_rules! record {
    ($($method:ident: $type:ty),*) => {$(
        fn $method(&mut self, value: $type) {
            self.0.push(format!(concat!(stringify!($method), " {:?}"), value));
        }
    )*};
}

impl Hasher for Recorder {
    record! {
        write: &[u8], write_u8: u8, write_u16: u16, write_u32: u32, write_u64: u64,
        write_u128: u128, write_usize: usize, write_i8: i8, write_i16: i16, write_i32: i32,
        write_i64: i64, write_i128: i128, write_isize: isize
    }

    fn finish(&self) -> u64 {
        self.0.len() as u64
    }
}

fn recorded<T: Hash + ?Sized>(value: &T) -> Vec<String> {
    let mut recorder = Recorder::default();
    value.hash(&mut recorder);
    recorder.0
}

fn sip<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// `form` stands for `key` and for no key that is not equal to it.
fn stands_for<K, Q>(form: &Q, key: &K, other: &K) -> Result<(), TestCaseError>
where
    K: Key + Debug,
    Q: Lookup<K> + ?Sized,
{
    prop_assert!(form.same(key));
    prop_assert_eq!(form.same(other), key == other);
    prop_assert_eq!(&form.to_key(), key);
    prop_assert_eq!(recorded(form), recorded(key));
    prop_assert_eq!(sip(form), sip(key));
    let fast = foldhash::fast::FixedState::default();
    prop_assert_eq!(fast.hash_one(form), fast.hash_one(key));
    let quality = foldhash::quality::FixedState::default();
    prop_assert_eq!(quality.hash_one(form), quality.hash_one(key));
    Ok(())
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(text(), 0..4)
}

proptest! {
    #[test]
    fn texts_by_str_and_by_themselves(a in text(), b in text()) {
        stands_for::<String, str>(&a, &a, &b)?;
        stands_for::<String, &str>(&a.as_str(), &a, &b)?;
        stands_for::<String, String>(&a, &a, &b)?;
        stands_for::<String, Arc<str>>(&Arc::from(a.as_str()), &a, &b)?;
        let (shared, other) = (Arc::<str>::from(a.as_str()), Arc::from(b.as_str()));
        stands_for::<Arc<str>, str>(&a, &shared, &other)?;
        stands_for::<Arc<str>, Arc<str>>(&shared, &shared, &other)?;
        let (boxed, other) = (Box::<str>::from(a.as_str()), Box::from(b.as_str()));
        stands_for::<Box<str>, str>(&a, &boxed, &other)?;
        stands_for::<Box<str>, Box<str>>(&boxed, &boxed, &other)?;
        let (cow, other) = (Cow::from(a.clone()), Cow::from(b));
        stands_for::<Cow<'static, str>, str>(&a, &cow, &other)?;
        stands_for::<Cow<'static, str>, Cow<'static, str>>(&cow, &cow, &other)?;
    }

    #[test]
    fn plain_words(
        a in any::<(u64, i128, bool, char, ())>(),
        b in any::<(u64, i128, bool, char, ())>(),
    ) {
        stands_for(&a.0, &a.0, &b.0)?;
        stands_for(&&&a.0, &a.0, &b.0)?;
        stands_for(&a.1, &a.1, &b.1)?;
        stands_for(&a.2, &a.2, &b.2)?;
        stands_for(&a.3, &a.3, &b.3)?;
        stands_for(&a.4, &a.4, &b.4)?;
        stands_for(&a, &a, &b)?;
    }

    #[test]
    fn every_width_of_integer(
        a in any::<(u8, i8, u16, i16, u32, i32, i64, u128, usize, isize)>(),
        b in any::<(u8, i8, u16, i16, u32, i32, i64, u128, usize, isize)>(),
    ) {
        stands_for(&(a.0, a.1), &(a.0, a.1), &(b.0, b.1))?;
        stands_for(&(a.2, &a.3), &(a.2, a.3), &(b.2, b.3))?;
        stands_for(&(a.4, &a.5, a.6), &(a.4, a.5, a.6), &(b.4, b.5, b.6))?;
        stands_for(&(&a.7, a.8, &a.9), &(a.7, a.8, a.9), &(b.7, b.8, b.9))?;
    }

    #[test]
    fn tuples_part_by_part(
        a in (text(), any::<u64>(), text()),
        b in (text(), any::<u64>(), text()),
    ) {
        stands_for(&a, &a, &b)?;
        stands_for(&(a.0.as_str(), a.1, a.2.as_str()), &a, &b)?;
        stands_for(&(a.0.as_str(), &a.1, &a.2), &a, &b)?;
        stands_for(&(a.0.as_str(),), &(a.0.clone(),), &(b.0.clone(),))?;
        let nested = |(x, y, z): &(String, u64, String)| ((x.clone(), *y), z.clone());
        stands_for(&((a.0.as_str(), a.1), a.2.as_str()), &nested(&a), &nested(&b))?;
    }

    #[test]
    fn tuples_of_eight(a in text(), b in text(), n in any::<u8>()) {
        let key = |text: &String| {
            let text = || text.clone();
            (text(), n, text(), n, text(), n, text(), n)
        };
        let form = (a.as_str(), n, &a, &n, a.as_str(), n, a.as_str(), &n);
        stands_for(&form, &key(&a), &key(&b))?;
    }

    #[test]
    fn options_of_forms(a in prop::option::of(text()), b in prop::option::of(text())) {
        stands_for(&a, &a, &b)?;
        stands_for(&a.as_deref(), &a, &b)?;
        stands_for(&a.as_ref(), &a, &b)?;
        stands_for(&Some(a.as_deref()), &Some(a.clone()), &Some(b.clone()))?;
        stands_for(&(a.as_deref(), 7_u8), &(a.clone(), 7), &(b, 7))?;
    }

    #[test]
    fn sequences_by_slices(a in texts(), b in texts()) {
        stands_for(&a, &a, &b)?;
        stands_for::<Vec<String>, [String]>(&a, &a, &b)?;
        stands_for::<Vec<String>, &[String]>(&a.as_slice(), &a, &b)?;
        let parts: Vec<&str> = a.iter().map(String::as_str).collect();
        stands_for::<Vec<String>, [&str]>(&parts, &a, &b)?;
        stands_for(&(parts.as_slice(), 7_u8), &(a.clone(), 7), &(b, 7))?;
    }

    #[test]
    fn bytes_and_arrays(
        (a, b) in any::<(Vec<u8>, Vec<u8>)>(),
        (c, d) in any::<([u16; 3], [u16; 3])>(),
    ) {
        stands_for::<Vec<u8>, [u8]>(&a, &a, &b)?;
        stands_for(&(a.as_slice(), &7_u64), &(a.clone(), 7), &(b, 7))?;
        stands_for(&c, &c, &d)?;
    }
}
