//! Saying who asks.

use super::encoding::write_words;
use crate::connection::settings::Settings;

/// Appends what says who asks and for which database, and says how many requests that is.
pub(super) fn identify(settings: &Settings, out: &mut Vec<u8>) -> usize {
    let mut requests = 0;
    let credentials = &settings.credentials;
    if let Some(password) = &credentials.password {
        let user = credentials.user.as_deref().unwrap_or("default");
        write_words(out, [&b"AUTH"[..], user.as_bytes(), password.as_bytes()]);
        requests += 1;
    }
    if settings.database != 0 {
        let number = settings.database.to_string();
        write_words(out, [&b"SELECT"[..], number.as_bytes()]);
        requests += 1;
    }
    requests
}
