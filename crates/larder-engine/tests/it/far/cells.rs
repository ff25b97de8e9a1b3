//! Every form and life of a load × when its caller leaves × how it ends × where it is kept: who
//! hears what, what is kept, what is counted, and that nothing is left running.

mod body;
mod form;
mod stage;

use body::End;
use form::{Form, Life};
use stage::{OLD, Stage, Tiers, VALUE};

/// When the caller leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leaves {
    /// Its future is dropped before it was polled.
    Before,
    /// While the load runs.
    During,
    /// When the load has ended, before the call was polled again.
    After,
    Never,
}

const LEAVES: [Leaves; 4] = [Leaves::Before, Leaves::During, Leaves::After, Leaves::Never];

#[derive(Debug, Clone, Copy)]
struct Cell {
    tiers: Tiers,
    form: Form,
    life: Life,
    leaves: Leaves,
    end: End,
}

impl Cell {
    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for tiers in [Tiers::Near, Tiers::Far, Tiers::Both] {
            for form in Form::ALL {
                for &life in form.lives() {
                    for leaves in LEAVES {
                        all.extend(form.ends().iter().map(|&end| Self {
                            tiers,
                            form,
                            life,
                            leaves,
                            end,
                        }));
                    }
                }
            }
        }
        all
    }

    /// Whether the load runs to its end.
    fn runs_on(self) -> bool {
        match (self.leaves, self.life) {
            (Leaves::Before, _) => false,
            (Leaves::Never, _) => true,
            // These are not of the caller that leaves.
            _ if matches!(self.form, Form::Blocking | Form::Refresh) => true,
            (_, Life::Detach) => true,
            (Leaves::After, Life::Cancel) => true,
            (Leaves::During, Life::Cancel) | (_, Life::HandOver) => false,
        }
    }

    fn check(self) -> Result<(), String> {
        self.plays(self.end)
    }

    /// Plays the cell with a load that ends so.
    fn plays(self, end: End) -> Result<(), String> {
        let stage = Stage::new(self.tiers, self.form, end);
        let mut call = Some(stage.call(self.form, self.life));
        let mut heard = None;
        if self.leaves != Leaves::Before {
            heard = stage.begin(call.as_mut().expect("it is there"))?;
        }
        if self.leaves == Leaves::Before || self.leaves == Leaves::During || heard.is_some() {
            call = None;
        }
        let waits = (self.leaves == Leaves::Never)
            .then(|| call.take())
            .flatten();
        let waits = waits.map(|call| stage.time.spawn(call));
        stage.end(end);
        drop(call);
        if let Some(waits) = waits {
            same("it has ended", waits.is_finished(), true)?;
            heard = Some(stage.time.block_on(waits));
        }
        if self.leaves == Leaves::Never {
            let expected = match self.form {
                Form::Refresh => Ok(vec![OLD]),
                _ => self.end.answer(),
            };
            same("it hears", heard, Some(expected))?;
        }
        stage.rest(end)?;
        let kept = self.runs_on() && self.end == End::Value;
        same("kept", stage.held(), kept.then(|| vec![VALUE]))?;
        let polled = self.leaves != Leaves::Before;
        same("loads", stage.body.calls(), usize::from(polled))?;
        let calls = if polled { self.form.calls() } else { 0 };
        same("counted", stage.counted(), calls)?;
        stage.goes_on()
    }
}

fn same<T: std::fmt::Debug + PartialEq>(what: &str, is: T, expected: T) -> Result<(), String> {
    match (is, expected) {
        (is, expected) if is == expected => Ok(()),
        (is, expected) => Err(format!("{what}: {is:?}, and not {expected:?}")),
    }
}

#[test]
fn l2_l3_l4_every_load_of_every_form_leaves_nothing_running_whoever_leaves_and_however_it_ends() {
    let cells = Cell::all();
    assert!(cells.len() > 1_000, "{} cells", cells.len());
    let broken: Vec<_> = cells
        .into_iter()
        .filter_map(|cell| {
            let problem = cell.check().err()?;
            Some(format!("{cell:?}: {problem}"))
        })
        .collect();
    assert!(
        broken.is_empty(),
        "{} cells:\n{}",
        broken.len(),
        broken.join("\n")
    );
}

/// A load that ends otherwise than a cell says is seen in each form that hears of it.
#[test]
fn a_cell_that_is_not_kept_is_seen() {
    let cells = Cell::all().into_iter();
    let cells = cells.filter(|cell| cell.leaves == Leaves::Never && cell.end == End::Error);
    for cell in cells {
        let seen = cell.plays(End::Value).is_err();
        assert!(seen, "{cell:?}");
    }
}
