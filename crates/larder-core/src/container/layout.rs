//! Where what lies in a container.

/// Bytes of the token, with which a container begins.
pub(super) const TOKEN: usize = 16;

/// Bytes of a part before its barriers: schema, flags, count of barriers, how much earlier than the
/// key it ends (48 bits, milliseconds), length of the frame.
pub(super) const PART: usize = 20;
pub(super) const FLAGS: usize = 8;
pub(super) const COUNT: usize = 9;
pub(super) const EARLIER: usize = 10;
pub(super) const LENGTH: usize = 16;

/// Bytes of a barrier: its name's digest, then the head of its token.
pub(super) const BARRIER: usize = 16;
pub(super) const BARRIER_TOKEN: usize = 8;

/// The flag of a part that was expired.
pub(super) const EXPIRED: u8 = 1;
