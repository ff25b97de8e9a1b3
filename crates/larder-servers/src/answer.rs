//! Asking a server, without the client that is tested.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

/// What a server answers to these commands, sent over one connection, flat: a text for each element; an
/// error begins with `-`.
pub(crate) fn ask(port: u16, commands: &[&[&str]]) -> io::Result<Vec<String>> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    // It may be stopped, and then nobody answers.
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut out = String::new();
    for words in commands {
        out += &format!("*{}\r\n", words.len());
        for word in *words {
            out += &format!("${}\r\n{word}\r\n", word.len());
        }
    }
    stream.write_all(out.as_bytes())?;
    let mut answers = Vec::new();
    let mut stream = BufReader::new(stream);
    for _ in commands {
        read(&mut stream, &mut answers)?;
    }
    Ok(answers)
}

const PATIENCE: Duration = Duration::from_secs(2);

fn read(from: &mut impl BufRead, answers: &mut Vec<String>) -> io::Result<()> {
    let mut elements = 1_usize;
    while elements > 0 {
        elements -= 1;
        let mut line = String::new();
        from.read_line(&mut line)?;
        let line = line.trim_end();
        let (kind, rest) = line
            .split_at_checked(1)
            .ok_or(io::ErrorKind::UnexpectedEof)?;
        let length = || rest.parse::<i64>().map_err(io::Error::other);
        match kind {
            "*" => elements += usize::try_from(length()?).unwrap_or_default(),
            "$" => answers.push(match usize::try_from(length()?) {
                Ok(length) => bytes(from, length)?,
                Err(_) => String::new(),
            }),
            "-" => answers.push(line.to_owned()),
            _ => answers.push(rest.to_owned()),
        }
    }
    Ok(())
}

fn bytes(from: &mut impl Read, length: usize) -> io::Result<String> {
    let mut bytes = vec![0; length + 2];
    from.read_exact(&mut bytes)?;
    bytes.truncate(length);
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn an_answer_is_flat_whatever_it_is() {
        for (text, flat) in [
            ("+OK\r\n", &["OK"][..]),
            ("-ERR no\r\n", &["-ERR no"]),
            (":7\r\n", &["7"]),
            ("$-1\r\n", &[""]),
            ("*0\r\n", &[]),
            ("*2\r\n*1\r\n$1\r\na\r\n$3\r\nb\r\n\r\n", &["a", "b\r\n"]),
        ] {
            let mut answers = Vec::new();
            read(&mut text.as_bytes(), &mut answers).unwrap();
            assert_eq!(answers, flat, "{text:?}");
        }
    }

    #[test]
    fn an_answer_that_ends_early_is_an_error() {
        for text in ["", "*2\r\n+OK\r\n", "$5\r\nab"] {
            assert!(
                read(&mut text.as_bytes(), &mut Vec::new()).is_err(),
                "{text:?}"
            );
        }
    }
}
