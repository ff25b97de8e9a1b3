//! The command line.

use std::iter;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use larder_load::{Http, Load, Problem, Redis, Target};
use lexopt::{Arg, Parser, ValueExt};

pub(crate) const HELP: &str = "\
larder-load URL [OPTION…]     a load on http://… or redis://…, on this machine unless told otherwise

  --users N             virtual users, each with a connection of its own (1)
  --threads N           threads that they are spread over (1)
  --rate N              requests a second, from the moment each is meant to start: an open loop
  --warm-up TIME        before what counts (0s)
  --duration TIME       for how long requests start (10s, with a count alone an hour)
  --requests N          how many in all
  --each N              how many each user makes
  --timeout TIME        how long an answer is waited for (30s)
  --connect-first       open all connections before the first request
  --anywhere            the target may be another machine
http:
  --method METHOD       instead of GET
  --path PATH           one more to ask for in turn
  --header 'NAME: VALUE'
  --body TEXT
  --no-keep-alive       a connection for each request
redis:
  --command 'WORD …'    one command more in the batch that is a request
  --pipeline N          the batch so often in one request (1)
result:
  --json FILE           everything
  --csv FILE            second by second
  --samples FILE        the first million requests as CSV, each with its times

TIME is a whole number with ms, s, m or h. The exit code is 0 if a request had a good answer, 1 if none had or the load
could not run, 2 if the command line is wrong.
";

const MOST_IN_A_BATCH: usize = 10_000;

/// What the command line asks for.
#[derive(Debug)]
pub(crate) enum Asked {
    Help,
    Run(Box<Options>),
}

#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) load: Load,
    pub(crate) files: Files,
}

/// Where results go besides the terminal.
#[derive(Debug, Default)]
pub(crate) struct Files {
    pub(crate) json: Option<PathBuf>,
    pub(crate) csv: Option<PathBuf>,
    pub(crate) samples: Option<PathBuf>,
}

/// What makes the target, kept until its kind is known.
#[derive(Debug, Default)]
struct Asking {
    url: Option<String>,
    http: Vec<(Part, String)>,
    commands: Vec<String>,
    pipeline: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
enum Part {
    Method,
    Path,
    Header,
    Body,
    Closing,
}

impl Options {
    /// # Errors
    /// An option that is not known or has no value that fits, or a target that is none.
    pub(crate) fn read(mut parser: Parser) -> Result<Asked, lexopt::Error> {
        let (mut asking, mut files) = (Asking::default(), Files::default());
        let mut settings: Vec<Setting> = Vec::new();
        while let Some(arg) = parser.next()? {
            match arg {
                Arg::Short('h') | Arg::Long("help") => return Ok(Asked::Help),
                Arg::Value(url) if asking.url.is_none() => asking.url = Some(url.string()?),
                Arg::Long(name) => {
                    let name = name.to_owned();
                    if let Some(setting) = setting(&name, &mut parser)? {
                        settings.push(setting);
                    } else if !asking.read(&name, &mut parser)?
                        && !files.read(&name, &mut parser)?
                    {
                        return Err(Arg::Long(&name).unexpected());
                    }
                }
                other => return Err(other.unexpected()),
            }
        }
        let keep = if files.samples.is_some() {
            1_000_000
        } else {
            0
        };
        let target = asking.target().map_err(|problem| problem.to_string())?;
        let load = settings
            .into_iter()
            .fold(Load::new(target), |load, set| set(load));
        let load = load.keep(keep);
        Ok(Asked::Run(Box::new(Self { load, files })))
    }
}

type Setting = Box<dyn FnOnce(Load) -> Load>;

fn setting(name: &str, parser: &mut Parser) -> Result<Option<Setting>, lexopt::Error> {
    fn given<T: FromStr + 'static>(
        parser: &mut Parser,
        set: fn(Load, T) -> Load,
    ) -> Result<Option<Setting>, lexopt::Error>
    where
        T::Err: std::error::Error + Send + Sync + 'static,
    {
        let value: T = parser.value()?.parse()?;
        Ok(Some(Box::new(move |load| set(load, value))))
    }
    fn time(
        parser: &mut Parser,
        set: fn(Load, Duration) -> Load,
    ) -> Result<Option<Setting>, lexopt::Error> {
        let value = parser.value()?.parse_with(duration)?;
        Ok(Some(Box::new(move |load| set(load, value))))
    }
    match name {
        "users" => given(parser, Load::users),
        "threads" => given(parser, Load::threads),
        "rate" => given(parser, Load::rate),
        "warm-up" => time(parser, Load::warm_up),
        "duration" => time(parser, Load::duration),
        "requests" => given(parser, Load::requests),
        "each" => given(parser, Load::each),
        "timeout" => time(parser, Load::timeout),
        "connect-first" => Ok(Some(Box::new(|load| load.connect_first(true)))),
        "anywhere" => Ok(Some(Box::new(|load| load.anywhere(true)))),
        _ => Ok(None),
    }
}

