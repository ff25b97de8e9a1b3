//! How much later the first line of a stream comes with a cache than without one.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a measurement on a terminal"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use larder::{Larder, Mode, Smol};
use larder_domain::{Answer, Deal, DealSource, Page, Saved, Selection, SourceError};
use larder_http::{App, Deals, Server};

const DEALS: u64 = 5_000;
const ROUNDS: u64 = 50;

static EXECUTOR: smol::Executor<'static> = smol::Executor::new();

/// Deals in memory: the quickest source there is, which shows the cache's part best.
struct Memory(Vec<Deal>);

impl DealSource for Memory {
    fn list(&self, selection: &Selection) -> Answer<'_, Page> {
        let after = selection.after.map_or(0, |after| after as usize);
        let end = self.0.len().min(after + selection.limit);
        let page = Page {
            deals: self.0[after..end].to_vec(),
            more: end < self.0.len(),
        };
        Box::pin(async { Ok(page) })
    }

    fn read(&self, _: u64) -> Answer<'_, Option<Deal>> {
        unused()
    }

    fn read_many(&self, _: Vec<u64>) -> Answer<'_, Vec<Deal>> {
        unused()
    }

    fn save(&self, _: &Deal) -> Answer<'_, Saved> {
        unused()
    }

    fn delete(&self, _: u64) -> Answer<'_, bool> {
        unused()
    }

    fn version(&self) -> Answer<'_, u64> {
        unused()
    }

    fn ready(&self) -> Answer<'_, ()> {
        unused()
    }
}

fn unused<T: Send + 'static>() -> Answer<'static, T> {
    Box::pin(async { Err(SourceError::unavailable("only lists are asked for here")) })
}

/// The number of the deal counts from 1.
fn deal(no: u64) -> Deal {
    Deal {
        deal_no: no,
        product_id: "OFF-ST-10000760".to_owned(),
        title: "Eldon Fold 'N Roll Cart System".to_owned(),
        category: "Office Supplies".to_owned(),
        sub_category: "Storage".to_owned(),
        region: "South".to_owned(),
        list_price_cents: 1398,
        price_cents: 1118,
        discount_percent: 20,
        stock: 2,
        starts_on: "2015-10-11".parse().unwrap(),
        ends_on: "2015-10-18".parse().unwrap(),
    }
}

/// The times to the first line and to the last, over one connection.
fn ask(client: &mut BufReader<TcpStream>, path: &str) -> (Duration, Duration) {
    let began = Instant::now();
    let request = format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n");
    client.get_mut().write_all(request.as_bytes()).unwrap();
    let mut line = String::new();
    while line != "\r\n" {
        line.clear();
        client.read_line(&mut line).unwrap();
    }
    let mut first = None;
    loop {
        line.clear();
        client.read_line(&mut line).unwrap();
        let mut chunk = vec![0; usize::from_str_radix(line.trim_end(), 16).unwrap() + 2];
        client.read_exact(&mut chunk).unwrap();
        let first = *first.get_or_insert_with(|| began.elapsed());
        if chunk.len() == 2 {
            return (first, began.elapsed());
        }
    }
}

fn main() {
    let larder = Larder::builder().runtime(Smol::on(&EXECUTOR));
    let larder = larder.build().unwrap();
    let source = Memory((1..=DEALS).map(deal).collect());
    let deals = Deals::new(&larder, Arc::new(source)).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address: SocketAddr = listener.local_addr().unwrap();
    let server = Server::new(App::new(&deals), &EXECUTOR);
    thread::spawn(move || {
        let serving = server.serve(listener, std::future::pending());
        smol::block_on(EXECUTOR.run(serving))
    });
    let mut client = BufReader::new(TcpStream::connect(address).unwrap());
    let mut took = [const { Vec::new() }; 3];
    for round in 0..ROUNDS {
        // A filter that nobody has asked for, and that all deals pass.
        let path = format!("/deals/stream?max_price_cents={}", 10_000 + round);
        larder.switch(Mode::Off);
        took[0].push(ask(&mut client, &path));
        larder.switch(Mode::On);
        took[1].push(ask(&mut client, &path));
        took[2].push(ask(&mut client, &path));
    }
    for (name, mut took) in ["no cache", "loaded", "held"].into_iter().zip(took) {
        took.sort_unstable();
        let (first, _) = took[took.len() / 2];
        took.sort_unstable_by_key(|(_, last)| *last);
        let (_, last) = took[took.len() / 2];
        println!("{name}: first line after {first:?}, last after {last:?}");
    }
}
