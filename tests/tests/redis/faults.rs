//! What callers of a cache see while one server fails, in each way that it can.

use std::net::{Ipv4Addr, TcpStream};
use std::thread;
use std::time::Duration;

use larder_servers::{Fault, Once, Proxy, Server, until};

use crate::callers::Callers;
use crate::respond::Respond;

/// How long a fault lasts that somebody else has to end.
const WHILE: Duration = Duration::from_millis(800);

/// A server, a way to it on which things go wrong, and callers at the end of that.
struct Scene {
    // Before the server: they call it until they are dropped.
    callers: Callers,
    proxy: Proxy,
    server: Server,
}

impl Scene {
    fn start(arguments: &[&str]) -> Option<Self> {
        let server = Server::start_with(arguments)?;
        let proxy = Proxy::new(server.port());
        let callers = Callers::start(&proxy.url());
        Some(Self {
            callers,
            proxy,
            server,
        })
    }

    /// Lets a fault happen, which ends before this closure does or by itself, and waits until values
    /// come from the far tier again.
    fn through(&self, what: &str, fault: impl FnOnce()) {
        self.callers.through(what, &self.server, &[], fault);
        self.callers.stop_changing();
        until("a value of the far tier", || {
            self.callers.seen().how.contains_key("far").then_some(())
        });
    }

    /// As [`through`](Self::through), for a fault that shows by the connection being replaced.
    fn through_replaced(&self, what: &str, fault: impl FnOnce()) {
        let before = self.callers.connected();
        self.through(what, || {
            fault();
            until("another connection", || {
                (self.callers.connected() > before).then_some(())
            });
        });
    }

    /// As [`through_replaced`](Self::through_replaced), for what happens to one answer: it may hit the
    /// connection for what is published, and then happens again.
    fn through_once(&self, what: &str, once: &Once) {
        let counted = || (self.callers.connected(), self.callers.listening());
        self.through(what, || {
            let (before, mut heard) = counted();
            self.proxy.once(once.clone());
            until("another connection", || {
                let (now, hears) = counted();
                if now == before && hears > heard {
                    heard = hears;
                    self.proxy.once(once.clone());
                }
                (now > before).then_some(())
            });
        });
    }

    fn set(&self, name: &str, value: &str) {
        let said = self.server.ask(&["CONFIG", "SET", name, value]).unwrap();
        assert_eq!(said, ["OK"]);
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "it is the length of a fault that is tried"
)]
fn lasts(time: Duration) {
    thread::sleep(time);
}

#[test]
fn killed_and_started_again_with_what_it_had() {
    let Some(scene) = Scene::start(&[]) else {
        return;
    };
    scene.through_replaced("killed, back after 0.8 s with its data", || {
        scene.server.save();
        scene.server.kill();
        lasts(WHILE);
        scene.server.start_again();
    });
}

#[test]
fn killed_and_started_again_with_nothing() {
    let Some(scene) = Scene::start(&[]) else {
        return;
    };
    scene.through_replaced("killed, back after 0.8 s without its data", || {
        scene.server.kill();
        lasts(WHILE);
        scene.server.start_empty();
    });
}

#[test]
fn stands_still_for_five_seconds() {
    let Some(scene) = Scene::start(&[]) else {
        return;
    };
    scene.through_replaced("stopped for 5 s", || {
        scene.server.pause();
        lasts(Duration::from_secs(5));
        scene.server.go_on();
    });
}

#[test]
fn closes_all_connections() {
    let Some(scene) = Scene::start(&[]) else {
        return;
    };
    scene.through_replaced("CLIENT KILL", || {
        let _ = scene.server.ask(&["CLIENT", "KILL", "TYPE", "normal"]);
        let _ = scene.server.ask(&["CLIENT", "KILL", "TYPE", "pubsub"]);
    });
}

#[test]
fn is_full() {
    let Some(scene) = Scene::start(&[]) else {
        return;
    };
    scene.through("full for 0.8 s", || {
        scene.set("maxmemory", "1");
        scene.callers.change_again();
        lasts(WHILE);
        scene.set("maxmemory", "0");
    });
}

