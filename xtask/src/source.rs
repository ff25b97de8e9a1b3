//! Rust text, taken apart just far enough that a rule about code never meets a string or a comment.

/// A Rust file in two views of equal lines: what is not in the view is blanked.
#[derive(Debug)]
pub(crate) struct Source {
    /// Everything but comments and the insides of literals.
    pub(crate) code: String,
    /// Comments alone, documentation included.
    pub(crate) comments: String,
}

/// What a piece of Rust text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    Code,
    Comment,
    Literal,
}

impl Source {
    /// Takes a text apart, once from front to end; text that is no Rust gives views that mean
    /// nothing.
    pub(crate) fn new(text: &str) -> Self {
        let mut source = Self {
            code: String::with_capacity(text.len()),
            comments: String::with_capacity(text.len()),
        };
        let (mut rest, mut before) = (text, ' ');
        while !rest.is_empty() {
            let (piece, length) = next(rest, before);
            let (here, after) = rest.split_at(length);
            source.push(piece, here);
            before = here.chars().next_back().unwrap_or(' ');
            rest = after;
        }
        source
    }

    fn push(&mut self, piece: Piece, text: &str) {
        let blank = || {
            text.chars()
                .map(|letter| if letter == '\n' { '\n' } else { ' ' })
        };
        match piece {
            Piece::Code => self.code.push_str(text),
            Piece::Comment | Piece::Literal => self.code.extend(blank()),
        }
        match piece {
            Piece::Comment => self.comments.push_str(text),
            Piece::Code | Piece::Literal => self.comments.extend(blank()),
        }
    }
}

/// The piece that `rest` begins with, and its length in bytes.
fn next(rest: &str, before: char) -> (Piece, usize) {
    if rest.starts_with("//") {
        return (Piece::Comment, rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return (Piece::Comment, block_comment(rest));
    }
    if let Some(length) = raw_string(rest, before) {
        return (Piece::Literal, length);
    }
    match rest.chars().next() {
        Some('"') => (Piece::Literal, quoted(rest, '"')),
        Some('\'') if is_character(rest) => (Piece::Literal, quoted(rest, '\'')),
        letter => (Piece::Code, letter.map_or(0, char::len_utf8)),
    }
}

/// The length of a block comment; such comments nest.
fn block_comment(rest: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < rest.len() {
        let step = if rest[at..].starts_with("/*") {
            depth += 1;
            2
        } else if rest[at..].starts_with("*/") {
            depth -= 1;
            2
        } else {
            rest[at..].chars().next().map_or(1, char::len_utf8)
        };
        at += step;
        if depth == 0 {
            break;
        }
    }
    at
}

/// The length of a raw string, if one begins here and not in the middle of a name.
fn raw_string(rest: &str, before: char) -> Option<usize> {
    if before.is_alphanumeric() || before == '_' {
        return None;
    }
    let marked = rest.trim_start_matches(['b', 'c']);
    let hashes = marked.strip_prefix('r')?;
    let body = hashes.trim_start_matches('#');
    let count = hashes.len() - body.len();
    let inside = body.strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(count));
    let length = inside.find(&end).map_or(inside.len(), |at| at + end.len());
    Some(rest.len() - inside.len() + length)
}

/// The length of a literal between two `quote`s, with escapes.
fn quoted(rest: &str, quote: char) -> usize {
    let mut letters = rest.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        if letter == '\\' {
            letters.next();
        } else if letter == quote {
            return at + 1;
        }
    }
    rest.len()
}

/// Whether the `'` at the head of `rest` begins a character and not a lifetime.
fn is_character(rest: &str) -> bool {
    let mut letters = rest.chars().skip(1);
    match letters.next() {
        Some('\\') => true,
        Some(_) => letters.next() == Some('\''),
        None => false,
    }
}

/// Where `word` stands in `text` as a word of its own: (line from one, byte offset).
pub(crate) fn words<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = (usize, usize)> + 'a {
    let in_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(word).filter_map(move |(at, _)| {
        let begins = !text[..at].ends_with(in_name);
        let ends = !text[at + word.len()..].starts_with(in_name);
        (begins && ends).then(|| (line_of(text, at), at))
    })
}

/// The line, from one, that holds a byte offset.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r##"//! Doc with "quote.
fn a<'x>(b: &'x str) -> char { /* one /* two */ still */ let c = '"'; '\'' }
let s = "code? // no \" no"; let r = r#"raw " // no"#; let bytes = br"\"; after(); // yes
"##;

    #[test]
    fn code_holds_neither_comments_nor_literals() {
        let code = Source::new(TEXT).code;
        assert!(code.contains("fn a<'x>(b: &'x str) -> char {") && code.contains("after();"));
        for gone in ["Doc", "quote", "two", "still", "code?", "raw", "yes", "no"] {
            assert!(!code.contains(gone), "{gone} in {code}");
        }
    }

    #[test]
    fn comments_hold_nothing_else() {
        let comments = Source::new(TEXT).comments;
        let words: Vec<_> = comments.split_whitespace().collect();
        assert_eq!(
            words.join(" "),
            "//! Doc with \"quote. /* one /* two */ still */ // yes"
        );
    }

    #[test]
    fn views_keep_the_lines() {
        let source = Source::new(TEXT);
        assert_eq!(source.code.lines().count(), TEXT.lines().count());
        assert_eq!(source.comments.lines().count(), TEXT.lines().count());
    }

    #[test]
    fn unfinished_text_ends() {
        for text in ["\"open", "/* open", "r#\"open", "'\\", "'", "/*/* x */"] {
            assert_eq!(
                Source::new(text).code.trim(),
                if text == "'" { "'" } else { "" },
                "{text}"
            );
        }
    }

    #[test]
    fn a_word_is_not_a_part_of_a_name() {
        let found: Vec<_> = words("unsafe_code\nunsafe {}\nmy_unsafe", "unsafe").collect();
        assert_eq!(found, [(2, 12)]);
    }
}
