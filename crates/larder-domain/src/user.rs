//! The user.

use std::fmt;

/// Somebody who may sign in. Fields are numbered as in the protobuf message that users are kept as.
///
/// The two passwords go in and never come out: nothing reads them but the message's own encoding, which is for stores that
/// encrypt. `Debug` shows the id alone, because the rest is personal too.
///
/// ```
/// use larder_domain::User;
///
/// let ada = User::new("ada", "U-1", "ada@example.org", "Ada").with_passwords("secret", "secret too");
/// assert_eq!(format!("{ada:?}"), r#"User { user_id: "ada", .. }"#);
/// ```
#[derive(Clone, PartialEq, prost::Message)]
#[prost(skip_debug)]
pub struct User {
    /// What a user is found by; any text that is not blank.
    #[prost(string, tag = "1")]
    pub user_id: String,
    /// The user's number in other systems.
    #[prost(string, tag = "2")]
    pub user_code: String,
    /// Where to write to.
    #[prost(string, tag = "3")]
    pub email: String,
    #[prost(string, tag = "4")]
    password: String,
    /// What to call the user.
    #[prost(string, tag = "5")]
    pub user_name: String,
    #[prost(string, tag = "6")]
    app_password: String,
}

impl User {
    /// A number for what a message of a user looks like, for caches that keep such messages: it changes whenever a field
    /// does.
    pub const SCHEMA: u64 = 1;

    /// A user without passwords.
    pub fn new(
        user_id: impl Into<String>,
        user_code: impl Into<String>,
        email: impl Into<String>,
        user_name: impl Into<String>,
    ) -> Self {
        Self {
            user_id: user_id.into(),
            user_code: user_code.into(),
            email: email.into(),
            user_name: user_name.into(),
            ..Self::default()
        }
    }

    /// With the passwords for the site and for its apps.
    #[must_use]
    pub fn with_passwords(
        mut self,
        password: impl Into<String>,
        app_password: impl Into<String>,
    ) -> Self {
        self.password = password.into();
        self.app_password = app_password.into();
        self
    }

    /// About how many bytes it takes in memory.
    pub fn weight(&self) -> u64 {
        let texts = [
            &self.user_id,
            &self.user_code,
            &self.email,
            &self.password,
            &self.user_name,
            &self.app_password,
        ];
        let texts: usize = texts.iter().map(|text| text.len()).sum();
        (size_of::<Self>() + texts) as u64
    }
}

impl fmt::Debug for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("User")
            .field("user_id", &self.user_id)
            .finish_non_exhaustive()
    }
}
