//! What of a user is seen, and what its message looks like.

use larder_domain::User;
use prost::Message;

const SECRETS: [&str; 2] = ["canary-password", "canary-app-password"];

fn ada() -> User {
    User::new("ada", "U-1", "ada@example.org", "Ada").with_passwords(SECRETS[0], SECRETS[1])
}

#[test]
fn passwords_are_in_no_text_of_a_user() {
    for text in [format!("{:?}", ada()), format!("{:#?}", Some(ada()))] {
        assert!(text.contains("ada"), "{text}");
        for secret in SECRETS.into_iter().chain(["ada@example.org"]) {
            assert!(!text.contains(secret), "{text}");
        }
    }
}

#[test]
fn what_cannot_be_read_is_named_without_its_content() {
    let mut bytes = ada().encode_to_vec();
    let at = bytes.windows(6).position(|part| part == b"canary");
    bytes[at.expect("a password")] = 0xff;
    let error = User::decode(&bytes[..]).expect_err("no UTF-8");
    for text in [format!("{error}"), format!("{error:?}")] {
        assert!(!text.contains("anary"), "{text}");
    }
}

/// Programs of before and after read the same bytes as long as [`User::SCHEMA`] is the same.
#[test]
fn the_message_is_these_bytes() {
    let golden = b"\x0a\x03ada\x12\x03U-1\x1a\x0fada@example.org\x22\x0fcanary-password\x2a\x03Ada\x32\x13canary-app-password";
    assert_eq!(ada().encode_to_vec(), golden);
    assert_eq!(User::decode(&golden[..]).expect("a user"), ada());
    assert_eq!(User::SCHEMA, 1);
}
