//! The builder of the documentation site: the book and the API docs in one folder, its links
//! checked, and the result looked at in a browser.
//!
//! `cargo xtask docs` is how it is called: it says where things lie, and what to do with the site
//! once it is built.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a builder talks to a terminal"
)]

mod book;
mod browser;
mod links;
mod page;
mod server;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, bail};

use crate::book::{Book, Places};
use crate::server::Server;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("docs: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> anyhow::Result<()> {
    // What mdBook finds wrong and builds all the same.
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
        .without_time()
        .init();
    let mut arguments = std::env::args_os().skip(1);
    let mut place = |what| arguments.next().map(PathBuf::from).context(what);
    let places = Places {
        book: place("the folder of the book is missing")?,
        api: place("the folder of the API docs is missing")?,
        site: place("the folder of the site is missing")?,
    };
    let task = arguments.next().unwrap_or_else(|| "build".into());
    let site = places.site.clone();
    let book = Book::build(places)?;
    links::check(&site)?;
    println!("{}", site.join("index.html").display());
    match task.to_str() {
        Some("build") => Ok(()),
        Some("open") => browser::open(&site.join("index.html")),
        Some("check") => browser::check(&Server::start(&site, 0, || {})?),
        Some("serve") => serve(book),
        _ => bail!("no task {}: build, open, check or serve", task.display()),
    }
}

/// Shows the site to this machine until somebody ends the process. After a change of the book it is
/// built anew as soon as a page is asked for.
fn serve(book: Book) -> anyhow::Result<()> {
    const PORT: u16 = 3000;
    let site = book.site().to_owned();
    let server = Server::start(&site, PORT, move || {
        if let Err(error) = book.follow() {
            eprintln!("docs: {error:#}");
        }
    })?;
    println!("serving http://{}/", server.address());
    server.wait();
    Ok(())
}
