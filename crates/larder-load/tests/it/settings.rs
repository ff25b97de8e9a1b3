//! Settings that make no load are refused before anything is sent.

use std::time::Duration;

use larder_load::{Http, Load, Problem, Redis};

use crate::server::{OK, Server};

#[test]
fn every_bound_is_kept() {
    let server = Server::http(|_| OK.to_vec());
    let load = || Load::new(server.target());
    let hour = Duration::from_secs(3601);
    for (what, load) in [
        ("users", load().users(0)),
        ("users", load().users(50_001)),
        ("threads", load().threads(0)),
        ("threads", load().users(100).threads(65)),
        ("rate", load().rate(0.0)),
        ("rate", load().rate(f64::NAN)),
        ("rate", load().rate(f64::INFINITY)),
        ("warm-up", load().warm_up(hour)),
        ("duration", load().duration(Duration::ZERO)),
        ("duration", load().duration(hour)),
        ("requests", load().requests(0)),
        ("each", load().each(0)),
        ("timeout", load().timeout(Duration::ZERO)),
        ("timeout", load().timeout(hour)),
        ("keep", load().keep(1_000_001)),
    ] {
        let problem = load.run().expect_err(what);
        assert!(matches!(problem, Problem::Setting(_)), "{problem}");
        assert!(problem.to_string().starts_with(what), "{problem}");
    }
}

/// Of the range for documentation: nobody has it.
const ELSEWHERE: &str = "192.0.2.1";

#[test]
fn another_machine_is_left_alone_unless_it_is_asked_for() {
    let load = Load::new(Http::parse(&format!("http://{ELSEWHERE}:9/")).expect("a URL"));
    let problem = load.run().expect_err("elsewhere");
    assert!(matches!(problem, Problem::Elsewhere(_)), "{problem}");
    let load = load.anywhere(true).timeout(Duration::from_millis(20));
    let problem = load.run().expect_err("nobody there");
    assert!(matches!(problem, Problem::Unreachable(_, _)), "{problem}");
}

#[test]
fn a_target_without_requests_is_refused() {
    let redis = Redis::parse("redis://127.0.0.1:1").expect("a URL");
    let problem = Load::new(redis).run().expect_err("no command");
    assert!(matches!(problem, Problem::Setting(_)), "{problem}");
}
