//! Every link of the book leads somewhere: to a file of the site, and to an anchor in it.
//!
//! Links that leave the site are only counted: no network is asked. Links of the API docs are
//! rustdoc's, which checks those that we wrote and cannot resolve all that it takes over from
//! crates that are not part of the site.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::bail;
use percent_encoding::percent_decode_str;

use crate::book::API;
use crate::page::Page;

/// Checks all pages below `site`, but for those of the API docs.
///
/// # Errors
/// Links lead nowhere; each is printed with the page it stands on.
pub(crate) fn check(site: &Path) -> anyhow::Result<()> {
    let pages = read(site)?;
    let book: Vec<_> = pages
        .iter()
        .filter(|(place, _)| !place.starts_with(site.join(API)))
        .collect();
    let mut count = 0;
    let mut broken = BTreeSet::new();
    for (place, page) in &book {
        count += page.links.len();
        let found = page.links.iter().filter_map(|link| {
            let reason = judge(site, &pages, place, link)?;
            let place = place.strip_prefix(site).unwrap_or(place.as_path());
            Some(format!("{}: {link}: {reason}", place.display()))
        });
        broken.extend(found);
    }
    for line in &broken {
        eprintln!("{line}");
    }
    match broken.len() {
        0 => {
            println!("{count} links on {} pages lead somewhere", book.len());
            Ok(())
        }
        many => bail!("{many} of {count} links lead nowhere"),
    }
}

/// Every page below `folder`, by its place.
fn read(folder: &Path) -> std::io::Result<HashMap<PathBuf, Page>> {
    let mut pages = HashMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            pages.extend(read(&path)?);
        } else if path.extension().is_some_and(|kind| kind == "html") {
            let html = fs::read_to_string(&path)?;
            pages.insert(path, Page::read(&html));
        }
    }
    Ok(pages)
}

/// Why a link leads nowhere; nothing if it leads somewhere or leaves the site.
fn judge(
    site: &Path,
    pages: &HashMap<PathBuf, Page>,
    place: &Path,
    link: &str,
) -> Option<&'static str> {
    let (path, fragment) = link.split_once('#').unwrap_or((link, ""));
    let path = path.split('?').next().unwrap_or_default();
    if leaves(path) {
        return None;
    }
    let path = percent_decode_str(path).decode_utf8_lossy();
    let target = if path.is_empty() {
        place.to_owned()
    } else if path.starts_with('/') {
        return Some("begins at the root, which is another one where the site is not at the root");
    } else {
        resolve(place, &path)
    };
    if !target.starts_with(site) {
        return Some("leaves the folder of the site");
    }
    let Some(page) = pages.get(&target) else {
        return (!target.is_file()).then_some("no such file");
    };
    let fragment = percent_decode_str(fragment).decode_utf8_lossy();
    let known =
        fragment.is_empty() || page.anchors.contains(&*fragment) || lines(&target, &fragment);
    (!known).then_some("no such anchor")
}

/// Whether a link has a scheme or names another host.
fn leaves(path: &str) -> bool {
    let scheme = path.split_once(':').map_or("", |(scheme, _)| scheme);
    let named = !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
    named || path.starts_with("//")
}

/// The file that `path` names on the page at `place`.
fn resolve(place: &Path, path: &str) -> PathBuf {
    let mut target = place.parent().unwrap_or(place).to_owned();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                target.pop();
            }
            part => target.push(part),
        }
    }
    if path.ends_with('/') || target.is_dir() {
        target.push("index.html");
    }
    target
}

/// Lines of a source file, which rustdoc's script finds by number: `#12-17`.
fn lines(target: &Path, fragment: &str) -> bool {
    let source = target.iter().any(|part| part == "src");
    source
        && fragment
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site() -> HashMap<PathBuf, Page> {
        let page = |place: &str, html| (PathBuf::from(place), Page::read(html));
        HashMap::from([
            page("/site/a/b.html", "<h1 id='t-op'></h1>"),
            page("/site/index.html", ""),
            page("/site/src/c.rs.html", ""),
        ])
    }

    fn verdict(link: &str) -> Option<&'static str> {
        judge(
            Path::new("/site"),
            &site(),
            Path::new("/site/a/b.html"),
            link,
        )
    }

    #[test]
    fn what_leads_somewhere_passes() {
        let good = [
            "",
            "#t-op",
            "b.html#t%2Dop",
            "../",
            "../index.html?search=x",
            "../src/c.rs.html#12-17",
            "https://docs.rs/smol#nothing",
            "mailto:a@example.org",
        ];
        for link in good {
            assert_eq!(verdict(link), None, "{link}");
        }
    }

    #[test]
    fn what_leads_nowhere_is_seen() {
        assert_eq!(verdict("c.html"), Some("no such file"));
        assert_eq!(verdict("#bottom"), Some("no such anchor"));
        assert_eq!(verdict("../index.html#top"), Some("no such anchor"));
        assert_eq!(verdict("b.html#12"), Some("no such anchor"));
        assert_eq!(
            verdict("../../other"),
            Some("leaves the folder of the site")
        );
        assert!(verdict("/index.html").is_some());
    }
}
