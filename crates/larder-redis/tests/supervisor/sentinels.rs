//! The master that sentinels name, under virtual time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use bytes::Bytes;
use larder_kit::Virtual;
use larder_redis::{ConnectErrorKind, Connection, Reply, State};

use crate::MS;
use crate::states::ask;
use crate::town::{Server, Town};

const URL: &str = "redis+sentinel://sentinels:1,sentinels:2/shop";

/// Two sentinels, and two servers of which they name one.
struct Place {
    time: Virtual,
    town: Town,
    sentinels: [Arc<Server>; 2],
    servers: [Arc<Server>; 2],
    named: [Arc<AtomicU16>; 2],
}

/// A server that says what it is; who answers a request is seen by its port.
fn serves(port: u16, role: &'static str) -> impl Fn(&str, &[Bytes]) -> Reply + Send + 'static {
    move |name, _| match name {
        "ROLE" => Reply::Array(vec![Reply::bytes(role), Reply::Int(0)]),
        _ => Reply::Int(port.into()),
    }
}

impl Place {
    fn new() -> Self {
        let (time, mut town) = (Virtual::new(), Town::default());
        let named = [(); 2].map(|()| Arc::new(AtomicU16::new(10)));
        let sentinels = [1, 2].map(|port: u16| {
            let named = named[usize::from(port) - 1].clone();
            town.add(port, &time, move |_, _| {
                match named.load(Ordering::Relaxed) {
                    0 => Reply::Nil,
                    port => Reply::Array(vec![
                        Reply::bytes("servers"),
                        Reply::bytes(port.to_string()),
                    ]),
                }
            })
        });
        let servers = [(10, "master"), (20, "slave")];
        let servers = servers.map(|(port, role)| town.add(port, &time, serves(port, role)));
        Self {
            time,
            town,
            sentinels,
            servers,
            named,
        }
    }

    fn open(self) -> Stage {
        Stage {
            connection: self.town.open(URL, &self.time),
            time: self.time,
            sentinels: self.sentinels,
            servers: self.servers,
            named: self.named,
        }
    }
}

struct Stage {
    connection: Connection,
    time: Virtual,
    sentinels: [Arc<Server>; 2],
    servers: [Arc<Server>; 2],
    named: [Arc<AtomicU16>; 2],
}

impl Stage {
    /// The second server leads from now on, and these sentinels know.
    fn fail_over(&self, known_to: &[usize]) {
        self.servers[0].says(serves(10, "slave"));
        self.servers[1].says(serves(20, "master"));
        for sentinel in known_to {
            self.named[*sentinel].store(20, Ordering::Relaxed);
        }
    }

    /// Which server answers; 0: none.
    fn answers(&self) -> i64 {
        match ask(&self.connection, &self.time) {
            Ok(Reply::Int(port)) => port,
            Ok(other) => panic!("{other:?}"),
            Err(_) => 0,
        }
    }

    fn generation(&self) -> u64 {
        match self.connection.health().state {
            State::Connected { generation, .. } => generation,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_sentinel_that_hangs_holds_up_the_next_for_a_part_of_the_attempt() {
    let place = Place::new();
    place.sentinels[0].door.close();
    let stage = place.open();
    // Half of a second for both.
    stage.time.advance(249 * MS);
    assert_eq!(stage.answers(), 0);
    stage.time.advance(MS);
    assert_eq!(stage.answers(), 10);
}

#[test]
fn a_sentinel_that_names_what_leads_no_more_is_passed_over_in_no_time() {
    let place = Place::new();
    place.servers[0].says(serves(10, "slave"));
    place.servers[1].says(serves(20, "master"));
    place.named[1].store(20, Ordering::Relaxed);
    let stage = place.open();
    assert_eq!(stage.answers(), 20);
}

#[test]
fn bug_g9_another_master_is_found_at_a_heartbeat_and_sooner_where_a_sentinel_tells() {
    for told in [false, true] {
        let stage = Place::new().open();
        stage.time.advance(10_500 * MS);
        assert_eq!((stage.answers(), stage.generation()), (10, 1));
        stage.fail_over(&[0, 1]);
        let tell = |sentinel: &Arc<Server>| {
            let ears = sentinel.ears.lock().unwrap();
            ears.iter()
                .any(|ear| ear.publish("+switch-master", "shop …"))
        };
        let listened = told && stage.sentinels.iter().any(tell);
        assert_eq!(told, listened);
        stage.time.run_until_idle();
        if !told {
            stage.time.advance(499 * MS);
            assert_eq!(stage.answers(), 10);
            stage.time.advance(MS);
        }
        assert_eq!(
            (stage.answers(), stage.generation()),
            (20, 2),
            "told: {told}"
        );
        let before = stage.servers[0].asked("GET");
        stage.time.advance(Duration::from_secs(60));
        assert_eq!((stage.answers(), stage.generation()), (20, 2));
        assert_eq!(stage.servers[0].asked("GET"), before);
    }
}

#[test]
fn a_sentinel_that_is_late_undoes_no_failover() {
    let stage = Place::new().open();
    stage.fail_over(&[1]);
    // Whoever was asked first: the old master says itself that it is none.
    stage.time.advance(Duration::from_secs(3));
    assert_eq!(stage.answers(), 20);
    let generation = stage.generation();
    stage.time.advance(Duration::from_secs(60));
    assert_eq!((stage.answers(), stage.generation()), (20, generation));
}

#[test]
fn sentinels_that_hang_or_are_gone_are_no_reason_to_lose_the_master() {
    for hangs in [true, false] {
        let stage = Place::new().open();
        for sentinel in &stage.sentinels {
            if hangs {
                sentinel.door.close();
                sentinel.answers.close();
            } else {
                sentinel.down.open();
            }
        }
        stage.time.advance(Duration::from_secs(60));
        assert_eq!(
            (stage.answers(), stage.generation()),
            (10, 1),
            "hangs: {hangs}"
        );
    }
}

#[test]
fn a_master_that_is_silent_is_left_as_any_server_is_and_found_again() {
    let stage = Place::new().open();
    stage.time.advance(Duration::from_secs(10));
    stage.servers[0].answers.close();
    stage.time.advance(1999 * MS);
    assert_eq!(stage.servers[0].dialled().len(), 1);
    stage.time.advance(MS);
    assert_eq!(stage.servers[0].dialled().len(), 2);
    stage.servers[0].answers.open();
    stage.time.advance(Duration::from_secs(2));
    assert_eq!(stage.answers(), 10);
}

#[test]
fn a_service_without_a_master_is_asked_for_until_it_has_one() {
    let place = Place::new();
    for named in &place.named {
        named.store(0, Ordering::Relaxed);
    }
    let stage = place.open();
    stage.time.advance(Duration::from_secs(60));
    let why = stage.connection.health().reason.unwrap();
    assert_eq!(why.kind(), ConnectErrorKind::NoMaster);
    stage.named[1].store(10, Ordering::Relaxed);
    // The longest pause between two attempts.
    stage.time.advance(Duration::from_secs(1));
    assert_eq!(stage.answers(), 10);
}
