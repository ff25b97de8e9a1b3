//! Settings: what is refused, what is read, what is shown.

use std::time::Duration;

use larder_kit::Virtual;
use larder_redis::{Address, Connection, Settings, Target};

use crate::{MS, settings};

fn refused(settings: Settings) -> String {
    let error = Connection::open(settings, Virtual::new().runtime()).unwrap_err();
    assert!(error.to_string().contains(error.setting()));
    error.to_string()
}

#[test]
fn each_wrong_setting_is_named_with_what_to_write_instead() {
    let zero = Duration::ZERO;
    let wrong: [(&str, Settings, &str); 12] = [
        ("connect_timeout", settings().connect_timeout(zero), "1 ms"),
        ("heartbeat", settings().heartbeat(zero), "1 ms"),
        ("heartbeat", settings().heartbeat(Duration::MAX), "a day"),
        ("patience", settings().patience(zero), "1 ms"),
        ("timeouts", settings().timeouts(0), "at least 1"),
        ("backoff", settings().backoff(zero, MS), "1 ms"),
        ("backoff", settings().backoff(2 * MS, MS), "shorter"),
        ("requests", settings().requests(0), "at least 1"),
        ("buffer", settings().buffer(0), "at least 1"),
        ("largest_reply", settings().largest_reply(9), "1024"),
        ("user", settings().user("shop"), "password"),
        ("authority", settings().authority("/ca"), "rediss"),
    ];
    for (name, settings, instead) in wrong {
        let says = refused(settings);
        assert!(
            says.contains(&format!("`{name}`")) && says.contains(instead),
            "{says}"
        );
    }
}

fn target(url: &str) -> Target {
    Settings::parse(url).unwrap().target().clone()
}

fn tcp(host: &str, port: u16) -> Address {
    let host = host.to_owned();
    Address::Tcp { host, port }
}

fn tls(host: &str, port: u16) -> Address {
    let host = host.to_owned();
    Address::Tls { host, port }
}

#[test]
fn every_form_of_a_url_is_read() {
    let single = |address| Target::Single(address);
    let sentinel = |sentinels, service: &str| {
        let service = service.to_owned();
        Target::Sentinel { sentinels, service }
    };
    let cluster = |nodes| Target::Cluster { nodes };
    let forms = [
        ("redis://host", single(tcp("host", 6379))),
        ("redis://host:7000/3", single(tcp("host", 7000))),
        ("valkey://u:p%40%2f@10.0.0.1:1/", single(tcp("10.0.0.1", 1))),
        ("REDIS://:p@w@host:7", single(tcp("host", 7))),
        ("redis://[::1]:7/2", single(tcp("::1", 7))),
        ("redis://[fe80::1]", single(tcp("fe80::1", 6379))),
        ("rediss://host:7?ca=/etc/ca.pem", single(tls("host", 7))),
        ("valkeys://host", single(tls("host", 6379))),
        (
            "unix:///run/redis%20/s?db=2",
            single(Address::Unix("/run/redis /s".into())),
        ),
        (
            "redis+unix:///s?user=u&pass=p",
            single(Address::Unix("/s".into())),
        ),
        (
            "redis+sentinel://u:p@a,b:5/shop/2",
            sentinel(vec![tcp("a", 26379), tcp("b", 5)], "shop"),
        ),
        (
            "rediss+sentinel://a/shop",
            sentinel(vec![tls("a", 26379)], "shop"),
        ),
        (
            "redis+cluster://a:1,[::1]:2",
            cluster(vec![tcp("a", 1), tcp("::1", 2)]),
        ),
        ("rediss+cluster://a", cluster(vec![tls("a", 6379)])),
    ];
    for (url, wanted) in forms {
        assert_eq!(target(url), wanted, "{url}");
    }
}

#[test]
fn urls_that_are_none_are_refused_without_showing_them() {
    let wrong = [
        "",
        "secret",
        "localhost:6379",
        "http://secret",
        "redis+http://secret",
        "redis://",
        "redis://:secret@",
        "redis://secret:port",
        "redis://secret:0",
        "redis://secret:70000",
        "redis://a,secret",
        "redis://host/secret",
        "redis://host?secret=1",
        "redis://[::1secret",
        "redis://secret%ff@host",
        "redis+sentinel://secret",
        "redis+sentinel://secret:1/",
        "redis+cluster://secret:x",
        "unix://secret",
    ];
    for url in wrong {
        let error = Settings::parse(url).unwrap_err();
        assert_eq!(error.setting(), "url", "{url}");
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains("secret"), "{shown}");
    }
}

#[test]
fn no_form_of_settings_shows_where_or_as_whom() {
    let urls = [
        "redis://secretuser:secretpass@secrethost:7",
        "rediss://secretuser:secretpass@secrethost:7",
        "unix:///secretpath?user=secretuser&pass=secretpass",
        "redis+sentinel://secretuser:secretpass@secrethost,secrethost/name",
        "redis+cluster://secretuser:secretpass@secrethost",
    ];
    for url in urls {
        let settings = Settings::parse(url).unwrap();
        let settings = settings.sentinel_credentials("secretuser", "secretpass");
        let shown = format!("{settings:?} {settings:#?}");
        assert!(!shown.contains("secret"), "{shown}");
    }
}
