//! What a request asks for: method and path, in the router's terms.

use hyper::header::{EXPECT, HOST, HeaderMap, HeaderValue, TRANSFER_ENCODING};
use hyper::http::uri::Authority;
use hyper::{Method, Request, StatusCode, Uri, Version};
use percent_encoding::percent_decode_str;
use tide::http::{self, Url};

use crate::problem::Problem;

/// Refuses a head that hyper lets pass but that means nothing sure.
pub(crate) fn check_head<B>(request: &Request<B>) -> Result<(), Problem> {
    check_host(request.version(), request.headers())?;
    check_codings(request.headers())?;
    match request.headers().get(EXPECT) {
        Some(expected) if !expected.as_bytes().eq_ignore_ascii_case(b"100-continue") => {
            Err(Problem::new(
                StatusCode::EXPECTATION_FAILED,
                "only 100-continue can be expected",
            ))
        }
        _ => Ok(()),
    }
}

/// One `Host` on HTTP/1.1, at most one on HTTP/1.0, and an authority if there is text in it.
fn check_host(version: Version, headers: &HeaderMap) -> Result<(), Problem> {
    let mut hosts = headers.get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) if version < Version::HTTP_11 => Ok(()),
        (None, _) => Err(Problem::bad_request("the Host header is missing")),
        (Some(_), Some(_)) => Err(Problem::bad_request("there is more than one Host header")),
        (Some(host), None) if is_host(host) => Ok(()),
        (Some(_), None) => Err(Problem::bad_request("the Host header names no host")),
    }
}

/// hyper takes any codings that end in `chunked`, and undoes only that one.
fn check_codings(headers: &HeaderMap) -> Result<(), Problem> {
    let mut codings = headers.get_all(TRANSFER_ENCODING).iter();
    let known = |coding: &HeaderValue| coding.as_bytes().eq_ignore_ascii_case(b"chunked");
    if codings.next().is_none_or(known) && codings.next().is_none() {
        return Ok(());
    }
    Err(Problem::new(
        StatusCode::NOT_IMPLEMENTED,
        "of the transfer codings only chunked is known here",
    ))
}

fn is_host(value: &HeaderValue) -> bool {
    let text = value.as_bytes();
    text.is_empty() || (!text.contains(&b'@') && Authority::try_from(text).is_ok())
}

/// The method as the router knows it; those nobody here knows are 501.
pub(crate) fn method(method: &Method) -> Result<http::Method, Problem> {
    // Not by `http::Method::from_str`, which takes `get` for `GET`.
    match *method {
        Method::GET => Ok(http::Method::Get),
        Method::HEAD => Ok(http::Method::Head),
        Method::PUT => Ok(http::Method::Put),
        Method::DELETE => Ok(http::Method::Delete),
        Method::POST => Ok(http::Method::Post),
        Method::PATCH => Ok(http::Method::Patch),
        Method::OPTIONS => Ok(http::Method::Options),
        Method::TRACE => Ok(http::Method::Trace),
        Method::CONNECT => Ok(http::Method::Connect),
        _ => Err(Problem::new(
            StatusCode::NOT_IMPLEMENTED,
            "the method is not known here",
        )),
    }
}

/// The target as the router takes it: `base` with the path and query of `uri`.
///
/// The path reaches the router byte for byte, so an encoded slash is part of its segment and a parameter is
/// decoded once, by who reads it. Dot segments, in any spelling, and bytes that no path may hold are refused:
/// `Url` would rewrite them, and then the router would see another path than a proxy in front did.
pub(crate) fn url(base: &Url, uri: &Uri) -> Result<Url, Problem> {
    let path = uri.path();
    if !path.starts_with('/') {
        return Err(Problem::bad_request("the request target is not a path"));
    }
    if !path.bytes().all(is_path_byte) {
        return Err(Problem::bad_request(
            "the path holds a character that must be percent-encoded",
        ));
    }
    if path.split('/').any(is_dots) {
        return Err(Problem::bad_request("the path holds a dot segment"));
    }
    let mut url = base.clone();
    url.set_path(path);
    url.set_query(uri.query());
    Ok(url)
}

/// RFC 3986: `pchar`, the percent sign and the slash.
fn is_path_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@%/".contains(&byte)
}

fn is_dots(segment: &str) -> bool {
    // Decoding is only needed where a segment can be short enough.
    segment.len() <= "%2e%2e".len()
        && [".", ".."]
            .iter()
            .any(|dots| percent_decode_str(segment).eq(dots.bytes()))
}
