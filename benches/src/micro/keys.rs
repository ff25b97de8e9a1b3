//! What is asked for.

/// The keys of a pass, the same draw in every form.
pub(super) struct Keys {
    pub(super) numbers: Vec<u64>,
    pub(super) texts: Vec<String>,
}

impl Keys {
    /// `hits` keys out of `size` entries, evenly and always the same.
    pub(super) fn random(size: usize, hits: usize) -> Self {
        let mut random = fastrand::Rng::with_seed(5_196);
        let numbers: Vec<_> = (0..hits).map(|_| random.u64(..size as u64)).collect();
        let texts = numbers.iter().map(|&no| text(no)).collect();
        Self { numbers, texts }
    }

    /// No key at all.
    pub(super) const fn none() -> Self {
        Self {
            numbers: Vec::new(),
            texts: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }
}

pub(super) fn text(no: u64) -> String {
    format!("deal-{no:06}")
}
