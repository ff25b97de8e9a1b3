//! All reports as one page that needs nothing beside it: no script, no font, no other file.

mod part;

use crate::svg;
use crate::{Report, Table};
use part::Part;
use std::fmt::Write as _;

const STYLE: &str = include_str!("page.css");

/// Writes the page, with the reports in the order in which they are given.
///
/// It is light or dark as the reader's system is, and fits a phone: tables scroll by themselves.
#[must_use]
pub fn html(reports: &[Report]) -> String {
    let mut page =
        String::from("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    page.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    let plots = svg::style();
    page.push_str("<title>larder: what was measured</title>\n");
    page.push_str(&format!(
        "<style>\n{plots}{STYLE}</style>\n</head>\n<body>\n"
    ));
    page.push_str("<h1>larder: what was measured</h1>\n");
    page.push_str(&contents(reports));
    page.push_str(&ahead(reports));
    for report in reports {
        page.push_str(&Part(report).to_string());
    }
    page.push_str("</body>\n</html>\n");
    page
}

fn contents(reports: &[Report]) -> String {
    if reports.is_empty() {
        return "<p>Nothing yet: <code>cargo xtask bench NAME</code> measures.</p>\n".to_owned();
    }
    let items = reports.iter().map(|report| {
        let name = escape(&report.experiment);
        format!("<li><a href=\"#{name}\">{name}</a></li>")
    });
    format!("<nav><ul>{}</ul></nav>\n", items.collect::<String>())
}

/// First what does not flatter us.
fn ahead(reports: &[Report]) -> String {
    let lines: Vec<_> = reports.iter().flat_map(Report::ahead).collect();
    if lines.is_empty() {
        return String::new();
    }
    let mut text = String::from("<h2>Where a baseline is ahead</h2>\n<ul>\n");
    for line in lines {
        let line = words(&line);
        writeln!(text, "<li>{line}</li>").expect("a string takes what it is given");
    }
    text + "</ul>\n"
}

/// A table that scrolls by itself where it is wider than the page.
fn table(table: &Table) -> String {
    let cell = |name: &str, at: usize, text: &str| {
        let class = if table.is_numeric(at) {
            " class=\"number\""
        } else {
            ""
        };
        format!("<{name}{class}>{}</{name}>", words(text))
    };
    let row = |name: &str, cells: &[String]| {
        let cells = cells
            .iter()
            .enumerate()
            .map(|(at, text)| cell(name, at, text));
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let head = row("th", &table.columns);
    let body: String = table.rows.iter().map(|cells| row("td", cells)).collect();
    let title = escape(&table.title);
    format!(
        "<h3>{title}</h3>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\"><table>\n\
         <thead>\n{head}</thead>\n<tbody>\n{body}</tbody>\n</table></div>\n"
    )
}

/// Words as they stand in markup, with what is between backticks as code.
fn words(text: &str) -> String {
    let parts = escape(text);
    let parts: Vec<_> = parts.split('`').collect();
    if parts.len() % 2 == 0 {
        // One without its other half.
        return parts.join("`");
    }
    let marked = parts.iter().enumerate().map(|(at, part)| {
        if at % 2 == 0 {
            (*part).to_owned()
        } else {
            format!("<code>{part}</code>")
        }
    });
    marked.collect()
}

/// Words as they stand in markup.
pub(crate) fn escape(words: &str) -> String {
    let mut text = String::with_capacity(words.len());
    for letter in words.chars() {
        match letter {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            _ => text.push(letter),
        }
    }
    text
}