#[test]
fn loads_its_data() {
    let Some(scene) = Scene::start(&[]) else {
        return;
    };
    let loading = Respond::new(|_, _| Some(b"-LOADING Redis is loading the dataset\r\n".into()));
    let url = loading.url();
    let (_, port) = url.rsplit_once(':').unwrap();
    let port = port.parse().unwrap();
    scene.through_replaced("LOADING for 0.8 s", || {
        scene.proxy.lead_to(port);
        scene.proxy.cut();
        lasts(WHILE);
        scene.proxy.lead_to(scene.server.port());
    });
}

#[test]
fn becomes_a_replica_and_a_master_again() {
    // It would wait for more replicas first.
    let other = Server::start_with(&["--repl-diskless-sync-delay", "0"]);
    let (Some(scene), Some(other)) = (Scene::start(&[]), other) else {
        return;
    };
    scene.through("READONLY for 0.8 s", || {
        scene.server.follow(&other);
        scene.callers.change_again();
        lasts(WHILE);
        scene.server.promote();
    });
}

#[test]
fn wants_another_password_and_then_the_right_one() {
    let Some(server) = Server::start() else {
        return;
    };
    let user = |words: &[&str]| {
        let words = [&["ACL", "SETUSER", "shop"], words].concat();
        assert_eq!(server.ask(&words).unwrap(), ["OK"]);
    };
    user(&["on", ">right", "allkeys", "allchannels", "+@all"]);
    let url = server.url().replace("redis://", "redis://shop:right@");
    let callers = Callers::start(&url);
    callers.through("another password for 0.8 s", &server, &[], || {
        user(&["resetpass", ">other"]);
        let _ = server.ask(&["CLIENT", "KILL", "USER", "shop"]);
        lasts(WHILE);
        user(&["resetpass", ">right"]);
    });
}

#[test]
fn permits_nothing_any_more() {
    let Some(server) = Server::start() else {
        return;
    };
    let user = |words: &[&str]| {
        let words = [&["ACL", "SETUSER", "shop"], words].concat();
        assert_eq!(server.ask(&words).unwrap(), ["OK"]);
    };
    user(&["on", ">right", "allkeys", "allchannels", "+@all"]);
    let url = server.url().replace("redis://", "redis://shop:right@");
    let callers = Callers::start(&url);
    callers.through("no permission for 0.8 s", &server, &[], || {
        user(&["-@all"]);
        callers.change_again();
        lasts(WHILE);
        user(&["+@all"]);
    });
}

#[test]
fn answers_garbage() {
    let Some(scene) = Scene::start(&[]) else {
        return;
    };
    let garbage = b"\0HTTP/1.1 400\r\n".to_vec();
    scene.through_once("garbage", &Once::Before(garbage));
}

#[test]
fn cuts_an_answer() {
    let Some(scene) = Scene::start(&[]) else {
        return;
    };
    scene.through_once("an answer cut short", &Once::Cut(3));
}

#[test]
fn answers_once_too_often() {
    let Some(scene) = Scene::start(&[]) else {
        return;
    };
    let surplus = b"$5\r\nwrong\r\n".to_vec();
    scene.through_once("an answer too many", &Once::Before(surplus));
}

#[test]
fn is_slow() {
    let Some(scene) = Scene::start(&[]) else {
        return;
    };
    scene.through("50 ms each way for 0.8 s", || {
        scene.proxy.delay(Duration::from_millis(50));
        scene.callers.change_again();
        lasts(WHILE);
        scene.proxy.delay(Duration::ZERO);
    });
}

#[test]
fn takes_no_more_connections() {
    let Some(scene) = Scene::start(&["--maxclients", "12"]) else {
        return;
    };
    scene.through_replaced("no connection left for 0.8 s", || {
        scene.proxy.cut();
        let port = scene.server.port();
        let others = (0..16).map(|_| TcpStream::connect((Ipv4Addr::LOCALHOST, port)));
        let others: Vec<_> = others.collect();
        lasts(WHILE);
        drop(others);
    });
}

#[test]
fn is_reached_in_one_direction_only() {
    let Some(scene) = Scene::start(&[]) else {
        return;
    };
    scene.through_replaced("half open for 3 s", || {
        scene.proxy.fault(Fault::Swallow);
        lasts(Duration::from_secs(3));
        scene.proxy.fault(Fault::None);
    });
}
