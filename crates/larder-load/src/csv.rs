//! Rows for spreadsheets.

use std::fmt::Write;

use crate::{Sample, Summary};

impl Summary {
    /// The [seconds](Self::seconds) as CSV, with a line of names.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut rows = String::from("second,executed,successful,mean_ms,max_ms\n");
        for second in &self.seconds {
            // Writing to a text does not fail.
            let _ = writeln!(
                rows,
                "{},{},{},{:.3},{:.3}",
                second.second, second.executed, second.successful, second.mean_ms, second.max_ms
            );
        }
        rows
    }

    /// The [kept requests](Self::samples) as CSV, with a line of names; what did not happen is empty.
    #[must_use]
    pub fn samples_to_csv(&self) -> String {
        let mut rows = String::from("start_ms,sample_ms,latency_ms,connect_ms,error\n");
        for sample in &self.samples {
            write_sample(&mut rows, sample);
        }
        rows
    }
}

fn write_sample(rows: &mut String, sample: &Sample) {
    let some = |time: Option<f64>| time.map_or_else(String::new, |time| format!("{time:.3}"));
    // Kinds of errors have no quotes and no lines.
    let error = sample
        .error
        .as_deref()
        .map_or_else(String::new, |error| format!("\"{error}\""));
    let _ = writeln!(
        rows,
        "{:.3},{:.3},{},{},{error}",
        sample.start_ms,
        sample.sample_ms,
        some(sample.latency_ms),
        some(sample.connect_ms),
    );
}
