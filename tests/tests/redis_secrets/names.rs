//! Where and as whom a program connects.

use std::fmt::{Debug, Display};
use std::sync::Arc;
use std::time::Duration;

use larder::{Cache, Connection, Larder, Redis, Settings};
use larder_servers::{Server, until};
use smol::block_on;

use crate::{log, series};

const USER: &str = "canary-user";
const PASSWORD: &str = "canary-password";

/// All that a program could print.
#[derive(Default)]
struct Printed(String);

impl Printed {
    fn debug(&mut self, what: &impl Debug) {
        self.0 += &format!("{what:?}\n{what:#?}\n");
    }

    fn error(&mut self, error: &(impl Debug + Display)) {
        self.debug(error);
        self.0 += &format!("{error}\n");
    }
}

fn url(server: &Server, password: &str) -> String {
    let login = format!("redis://{USER}:{password}@");
    server.url().replace("redis://", &login)
}

fn let_in(server: &Server) {
    let password = format!(">{PASSWORD}");
    let words = [
        "ACL",
        "SETUSER",
        USER,
        "on",
        &password,
        "allkeys",
        "allchannels",
        "+@all",
    ];
    assert_eq!(server.ask(&words).unwrap(), ["OK"]);
}

/// What is refused before and while it connects.
fn refused(server: &Server, printed: &mut Printed) {
    let runtime = Arc::new(larder::Smol::global());
    let good = url(server, PASSWORD);
    for bad in [
        good.replace("redis://", "http://"),
        format!("{good}/database"),
        format!("{good}?no-such=1"),
        good.replace(&server.port().to_string(), "no-port"),
    ] {
        printed.error(&Settings::parse(&bad).unwrap_err());
    }
    let settings = Settings::parse(&url(server, &format!("{PASSWORD}-wrong"))).unwrap();
    printed.error(&block_on(Connection::connect(settings, runtime)).unwrap_err());
}

/// A cache through the loss of its server, which forgets its users, and back.
fn outage(server: &Server, printed: &mut Printed) {
    let runtime = Arc::new(larder::Smol::global());
    let settings = Settings::parse(&url(server, PASSWORD)).unwrap();
    printed.debug(&settings);
    let wire = Arc::new(Connection::open(settings, runtime.clone()).unwrap());
    let redis = Redis::over(wire.clone(), runtime, "shop");
    printed.debug(&redis);
    let larder = Larder::builder().far(redis).build().unwrap();
    let cache = larder.cache("users").ttl(Duration::from_secs(60)).far();
    let cache: Cache<u64, String> = cache.build().unwrap();
    let mut print = |wire: &Connection| {
        let load = cache.get_or_load(&5, || async { "five".to_owned() });
        assert_eq!(block_on(load).unwrap(), "five");
        printed.debug(&block_on(cache.explain(&5)));
        printed.debug(&block_on(cache.invalidate(&5)));
        printed.debug(&cache.stats());
        printed.debug(&larder.stats());
        larder.record_metrics();
        printed.debug(&(wire, wire.health(), &larder, &cache));
    };
    let counts = || wire.health().counts;
    until("a connection", || (counts().connected > 0).then_some(()));
    print(&wire);
    server.kill();
    until("its loss", || (!counts().replaced.is_empty()).then_some(()));
    print(&wire);
    server.start_again();
    let denied = || {
        wire.health()
            .reason
            .filter(|reason| reason.code() == Some("WRONGPASS"))
    };
    printed.error(&until("a refusal", denied));
    let_in(server);
    until("another connection", || {
        (counts().connected > 1).then_some(())
    });
    printed.debug(&wire.health());
}

#[test]
fn users_passwords_and_addresses_are_in_no_log_no_error_no_series_and_nothing_that_is_printed() {
    log::keep();
    series::keep();
    let Some(server) = Server::start() else {
        return;
    };
    let_in(&server);
    let mut printed = Printed::default();
    refused(&server, &mut printed);
    outage(&server, &mut printed);

    let lines = log::lines();
    for shown in ["redis: connected", "reason=\"denied\" code=\"WRONGPASS\""] {
        assert!(lines.contains(shown), "{shown}: {lines}");
    }
    let names = series::names();
    for shown in ["larder_far_down", "larder_load_seconds", "users"] {
        assert!(names.contains(shown), "{shown}: {names}");
    }
    let port = format!(":{}", server.port());
    for (place, text) in [("log", &lines), ("series", &names), ("print", &printed.0)] {
        for secret in [USER, PASSWORD, "canary", "127.0.0.1", &port] {
            let found = text.lines().find(|line| line.contains(secret));
            assert_eq!(found, None, "{secret} in the {place}");
        }
    }
}
