//! `codec`: what a value costs in each form, next to serde_json alone.
//!
//! Each form is written and read in rounds, one after the other, so that what disturbs the machine
//! disturbs them all; a figure is the median of its rounds.

use std::hint::black_box;

use larder::{Codec, Json, Postcard};
use serde::{Deserialize, Serialize};

use crate::micro::{median, thread_time};

/// How much is measured.
pub(crate) struct Plan {
    rounds: usize,
    /// Values that are written, and read, in one round.
    values: u32,
}

/// What the goals are measured with.
pub(crate) const FULL: Plan = Plan {
    rounds: 31,
    values: 20_000,
};

/// A look in a few seconds.
pub(crate) const QUICK: Plan = Plan {
    rounds: 9,
    values: 2_000,
};

/// As the example service has them.
#[derive(Clone, Serialize, Deserialize)]
struct Deal {
    no: u64,
    title: String,
    region: String,
    category: String,
    sold: bool,
    cents: i64,
    lines: Vec<Line>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Line {
    product: String,
    quantity: u32,
    discount: f64,
}

fn deal() -> Deal {
    let line = |quantity| Line {
        product: "FUR-CH-10000454".to_owned(),
        quantity,
        discount: 0.2,
    };
    Deal {
        no: 5_196,
        title: "Hon Deluxe Fabric Upholstered Stacking Chairs, Rounded Back".to_owned(),
        region: "South".to_owned(),
        category: "Furniture".to_owned(),
        sold: true,
        cents: 73_194,
        lines: vec![line(3), line(12)],
    }
}

type Write = fn(&Deal, &mut Vec<u8>);
type Read = fn(&[u8]) -> Option<Deal>;

/// The forms; the first is what the others are compared with.
const FORMS: [(&str, Write, Read); 3] = [
    (
        "serde_json",
        |deal, out| serde_json::to_writer(out, deal).expect("a deal has a form"),
        |bytes| serde_json::from_slice(bytes).ok(),
    ),
    (
        "Json",
        |deal, out| Json.encode(deal, out).expect("a deal has a form"),
        |bytes| Json.decode(bytes).ok(),
    ),
    (
        "Postcard",
        |deal, out| Postcard.encode(deal, out).expect("a deal has a form"),
        |bytes| Postcard.decode(bytes).ok(),
    ),
];

/// Nanoseconds a value, of every round.
#[derive(Default)]
struct Times {
    write: Vec<f64>,
    read: Vec<f64>,
}

/// Measures and prints the table.
pub(crate) fn run(plan: &Plan) {
    let deal = deal();
    let forms: Vec<_> = FORMS
        .iter()
        .map(|(_, write, _)| {
            let mut bytes = Vec::new();
            write(&deal, &mut bytes);
            bytes
        })
        .collect();
    let mut times: Vec<_> = FORMS.iter().map(|_| Times::default()).collect();
    for _ in 0..plan.rounds {
        for ((form, bytes), times) in FORMS.iter().zip(&forms).zip(&mut times) {
            round(plan, form, &deal, bytes, times);
        }
    }
    println!("| form | write, ns | read, ns | both, of serde_json | bytes | of serde_json |");
    println!("|---|---|---|---|---|---|");
    let mut base = None;
    for (((name, ..), bytes), times) in FORMS.iter().zip(&forms).zip(times) {
        let (write, read) = (median(times.write), median(times.read));
        let size = bytes.len() as f64;
        let (time, length) = *base.get_or_insert((write + read, size));
        let (both, length) = ((write + read) / time, size / length);
        println!("| {name} | {write:.0} | {read:.0} | {both:.2} | {size} | {length:.2} |");
    }
}

fn round(
    plan: &Plan,
    (_, write, read): &(&str, Write, Read),
    deal: &Deal,
    bytes: &[u8],
    times: &mut Times,
) {
    let each = |began| (thread_time() - began).as_nanos() as f64 / f64::from(plan.values);
    // Larger than any form, as a cache's buffer is after its first value.
    let mut out = Vec::with_capacity(1_024);
    let began = thread_time();
    for _ in 0..plan.values {
        out.clear();
        write(black_box(deal), &mut out);
        black_box(&out);
    }
    times.write.push(each(began));
    let began = thread_time();
    for _ in 0..plan.values {
        black_box(read(black_box(bytes)));
    }
    times.read.push(each(began));
}
