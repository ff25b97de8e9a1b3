//! The site in a real browser: what a generator believes and what a reader sees are two things.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail, ensure};

use crate::server::Server;

/// Programs that take the same arguments.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// A word that stands on several pages, for the search.
const WORD: &str = "ticket";

/// Opens the site's first page in whatever the reader uses.
///
/// # Errors
/// The system knows no way to open a page.
pub(crate) fn open(page: &Path) -> anyhow::Result<()> {
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let status = Command::new(opener).arg(page).status();
    let status = status.with_context(|| format!("cannot start `{opener}`"))?;
    ensure!(status.success(), "`{opener}` failed ({status})");
    Ok(())
}

/// Opens pages of the site, in light and dark: no script complains, the reader's choice of light or
/// dark is followed, and the search finds pages. Says so loudly if there is no browser.
///
/// # Errors
/// One of these does not hold.
pub(crate) fn check(server: &Server) -> anyhow::Result<()> {
    let Some(browser) = NAMES.into_iter().find(|name| starts(name)) else {
        eprintln!("SKIPPED: no browser has looked at the site, for there is none: {NAMES:?}");
        return Ok(());
    };
    let look = |page: &str, scheme| {
        look(
            browser,
            &format!("http://{}/{page}", server.address()),
            scheme,
        )
    };
    // Every page of the book in one.
    look("print.html", Scheme::Light)?;
    for (scheme, theme) in [(Scheme::Light, "light"), (Scheme::Dark, "navy")] {
        let class = class(&look("index.html", scheme)?).to_owned();
        let follows = class.split(' ').any(|name| name == theme);
        ensure!(
            follows,
            "a reader who prefers {scheme:?} sees the theme `{class}`"
        );
    }
    let hits = hits(&look(&format!("index.html?search={WORD}"), Scheme::Light)?);
    ensure!(hits >= 3, "the search for `{WORD}` finds {hits} places");
    println!("{browser} shows the site without complaint; `{WORD}` is found in {hits} places");
    Ok(())
}

/// What a reader prefers.
#[derive(Debug, Clone, Copy)]
enum Scheme {
    Dark = 0,
    Light = 1,
}

fn starts(name: &str) -> bool {
    let mut command = Command::new(name);
    let quiet = command
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// The page as it stands once its scripts have run.
fn look(browser: &str, page: &str, scheme: Scheme) -> anyhow::Result<String> {
    let output =
        show(browser, page, scheme).with_context(|| format!("cannot start `{browser}`"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "`{browser}` failed on {page}: {said}"
    );
    if let Some(complaint) = complaint(&said) {
        bail!("{page} complains: {complaint}");
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn show(browser: &str, page: &str, scheme: Scheme) -> io::Result<std::process::Output> {
    let mut command = Command::new(browser);
    command.args(["--headless", "--no-sandbox", "--disable-gpu"]);
    command.args(["--disable-background-networking", "--enable-logging=stderr"]);
    command.arg(format!(
        "--blink-settings=preferredColorScheme={}",
        scheme as u8
    ));
    command.args(["--virtual-time-budget=5000", "--dump-dom", page]);
    command.stdin(Stdio::null()).output()
}

/// The first line that a page wrote to the browser's console: this site's scripts write none.
fn complaint(said: &str) -> Option<&str> {
    said.lines().find(|line| line.contains(":CONSOLE"))
}

/// The classes of the page as a whole, the theme among them.
fn class(dom: &str) -> &str {
    let html = dom.split_once("<html").map_or("", |(_, rest)| rest);
    let tag = html.split('>').next().unwrap_or_default();
    let class = tag.split_once("class=\"").map_or("", |(_, rest)| rest);
    class.split('"').next().unwrap_or_default()
}

/// How many places the search shows.
fn hits(dom: &str) -> usize {
    let list = dom
        .split_once("id=\"mdbook-searchresults\"")
        .map_or("", |(_, rest)| rest);
    let list = list.split("</ul>").next().unwrap_or_default();
    list.matches("<li").count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complaint_is_told_from_the_browsers_own_words() {
        let said = "[1:2:ERROR:dbus/bus.cc:408] no bus\n\
                    [1:2:INFO:CONSOLE:12] \"Uncaught TypeError\", source: http://127.0.0.1/a.js (12)\n";
        assert!(complaint(said).is_some_and(|line| line.contains("TypeError")));
        assert_eq!(complaint("[1:2:ERROR:dbus/bus.cc:408] no bus\n"), None);
    }

    #[test]
    fn a_page_shows_its_theme_and_what_was_found() {
        let dom = r#"<!DOCTYPE html><html lang="en" class="navy js"><body><li></li>
            <ul id="mdbook-searchresults"><li>a</li><li>b</li></ul><ul><li></li></ul>"#;
        assert_eq!(class(dom), "navy js");
        assert_eq!(hits(dom), 2);
        assert_eq!((class(""), hits("")), ("", 0));
    }
}
