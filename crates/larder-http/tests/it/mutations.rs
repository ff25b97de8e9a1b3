//! Valid requests, damaged at random: whatever comes, there is an answer, and then a close.

use fastrand::Rng;

use crate::support::{Service, Shelf, cart};

const SEED: u64 = 0x1a2d_e25e_ed00;
const ROUNDS: usize = 1_000;

/// What damage is made of, besides bytes at random: where parsers have gone wrong before.
const PIECES: [&[u8]; 16] = [
    b"\r\n",
    b"\n",
    b"\r",
    b"\0",
    b" ",
    b":",
    b"%",
    b"\xff",
    b"0\r\n\r\n",
    b"Content-Length: 5\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Expect: 100-continue\r\n",
    b"Connection: close\r\n",
    b"Host: b\r\n",
    b"HTTP/1.1",
    b"GET /deals/5 HTTP/1.1\r\nHost: a\r\n\r\n",
];

fn requests() -> Vec<Vec<u8>> {
    let body = cart().to_string();
    let length = body.len();
    let texts = [
        "GET /deals/5 HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n".to_owned(),
        "GET /deals?region=South&limit=5 HTTP/1.1\r\nHost: a\r\n\r\n".to_owned(),
        "HEAD /deals/%35 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n".to_owned(),
        format!("PUT /deals/5 HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n{body}"),
        format!(
            "PUT /deals/5 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n{length:x};x=y\r\n{body}\r\n0\r\nx: y\r\n\r\n"
        ),
        "DELETE /deals/6 HTTP/1.1\r\nHost: a\r\n\r\nGET /livez HTTP/1.1\r\nHost: a\r\n\r\n"
            .to_owned(),
    ];
    texts.map(String::into_bytes).into()
}

fn damage(request: &mut Vec<u8>, rng: &mut Rng) {
    let at = rng.usize(..request.len());
    let end = request.len().min(at + 1 + rng.usize(..20));
    match rng.u8(..6) {
        0 => request[at] ^= 1 << rng.u8(..8),
        1 => request[at] = rng.u8(..),
        2 => drop(request.drain(at..end)),
        3 => {
            let copy = request[at..end].to_vec();
            request.splice(at..at, copy);
        }
        4 => {
            let piece = PIECES[rng.usize(..PIECES.len())];
            request.splice(at..at, piece.iter().copied());
        }
        _ => request.truncate(at.max(1)),
    }
}

#[test]
fn a_thousand_damaged_requests_are_answered() {
    let service = Service::over(&Shelf::with_cart());
    let requests = requests();
    let mut rng = Rng::with_seed(SEED);
    for round in 0..ROUNDS {
        let mut request = requests[rng.usize(..requests.len())].clone();
        for _ in 0..=rng.u8(..3) {
            if !request.is_empty() {
                damage(&mut request, &mut rng);
            }
        }
        let mut client = service.client().with(&request);
        client.end();
        // Reading in vain for half a minute would fail here.
        let answers = client.rest();
        let text = request.escape_ascii();
        let silent = request.iter().all(|byte| b"\r\n".contains(byte));
        assert_eq!(answers.is_empty(), silent, "round {round}: {text}");
        let known = answers.is_empty() || answers.starts_with("HTTP/1.");
        assert!(known, "round {round}: {text}: {answers}");
    }
    assert_eq!(service.client().get("/livez").status, 200);
    service.stop();
    service.join();
}
