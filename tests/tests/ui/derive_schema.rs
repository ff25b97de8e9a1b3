//! Mistakes under `#[derive(Schema)]`.

use larder::Schema;

#[derive(Schema)]
struct Foreign {
    no: u64,
    path: std::path::PathBuf,
}

#[derive(Schema)]
struct Given {
    #[schema(5)]
    path: std::path::PathBuf,
}

#[derive(Schema)]
struct Borrowed<'a> {
    title: &'a str,
}

#[derive(Schema)]
union Either {
    no: u64,
    bits: f64,
}

fn main() {}
