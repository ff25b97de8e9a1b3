//! The values that a type is given while it is traced.

/// Texts that validating types accept: anything, dates and times, addresses, identifiers, codes.
pub(super) const TEXTS: [&str; 31] = [
    "a",
    "1",
    "2000-01-01",
    "2000-01-01T00:00:00Z",
    "2000-01-01T00:00:00",
    "2000-01-01T00:00:00+00:00[UTC]",
    "00:00:00",
    "2000-01",
    "PT1S",
    "UTC",
    "00000000-0000-4000-8000-000000000000",
    "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "127.0.0.1",
    "::1",
    "127.0.0.1:80",
    "127.0.0.0/8",
    "http://example.com/",
    "a@example.com",
    "example.com",
    "1.0.0",
    "EUR",
    "US",
    "en",
    "Mon",
    "Jan",
    "#000000",
    "000000000000000000000000",
    "0000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "",
    "Zz 9",
];

/// Lengths of byte strings that validating types accept: identifiers, digests, keys.
pub(super) const LENGTHS: [usize; 9] = [16, 32, 20, 12, 8, 4, 1, 64, 0];
pub(super) const MOST_BYTES: usize = 64;

/// Letters.
pub(super) const LETTERS: [char; 3] = ['a', 'Z', '0'];

/// Numbers that validating types accept; 8 bits have no room for the last.
pub(super) const NUMBERS: [u16; 4] = [1, 0, 100, 2000];
pub(super) const SMALL_NUMBERS: [u8; 3] = [1, 0, 100];
