//! What a page offers to links, and where its own links lead.

use std::collections::HashSet;

/// A page of the site, as far as links are concerned.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// What a link's fragment may name.
    pub(crate) anchors: HashSet<String>,
    /// Links and sources, as they are written.
    pub(crate) links: Vec<String>,
}

impl Page {
    /// Reads a page as a generator writes it: every attribute in quotes, scripts in files or closed
    /// by their own tag.
    pub(crate) fn read(html: &str) -> Self {
        let mut page = Self::default();
        let mut rest = html;
        while let Some(at) = rest.find('<') {
            rest = &rest[at + 1..];
            rest = page.tag(rest);
        }
        page
    }

    /// Takes a tag, and gives what stands behind it.
    fn tag<'a>(&mut self, html: &'a str) -> &'a str {
        if let Some(comment) = html.strip_prefix("!--") {
            return after(comment, "-->");
        }
        let name = html.split([' ', '\n', '>', '/']).next().unwrap_or_default();
        let mut rest = &html[name.len()..];
        loop {
            rest = rest.trim_start_matches([' ', '\n', '\t', '/']);
            let Some((attribute, value, behind)) = attribute(rest) else {
                break;
            };
            match attribute {
                "id" | "name" if name != "meta" => {
                    self.anchors.insert(unescape(value));
                }
                "href" | "src" => self.links.push(unescape(value)),
                _ => {}
            }
            rest = behind;
        }
        match name {
            "script" => after(rest, "</script>"),
            "style" => after(rest, "</style>"),
            _ => rest,
        }
    }
}

fn after<'a>(text: &'a str, end: &str) -> &'a str {
    text.find(end).map_or("", |at| &text[at + end.len()..])
}

/// An attribute at the head of `text`, its value (empty if it has none), and what stands behind.
fn attribute(text: &str) -> Option<(&str, &str, &str)> {
    let end = text.find(['=', '>', ' ', '\n'])?;
    let (name, behind) = text.split_at(end);
    if name.is_empty() {
        return None;
    }
    let Some(value) = behind.strip_prefix('=') else {
        return Some((name, "", behind));
    };
    match value.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let (value, behind) = value[1..].split_once(quote)?;
            Some((name, value, behind))
        }
        _ => {
            let end = value.find([' ', '>', '\n'])?;
            Some((name, &value[..end], &value[end..]))
        }
    }
}

fn unescape(text: &str) -> String {
    text.replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&#x27;", "'")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_and_links_are_found_in_tags_alone() {
        let html = r#"<meta name="x"><!-- <a href="no1"> --><script>"<a href='no2'>"</script>
            <h2 id="top"><a class=header href="a.html?x=1&amp;y#z">a &lt;a href="no3"</a></h2>
            <img alt="a > b" src='b.svg'/><input disabled id=i><a name="old" href=c.html>c</a>"#;
        let page = Page::read(html);
        assert_eq!(page.links, ["a.html?x=1&y#z", "b.svg", "c.html"]);
        let mut anchors: Vec<_> = page.anchors.iter().map(String::as_str).collect();
        anchors.sort_unstable();
        assert_eq!(anchors, ["i", "old", "top"]);
    }

    #[test]
    fn unfinished_text_ends() {
        for html in [
            "<",
            "<a",
            "<a href",
            "<a href=",
            "<a href=\"",
            "<!--",
            "<script",
        ] {
            assert!(Page::read(html).links.is_empty(), "{html}");
        }
    }
}
