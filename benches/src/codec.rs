//! `codec`: what a value costs in each form, next to serde_json alone.
//!
//! Each form is written and read in rounds, one after the other, so that what disturbs the machine
//! disturbs them all; a figure is the median of its rounds.

use std::hint::black_box;
use std::time::Duration;

use larder::{Codec, Json, Postcard};
use larder_report::{Plot, Report, Scale, Table, Verdict, number};
use serde::{Deserialize, Serialize};

use crate::micro::thread_time;
use crate::progress;
use crate::turns::median;

/// How much is measured.
struct Plan {
    rounds: usize,
    /// Values that are written, and read, in one round.
    values: u32,
}

/// What the goals are measured with.
const FULL: Plan = Plan {
    rounds: 31,
    values: 20_000,
};

/// A look in a few seconds.
const QUICK: Plan = Plan {
    rounds: 9,
    values: 2_000,
};

/// As the example service has them.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Deal {
    pub(crate) no: u64,
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

impl Deal {
    /// One of two lines.
    pub(crate) fn of(no: u64) -> Self {
        let line = |quantity| Line {
            product: "FUR-CH-10000454".to_owned(),
            quantity,
            discount: 0.2,
        };
        Self {
            no,
            title: "Hon Deluxe Fabric Upholstered Stacking Chairs, Rounded Back".to_owned(),
            region: "South".to_owned(),
            category: "Furniture".to_owned(),
            sold: true,
            cents: 73_194,
            lines: vec![line(3), line(12)],
        }
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

/// Measures every form.
///
/// # Errors
/// None: the forms are tried before they are measured.
pub(crate) fn run(scale: Scale) -> anyhow::Result<Report> {
    let plan = match scale {
        Scale::Quick => &QUICK,
        _ => &FULL,
    };
    let figures = measure(plan);
    let about = "what a value costs as bytes, beside serde_json alone";
    let mut report = Report::new("codec", about, scale);
    let Plan { rounds, values } = plan;
    report.notes.push(format!(
        "Median of {rounds} rounds of {values} values, without a frame."
    ));
    report.tables.push(table(&figures));
    let plot = Plot::bars(
        "A value as bytes and back",
        "ns of processor time",
        ["write", "read"],
    );
    let plot = figures.iter().fold(plot, |plot, form| {
        // Json is serde_json behind our trait.
        plot.subject(form.name, [form.write, form.read], form.name == "Postcard")
    });
    report.plots.push(plot);
    report.verdicts.extend(verdicts(&figures));
    Ok(report)
}

/// What was found of one form.
struct Figure {
    name: &'static str,
    write: f64,
    read: f64,
    bytes: f64,
}

fn measure(plan: &Plan) -> Vec<Figure> {
    let deal = Deal::of(5_196);
    let forms: Vec<_> = FORMS
        .iter()
        .map(|(_, write, _)| {
            let mut bytes = Vec::new();
            write(&deal, &mut bytes);
            bytes
        })
        .collect();
    let mut times: Vec<_> = FORMS.iter().map(|_| Times::default()).collect();
    let bar = progress::bar("codec", plan.rounds);
    for _ in 0..plan.rounds {
        for ((form, bytes), times) in FORMS.iter().zip(&forms).zip(&mut times) {
            round(plan, form, &deal, bytes, times);
        }
        bar.inc(1);
    }
    let all = FORMS.iter().zip(forms).zip(times);
    all.map(|((form, bytes), times)| Figure {
        name: form.0,
        write: median(times.write),
        read: median(times.read),
        bytes: bytes.len() as f64,
    })
    .collect()
}

fn table(figures: &[Figure]) -> Table {
    let columns = [
        "form",
        "write, ns",
        "read, ns",
        "both, of serde_json",
        "bytes",
        "of serde_json",
    ];
    let mut table = Table::new("A deal with two lines", columns);
    for form in figures {
        let (time, length) = of_base(form, figures);
        table.row([
            form.name.to_owned(),
            format!("{:.0}", form.write),
            format!("{:.0}", form.read),
            number(time),
            form.bytes.to_string(),
            number(length),
        ]);
    }
    table
}

/// Time and length as parts of the first form's.
fn of_base(form: &Figure, figures: &[Figure]) -> (f64, f64) {
    let base = &figures[0];
    let time = (form.write + form.read) / (base.write + base.read);
    (time, form.bytes / base.bytes)
}

fn verdicts(figures: &[Figure]) -> Vec<Verdict> {
    let postcard = figures.iter().filter(|form| form.name == "Postcard");
    postcard
        .flat_map(|form| {
            let (time, length) = of_base(form, figures);
            let time = Verdict::lower(
                "a deal written and read, without a frame",
                "serde_json",
                time,
            );
            let length = Verdict::lower("bytes of a deal, without a frame", "serde_json", length);
            [time.floor(0.55).goal(0.40), length.floor(0.50).goal(0.43)]
        })
        .collect()
}

fn round(
    plan: &Plan,
    (_, write, read): &(&str, Write, Read),
    deal: &Deal,
    bytes: &[u8],
    times: &mut Times,
) {
    let each = |began: Duration| (thread_time() - began).as_nanos() as f64 / f64::from(plan.values);
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
