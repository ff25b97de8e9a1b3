//! `/users/{id}`.

use hyper::StatusCode;
use hyper::header::{CACHE_CONTROL, HeaderValue};
use larder_domain::User;
use serde::Serialize;

use super::source_failed;
use crate::Users;
use crate::cache_status;
use crate::call::{Call, add_read};
use crate::json;
use crate::problem::Problem;
use crate::reply::Reply;

/// The longest id, in bytes.
const MOST: usize = 128;

pub(crate) fn add(routes: &mut tide::Server<()>, users: &Users) {
    // The router takes no empty segment for a parameter, yet it is a wrong id, not an unknown path.
    for path in ["/users/:id", "/users/"] {
        add_read(routes, path, users, read);
    }
}

/// A user as clients see it.
#[derive(Serialize)]
struct Shown<'a> {
    user_id: &'a str,
    user_code: &'a str,
    email: &'a str,
    user_name: &'a str,
}

async fn read(call: Call<Users>) -> Result<Reply, Problem> {
    let id = id(&call)?;
    let (answer, why) = larder::observe(call.service().user(&id)).await;
    let reply = match answer {
        Ok(Some(user)) => json::reply(StatusCode::OK, &Shown::of(&user))?,
        Ok(None) => Problem::new(StatusCode::NOT_FOUND, "there is no user of this id").into_reply(),
        Err(error) => source_failed("users", &error).into_reply(),
    };
    // Who is between us and the client has no business keeping it.
    let reply = reply.with(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(cache_status::add(reply, &why))
}

/// The id in the path, decoded once.
fn id(call: &Call<Users>) -> Result<String, Problem> {
    let id = call.param("id")?;
    if id.trim().is_empty() || id.len() > MOST || id.chars().any(char::is_control) {
        let detail = format!(
            "`id` must be a text of 1 to {MOST} bytes, not blank, without control characters"
        );
        return Err(Problem::parameter("id", detail));
    }
    Ok(id.into_owned())
}

impl<'a> Shown<'a> {
    fn of(user: &'a User) -> Self {
        Self {
            user_id: &user.user_id,
            user_code: &user.user_code,
            email: &user.email,
            user_name: &user.user_name,
        }
    }
}
