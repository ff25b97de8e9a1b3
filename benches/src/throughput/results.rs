//! What a run found, as a report.

use larder_report::{Plot, Report, Scale, Seed, Table, Verdict, number};

use super::variant::{Case, EACH, POOL, SHARED, Variant};
use super::{Found, Plan, USERS};
use crate::seeds::figure::Figure;
use crate::turns::{self, median};

/// Tables, plots, and how they stand to the goals.
pub(super) fn report(scale: Scale, redis: &str, all: &[Found]) -> Report {
    let about = "users who ask Redis again at once: three writes, or one cached read, a request";
    let mut report = Report::new("throughput", about, scale);
    report.version("server", redis);
    report.notes = notes(Plan::of(scale));
    report.notes.extend(failures(all));
    for case in Case::ALL {
        let found = Of { all, case };
        report.tables.push(found.table());
        report.plots.push(found.plot());
        report.verdicts.extend(found.verdicts());
    }
    let writes = Of {
        all,
        case: Case::Writes,
    };
    report.seeds = writes.seeds();
    report
}

fn notes(plan: &Plan) -> Vec<String> {
    let Plan { rounds, times } = plan;
    let time = times.measured.as_secs_f64();
    let figures = format!(
        "Medians of {rounds} turns of {time} s each, the variants one after another in every turn, each in a process of its own; \
         a ratio is the median of those of each turn. Run time and counts are sums."
    );
    let users = "The users live in the process that is measured: a thread each where callers block, tasks of one thread with \
         larder. No HTTP lies between, so processor time and memory are the users' too.";
    let writes = "A write is a SET of 200 bytes with an end. Three of them are three trips where callers block, unless it is said \
         that they are one pipeline; over larder-redis they are one batch, or three puts of its store under way at once. \
         `put_many` of a cache does more than the others: it takes tickets, so that no load that is under way can bring an \
         old value back, and tells other nodes.";
    let reads = "A read finds one of 1,000 deals, small numbers more often, cold at the start; the source takes 2 ms. Callers that \
         block look, load and store by hand. Source calls are those since the start, with the time before what is measured.";
    let fair =
        "A connection per thread is the fair baseline; the seeds' own was one shared connection.";
    let notes = [&figures, users, writes, reads, fair];
    notes.map(str::to_owned).into()
}

fn failures(all: &[Found]) -> impl Iterator<Item = String> {
    all.iter().filter_map(|found| {
        let mut failures = found
            .figures
            .iter()
            .filter_map(|figure| figure.failure.as_ref());
        let why = failures.next()?;
        let (users, variant) = (found.users, found.variant.name());
        Some(format!("Requests failed ({variant}, {users} users): {why}"))
    })
}

/// What was found of one case.
struct Of<'a> {
    all: &'a [Found],
    case: Case,
}