impl Files {
    fn read(&mut self, name: &str, parser: &mut Parser) -> Result<bool, lexopt::Error> {
        let file = match name {
            "json" => &mut self.json,
            "csv" => &mut self.csv,
            "samples" => &mut self.samples,
            _ => return Ok(false),
        };
        *file = Some(parser.value()?.into());
        Ok(true)
    }
}

impl Asking {
    fn read(&mut self, name: &str, parser: &mut Parser) -> Result<bool, lexopt::Error> {
        let part = match name {
            "method" => Part::Method,
            "path" => Part::Path,
            "header" => Part::Header,
            "body" => Part::Body,
            "no-keep-alive" => {
                self.http.push((Part::Closing, String::new()));
                return Ok(true);
            }
            "command" => {
                self.commands.push(parser.value()?.string()?);
                return Ok(true);
            }
            "pipeline" => {
                self.pipeline = Some(parser.value()?.parse()?);
                return Ok(true);
            }
            _ => return Ok(false),
        };
        self.http.push((part, parser.value()?.string()?));
        Ok(true)
    }

    fn target(self) -> Result<Target, Problem> {
        let wrong = |what: &str| Problem::Setting(what.to_owned());
        let url = self
            .url
            .ok_or_else(|| wrong("no target; see larder-load --help"))?;
        if url.starts_with("redis://") {
            if !self.http.is_empty() {
                return Err(wrong("that is an option for http"));
            }
            let batch = self
                .commands
                .iter()
                .map(|command| command.split_whitespace());
            let batch: Vec<Vec<_>> = batch.map(Iterator::collect).collect();
            let times = self.pipeline.unwrap_or(1);
            if times > MOST_IN_A_BATCH {
                return Err(wrong("pipeline: 10,000 at most"));
            }
            let batch = iter::repeat_n(batch, times).flatten();
            return Ok(Redis::parse(&url)?.batch(batch).into());
        }
        if !self.commands.is_empty() || self.pipeline.is_some() {
            return Err(wrong("that is an option for redis"));
        }
        let mut http = Http::parse(&url)?;
        for (part, value) in self.http {
            http = match part {
                Part::Method => http.method(value),
                Part::Path => http.path(value),
                Part::Body => http.body(value),
                Part::Closing => http.keep_alive(false),
                Part::Header => {
                    let (name, value) = value
                        .split_once(':')
                        .ok_or_else(|| wrong("header: NAME: VALUE"))?;
                    http.header(name.trim(), value.trim())
                }
            };
        }
        Ok(http.into())
    }
}

/// A whole number and its unit.
fn duration(text: &str) -> Result<Duration, String> {
    let at = text
        .find(|letter: char| !letter.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(at);
    let number: u64 = number
        .parse()
        .map_err(|_| "a whole number with ms, s, m or h")?;
    let millis = match unit {
        "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return Err("a time needs a unit: ms, s, m or h".to_owned()),
    };
    Ok(Duration::from_millis(number.saturating_mul(millis)))
}
