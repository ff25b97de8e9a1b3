//! A summary for people.

use std::fmt;

use crate::{Summary, Times};

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { users, threads, .. } = self;
        writeln!(f, "{}", self.target)?;
        write!(f, "users {users}   threads {threads}")?;
        if let Some(rate) = self.rate {
            write!(f, "   rate {rate}/s")?;
        }
        if let Some(busy) = self.busy {
            write!(f, "   busy {:.0} %", busy * 100.0)?;
        }
        writeln!(f, "   run time {:.3} s", self.run_time_s)?;
        write!(
            f,
            "executed {}   successful {}   failed {}",
            self.executed, self.successful, self.failed
        )?;
        if self.rate.is_some() {
            write!(f, "   unsent {}", self.unsent)?;
        }
        writeln!(f, "\nTPS {:.1}   peak {:.1}\n", self.tps, self.peak_tps)?;
        writeln!(
            f,
            "{:<13}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}",
            "ms", "mean", "p50", "p90", "p99", "p99.9", "max", "count"
        )?;
        row(f, "sample time", &self.sample_time)?;
        row(f, "latency", &self.latency)?;
        row(f, "connect time", &self.connect_time)?;
        for (kind, count) in &self.errors {
            writeln!(f, "{count:>9} × {kind}")?;
        }
        Ok(())
    }
}

fn row(f: &mut fmt::Formatter<'_>, name: &str, times: &Times) -> fmt::Result {
    write!(f, "{name:<13}")?;
    for time in [
        times.mean_ms,
        times.p50_ms,
        times.p90_ms,
        times.p99_ms,
        times.p999_ms,
        times.max_ms,
    ] {
        write!(f, "{time:>10.3}")?;
    }
    writeln!(f, "{:>10}", times.count)
}