impl Of<'_> {
    fn figures(&self, variant: Variant, users: u64) -> &[Figure] {
        let mut all = self.all.iter();
        let found = all
            .find(|found| (found.case, found.variant, found.users) == (self.case, variant, users));
        found.map_or(&[], |found| &found.figures)
    }

    fn middle(&self, variant: Variant, users: u64, number: impl Fn(&Figure) -> f64) -> f64 {
        median(self.figures(variant, users).iter().map(number))
    }

    fn rate(&self, variant: Variant, users: u64) -> f64 {
        self.middle(variant, users, Figure::rate)
    }

    /// The requests a second of one variant over those of another.
    fn ratio(&self, variant: Variant, to: Variant, users: u64) -> f64 {
        let [ours, to] = [variant, to].map(|variant| self.figures(variant, users));
        turns::ratio(ours, to, Figure::rate)
    }

    /// The least of the ratios at each number of users.
    fn least(&self, variant: Variant, to: Variant) -> f64 {
        let ratios = USERS.map(|users| self.ratio(variant, to, users));
        ratios.into_iter().fold(f64::INFINITY, f64::min)
    }

    fn table(&self) -> Table {
        let title = match self.case {
            Case::Writes => "Three writes a request",
            Case::Reads => "One cached read a request",
        };
        let columns = [
            "users",
            "variant",
            "run time, s",
            "TPS",
            "peak TPS",
            "executed",
            "successful",
            "p50, µs",
            "p99, µs",
            "CPU a request, µs",
            "of the server, µs",
            "memory, MiB",
            "source calls",
            "saved",
            "× shared",
            "× pool",
            "× per thread",
        ];
        // What has no source needs no columns for it.
        let shown = |column: &usize| self.case == Case::Reads || !(12..14).contains(column);
        let shown: Vec<_> = (0..columns.len()).filter(shown).collect();
        let mut table = Table::new(title, shown.iter().map(|&column| columns[column]));
        for users in USERS {
            for &variant in self.case.variants() {
                let row = self.row(variant, users);
                table.row(shown.iter().map(|&column| row[column].clone()));
            }
        }
        table
    }

    fn row(&self, variant: Variant, users: u64) -> [String; 17] {
        let figures = self.figures(variant, users);
        let sum = |count: fn(&Figure) -> u64| number(figures.iter().map(count).sum::<u64>() as f64);
        let middle = |of: fn(&Figure) -> f64| number(self.middle(variant, users, of));
        let source = |of: fn(u64, u64) -> f64| {
            let source = figures.iter().filter_map(|figure| figure.source);
            let counts: Vec<_> = source
                .map(|source| of(source.answers, source.calls))
                .collect();
            (!counts.is_empty()).then(|| median(counts))
        };
        let calls = source(|_, calls| calls as f64);
        let saved = source(|answers, calls| 100.0 * (1.0 - calls as f64 / answers as f64));
        let time: f64 = figures.iter().map(|figure| figure.time).sum();
        let to = |baseline| number(self.ratio(variant, baseline, users));
        [
            users.to_string(),
            variant.name().to_owned(),
            number(time),
            middle(Figure::rate),
            middle(|figure| figure.peak),
            sum(|figure| figure.executed),
            sum(|figure| figure.successful),
            middle(|figure| figure.p50),
            middle(|figure| figure.p99),
            middle(|figure| figure.ours),
            middle(|figure| figure.server),
            middle(|figure| figure.memory),
            calls.map(number).unwrap_or_default(),
            saved.map(|part| format!("{part:.2} %")).unwrap_or_default(),
            to(SHARED),
            to(POOL),
            to(EACH),
        ]
    }

    fn plot(&self) -> Plot {
        let title = match self.case {
            Case::Writes => "Three writes a request",
            Case::Reads => "One cached read a request",
        };
        let plot = Plot::bars(
            title,
            "requests a second",
            USERS.map(|users| format!("{users} users")),
        );
        let variants = self.case.variants().iter();
        variants.fold(plot, |plot, &variant| {
            let (name, rates) = (variant.name(), USERS.map(|users| self.rate(variant, users)));
            plot.subject(name, rates, name.starts_with("larder"))
        })
    }

    /// The least ratio of all numbers of users counts.
    fn verdicts(&self) -> Vec<Verdict> {
        let all = match self.case {
            Case::Writes => vec![
                (Variant::Batch, EACH, Some((2.0, 3.5))),
                (Variant::Batch, POOL, Some((2.5, 5.0))),
                (Variant::Joined, EACH, None),
                (Variant::Batch, Variant::Pipelined, None),
                (Variant::Cache, EACH, None),
            ],
            Case::Reads => vec![
                (Variant::Far, EACH, Some((2.0, 5.0))),
                (Variant::Near, EACH, Some((2.0, 10.0))),
                (Variant::Far, POOL, None),
                (Variant::Far, SHARED, None),
            ],
        };
        let verdicts = all
            .into_iter()
            .map(|(ours, to, bounds)| self.verdict(ours, to, bounds));
        verdicts.collect()
    }

    fn verdict(&self, ours: Variant, to: Variant, bounds: Option<(f64, f64)>) -> Verdict {
        let what = match self.case {
            Case::Writes => "seed S1, three SETs",
            Case::Reads => "seed S1, cached reads",
        };
        let row = format!("{what}: {}", ours.name());
        let verdict = Verdict::higher(row, to.name(), self.least(ours, to));
        let each =
            USERS.map(|users| format!("{}× at {users} users", number(self.ratio(ours, to, users))));
        let verdict = verdict.note(each.join(", "));
        match bounds {
            Some((floor, goal)) => verdict.floor(floor).goal(goal),
            None => verdict,
        }
    }

    /// Its blocking side was a template over one connection; its other one had one as well.
    fn seeds(&self) -> Vec<Seed> {
        let blocking = [1_196.4, 1_416.6, 1_554.4];
        let reactive = [2_316.3, 2_579.1, 2_675.1];
        let mut seeds = Vec::new();
        for ((users, blocking), reactive) in USERS.into_iter().zip(blocking).zip(reactive) {
            let [shared, each, ours] =
                [SHARED, EACH, Variant::Batch].map(|variant| self.rate(variant, users));
            let what = |what: &str| format!("{users} users, three writes, {what}");
            let rate = "requests a second";
            let ratio = reactive / blocking;
            seeds.extend([
                Seed::new(
                    what("blocking (ours: one shared connection)"),
                    rate,
                    blocking,
                    shared,
                ),
                Seed::new(what("not blocking (ours: one batch)"), rate, reactive, ours),
                Seed::new(
                    what("over one shared connection"),
                    "×",
                    ratio,
                    ours / shared,
                ),
                Seed::new(
                    what("over a connection per thread"),
                    "×",
                    ratio,
                    ours / each,
                ),
            ]);
        }
        seeds
    }
}
