//! A report on a terminal.

use crate::{Report, Seed, Standing, Table, Verdict, number};
use std::fmt;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.experiment, self.about)?;
        writeln!(f, "{}", self.origin())?;
        for note in &self.notes {
            writeln!(f, "{note}")?;
        }
        let verdicts = &self.verdicts;
        let more = [
            goals(verdicts),
            compared(verdicts),
            beside_seeds(&self.seeds),
        ];
        for table in self.tables.iter().chain(more.iter().flatten()) {
            write!(f, "\n{}\n\n{table}", table.title)?;
        }
        let ahead: Vec<_> = self.ahead().collect();
        if !ahead.is_empty() {
            writeln!(f, "\nWhere a baseline is ahead:")?;
        }
        ahead.iter().try_for_each(|line| writeln!(f, "- {line}"))
    }
}

impl Report {
    /// How, when and where it was made, in a line.
    pub(crate) fn origin(&self) -> String {
        let Self {
            command,
            commit,
            date,
            machine,
            ..
        } = self;
        let versions = self.versions.iter();
        let versions: Vec<_> = versions
            .map(|(name, version)| format!("{name} {version}"))
            .collect();
        let memory = machine
            .memory_mib
            .map(|mib| format!(", {} MiB", number(mib as f64)));
        format!(
            "`{command}`, commit {commit}, {date}; {}, cores: {}{}, {}; {}",
            machine.cpu,
            machine.cores,
            memory.unwrap_or_default(),
            machine.system,
            versions.join(", "),
        )
    }
}

/// Verdicts that have bounds, as a table; none if there are none.
pub(crate) fn goals<'a>(verdicts: impl IntoIterator<Item = &'a Verdict>) -> Option<Table> {
    let columns = [
        "what", "against", "measured", "floor", "goal", "stands", "note",
    ];
    let mut table = Table::new("Goals", columns);
    for verdict in verdicts.into_iter().filter(|verdict| verdict.is_bound()) {
        let bound = |bound: Option<f64>| bound.map_or_else(String::new, |it| verdict.bound(it));
        table.row([
            verdict.row.clone(),
            verdict.against.clone(),
            verdict.measured(),
            bound(verdict.floor),
            bound(verdict.goal),
            stands(verdict).to_owned(),
            verdict.note.clone(),
        ]);
    }
    (!table.rows.is_empty()).then(|| table.without_empty_end())
}

/// Verdicts without bounds, as a table; none if there are none.
pub(crate) fn compared<'a>(verdicts: impl IntoIterator<Item = &'a Verdict>) -> Option<Table> {
    let mut table = Table::new(
        "Compared, without a goal",
        ["what", "against", "measured", "note"],
    );
    for verdict in verdicts.into_iter().filter(|verdict| !verdict.is_bound()) {
        let Verdict {
            row, against, note, ..
        } = verdict;
        table.row([
            row.clone(),
            against.clone(),
            verdict.measured(),
            note.clone(),
        ]);
    }
    (!table.rows.is_empty()).then(|| table.without_empty_end())
}

/// The first articles' figures as a table; none if there are none.
pub(crate) fn beside_seeds<'a>(seeds: impl IntoIterator<Item = &'a Seed>) -> Option<Table> {
    let mut table = Table::new(
        "The first articles' figures",
        ["what", "unit", "theirs", "ours"],
    );
    for seed in seeds {
        let (theirs, ours) = (number(seed.seed), number(seed.ours));
        table.row([seed.what.clone(), seed.unit.clone(), theirs, ours]);
    }
    (!table.rows.is_empty()).then_some(table)
}

/// Where a verdict has come to, in words: of the bounds that it has.
pub(crate) fn stands(verdict: &Verdict) -> &'static str {
    match verdict.standing() {
        Standing::Goal if verdict.goal.is_some() => "goal reached",
        Standing::Floor if verdict.floor.is_none() => "goal missed",
        Standing::Goal | Standing::Floor => "floor kept",
        Standing::Short => "below the floor",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_bound_is_said_to_be_kept_that_there_is_not() {
        let verdict = |ratio| Verdict::lower("all delays", "one", ratio);
        assert_eq!(stands(&verdict(1.1).goal(1.05)), "goal missed");
        assert_eq!(stands(&verdict(1.0).goal(1.05)), "goal reached");
        assert_eq!(stands(&verdict(1.0).floor(1.05)), "floor kept");
        assert_eq!(stands(&verdict(1.1).floor(1.05)), "below the floor");
        assert_eq!(stands(&verdict(1.1).floor(1.2).goal(1.05)), "floor kept");
    }
}
