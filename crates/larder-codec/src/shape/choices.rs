//! Which of several samples is given where.

/// The choices of a pass, in the order in which they come up. A pass that fails is repeated with the
/// next choice in the last place that has one left, and the first one in all places after it: every
/// combination is tried before all is given up.
#[derive(Debug, Default)]
pub(super) struct Choices {
    /// What was chosen, of how many.
    made: Vec<(usize, usize)>,
    at: usize,
}

impl Choices {
    /// Chooses one of `count`.
    pub(super) fn choose(&mut self, count: usize) -> usize {
        if self.at == self.made.len() {
            self.made.push((0, count));
        }
        self.at += 1;
        self.made[self.at - 1].0
    }

    /// Begins a pass with the choices as they are.
    pub(super) fn rewind(&mut self) {
        self.at = 0;
    }

    /// Begins with the first of all.
    pub(super) fn clear(&mut self) {
        self.made.clear();
        self.at = 0;
    }

    /// The next combination, after a pass that failed where it is now; false if there is none.
    pub(super) fn advance(&mut self) -> bool {
        self.made.truncate(self.at);
        while let Some((chosen, count)) = self.made.pop() {
            if chosen + 1 < count {
                self.made.push((chosen + 1, count));
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_comes_once() {
        let mut choices = Choices::default();
        let mut seen = Vec::new();
        loop {
            choices.rewind();
            let first = choices.choose(2);
            // A failure before the second choice leaves nothing of it.
            let second = (first == 0).then(|| choices.choose(3));
            seen.push((first, second));
            if !choices.advance() {
                break;
            }
        }
        assert_eq!(seen, [(0, Some(0)), (0, Some(1)), (0, Some(2)), (1, None)]);
    }
}
