//! Keys whose texts others took for each other, and texts that are no keys.

use std::collections::HashSet;
use std::fmt::Debug;

use larder_core::{Key, KeyError};

/// All these keys have different texts, and the texts give them back.
fn all_differ<K: Key + Debug>(keys: &[K]) {
    let texts: HashSet<_> = keys.iter().map(Key::text).collect();
    assert_eq!(texts.len(), keys.len(), "{texts:?}");
    for key in keys {
        assert_eq!(K::parse(&key.text()).as_ref(), Ok(key));
    }
}

fn pair(a: &str, b: &str) -> (String, String) {
    (a.to_owned(), b.to_owned())
}

#[test]
fn bug_c1_two_argument_lists_never_give_one_key() {
    for separator in [
        ":", "|", ",", "/", "::", "\\", "\0", "~", "'", "''", "%2C", "[", "]", "],[",
    ] {
        let joined = |a: &str, b: &str| format!("{a}{separator}{b}");
        all_differ(&[pair(&joined("a", "b"), "c"), pair("a", &joined("b", "c"))]);
        all_differ(&[pair(separator, ""), pair("", separator), pair("", "")]);
        all_differ(&[vec![joined("a", "b")], vec!["a".to_owned(), "b".to_owned()]]);
    }
    all_differ(&[
        pair("ab", "c"),
        pair("a", "bc"),
        pair("", "abc"),
        pair("abc", ""),
    ]);
    all_differ(&[pair("", "ab"), pair("ab", "")]);
    all_differ(&[
        vec![],
        vec![String::new()],
        vec![String::new(), String::new()],
    ]);
    all_differ(&[
        None,
        Some(String::new()),
        Some("~".to_owned()),
        Some("''".to_owned()),
    ]);
}

#[test]
fn bug_c5_binary_keys_are_not_read_as_text() {
    let keys = [
        vec![0xff],
        vec![0xfe],
        "\u{fffd}".as_bytes().to_vec(),
        0.25_f64.to_be_bytes().to_vec(),
        0.75_f64.to_be_bytes().to_vec(),
    ];
    all_differ(&keys);
    all_differ(&[
        0.25_f64.to_bits(),
        0.75_f64.to_bits(),
        (-0.0_f64).to_bits(),
        0.0_f64.to_bits(),
    ]);
}

#[test]
fn bug_c6_odd_texts_come_back_and_differ() {
    let long = "x".repeat(64 * 1024);
    let texts = [
        "",
        " ",
        "\u{e9}",
        "e\u{301}",
        "한글",
        "🦀",
        "a\r\nDEL x\r\n",
        "\0",
        "a\0",
        &long,
        "null",
        "None",
        "0",
        "*",
        "{a}",
        "..",
        "/",
        "a/../b",
        "%00",
        "\u{feff}",
        "\u{202e}",
    ];
    all_differ(&texts.map(str::to_owned));
    all_differ(&texts.map(|text| pair(text, "")));
}

#[test]
fn texts_are_as_documented() {
    let texts = [
        (42_u8.text(), "42"),
        ((-7_i64).text(), "-7"),
        (true.text(), "true"),
        ("a,b".to_owned().text(), "a%2Cb"),
        ("A-z0.9_".to_owned().text(), "A-z0.9_"),
        ("é".to_owned().text(), "%C3%A9"),
        (String::new().text(), "''"),
        (("EUR".to_owned(), 7_u64).text(), "EUR,7"),
        (((1_u8, 2_u8), 3_u8).text(), "1,2,3"),
        (().text(), "''"),
        (None::<u8>.text(), "~"),
        (Some(5_u8).text(), "5"),
        (Some(None::<u8>).text(), "~~"),
        (vec![1_u8, 2].text(), "[1,2]"),
        (Vec::<u8>::new().text(), "[]"),
        ([Some(1_u8), None].text(), "[1,~]"),
        (u128::MAX.text(), "340282366920938463463374607431768211455"),
        (i128::MIN.text(), "-170141183460469231731687303715884105728"),
        ('~'.text(), "%7E"),
    ];
    for (text, documented) in texts {
        assert_eq!(text, documented);
    }
}

#[test]
fn a_key_in_another_spelling_is_refused() {
    for text in [
        "007", "+7", " 7", "7 ", "", "-0", "7,", "7,8", "0x7", "7.0", "''", "~", "1e3",
    ] {
        assert!(u64::parse(text).is_err(), "{text:?}");
    }
    for text in [
        "%41", "%2c", "%zz", "%", "%C3", "%FF", "a b", "é", "", "a'", "''a", "a]", "~a",
    ] {
        assert!(String::parse(text).is_err(), "{text:?}");
    }
    for text in [
        "[1,]", "[,1]", "[1", "1]", "[1 ,2]", "[[1]]", "[1]2", "[1][2]",
    ] {
        assert!(Vec::<u8>::parse(text).is_err(), "{text:?}");
    }
    for text in ["[1]", "[1,2,3]", "[]"] {
        assert!(<[u8; 2]>::parse(text).is_err(), "{text:?}");
    }
    for text in ["~~~", "~5", "", "~~5"] {
        assert!(Option::<Option<u8>>::parse(text).is_err(), "{text:?}");
    }
    for text in ["ab", "", "%41"] {
        assert!(char::parse(text).is_err(), "{text:?}");
    }
    assert!(u8::parse("256").is_err() && u64::parse("18446744073709551616").is_err());
    assert!(bool::parse("True").is_err() && bool::parse("1").is_err());
}

#[test]
fn endless_nesting_is_refused_and_no_panic() {
    for mark in ["[", "~", ",", "''", "[~", "[,", "%", "]"] {
        let text = mark.repeat(200_000);
        assert!(Vec::<Vec<Vec<u8>>>::parse(&text).is_err());
        assert!(Option::<Option<Vec<Option<u8>>>>::parse(&text).is_err());
        assert!(Vec::<Option<String>>::parse(&text).is_err());
        assert!(<(String, String)>::parse(&text).is_err());
        assert!(Vec::<()>::parse(&text).is_err());
    }
}

#[test]
fn an_error_says_where_and_what() {
    let error = <(String, u64)>::parse("a,b").expect_err("`b` is no integer");
    assert_eq!(error, KeyError::new(2, "an integer of 64 bits"));
    assert_eq!(
        error.to_string(),
        "expected an integer of 64 bits at byte 2"
    );
    let error = <(u8, u8)>::parse("1").expect_err("a part is missing");
    assert_eq!(
        error.to_string(),
        "expected `,` and one more part at byte 1"
    );
    let error = u8::parse("1,2").expect_err("a part too many");
    assert_eq!(error.to_string(), "expected the end of the key at byte 1");
}
