//! Flags and environment; the file comes from its own module.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::Arg;

use super::{Origin, Placed, SETTINGS, Wrong, file, variable};

/// The texts that were given, one a setting, each from its strongest source.
#[derive(Debug, Default)]
pub(super) struct Given(HashMap<&'static str, Placed<String>>);

/// What the command line asks for, before any text is checked.
#[derive(Debug)]
pub(super) enum Asked {
    Serve(Given),
    Import(Given, PathBuf),
    Help,
    Version,
}

impl Given {
    /// Checks what was given for a setting, or makes its default.
    pub(super) fn take<T>(
        &mut self,
        name: &'static str,
        check: impl FnOnce(Option<&str>) -> Result<T, String>,
    ) -> Result<Placed<T>, Wrong> {
        let given = self.0.remove(name);
        let origin = given
            .as_ref()
            .map_or(Origin::Default, |given| given.origin.clone());
        match check(given.as_ref().map(|given| given.value.as_str())) {
            Ok(value) => Ok(Placed { value, origin }),
            Err(reason) => Err(Wrong::new(name, origin, reason)),
        }
    }

    /// Keeps what a stronger source gave.
    pub(super) fn offer(&mut self, name: &'static str, value: String, origin: Origin) {
        self.0.entry(name).or_insert(Placed { value, origin });
    }
}

/// Reads the command line, then the environment, then the file that one of them names.
pub(super) fn read(args: impl IntoIterator<Item = OsString>) -> Result<Asked, Wrong> {
    let mut given = Given::default();
    let mut config = None;
    let mut words = Vec::new();
    let mut parser = lexopt::Parser::from_iter(args);
    while let Some(arg) = parser
        .next()
        .map_err(|error| Wrong::new("flags", Origin::CommandLine, error))?
    {
        match arg {
            Arg::Short('h') | Arg::Long("help") => return Ok(Asked::Help),
            Arg::Short('V') | Arg::Long("version") => return Ok(Asked::Version),
            Arg::Long("config") => {
                let flag = || Origin::Flag("--config".into());
                let path = parser
                    .value()
                    .map_err(|error| Wrong::new("config", flag(), error))?;
                config = Some(Placed {
                    value: PathBuf::from(path),
                    origin: flag(),
                });
            }
            Arg::Long(name) => match SETTINGS
                .iter()
                .find(|setting| super::flag(setting.name) == name)
            {
                Some(setting) => flag(&mut given, &mut parser, setting.name)?,
                None => return Err(unknown(&format!("--{name}"))),
            },
            Arg::Short(name) => return Err(unknown(&format!("-{name}"))),
            Arg::Value(word) => words.push(word),
        }
    }
    let file = command(words)?;
    environment(&mut given, &mut config)?;
    if let Some(config) = config {
        file::read(&mut given, config)?;
    }
    Ok(match file {
        Some(file) => Asked::Import(given, file),
        None => Asked::Serve(given),
    })
}

/// The file to import, if that is what the words ask for.
fn command(words: Vec<OsString>) -> Result<Option<PathBuf>, Wrong> {
    let mut words = words.into_iter();
    let file = match words.next() {
        None => return Ok(None),
        Some(word) if word == "import" => words.next().ok_or_else(|| {
            let reason = "the file to import is missing";
            Wrong::new("import", Origin::CommandLine, reason)
        })?,
        Some(word) => return Err(unknown(&word.to_string_lossy())),
    };
    match words.next() {
        Some(word) => Err(unknown(&word.to_string_lossy())),
        None => Ok(Some(file.into())),
    }
}

fn flag(given: &mut Given, parser: &mut lexopt::Parser, name: &'static str) -> Result<(), Wrong> {
    let origin = Origin::Flag(format!("--{}", super::flag(name)));
    let value = parser
        .value()
        .map_err(|error| Wrong::new(name, origin.clone(), error))?;
    let value = text(value).map_err(|reason| Wrong::new(name, origin.clone(), reason))?;
    // The last of two flags wins.
    given.0.insert(name, Placed { value, origin });
    Ok(())
}

fn environment(given: &mut Given, config: &mut Option<Placed<PathBuf>>) -> Result<(), Wrong> {
    for setting in &SETTINGS {
        let name = variable(setting.name);
        if let Some(value) = std::env::var_os(&name) {
            let origin = Origin::Variable(name);
            let value =
                text(value).map_err(|reason| Wrong::new(setting.name, origin.clone(), reason))?;
            given.offer(setting.name, value, origin);
        }
    }
    if config.is_none() {
        *config = std::env::var_os("LARDER_CONFIG").map(|path| Placed {
            value: path.into(),
            origin: Origin::Variable("LARDER_CONFIG".into()),
        });
    }
    Ok(())
}

fn text(value: OsString) -> Result<String, &'static str> {
    value.into_string().map_err(|_| "not UTF-8")
}

fn unknown(arg: &str) -> Wrong {
    Wrong::new(arg, Origin::CommandLine, "not known; see larderd --help")
}
