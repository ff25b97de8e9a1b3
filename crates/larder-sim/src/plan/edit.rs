//! A plan with less in it, and as text.

use std::ops::Range;

use super::Plan;

impl Plan {
    /// How many calls and faults there are.
    pub(crate) fn size(&self) -> usize {
        let steps = self.clients.iter().map(|client| client.steps.len());
        steps.sum::<usize>() + self.faults.len()
    }

    /// Without some of its calls and faults, counted through: one client after the other, then the
    /// faults.
    pub(crate) fn without(&self, out: Range<usize>) -> Self {
        let mut plan = self.clone();
        let mut at = 0;
        let mut stays = || {
            at += 1;
            !out.contains(&(at - 1))
        };
        for client in &mut plan.clients {
            client.steps.retain(|_| stays());
        }
        plan.faults.retain(|_| stays());
        plan
    }

    /// The plan, line by line.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("{:?}", self.setup), format!("{:?}", self.wire)];
        for client in self
            .clients
            .iter()
            .filter(|client| !client.steps.is_empty())
        {
            lines.push(format!("a client at place {}", client.node));
            lines.extend(client.steps.iter().map(|step| format!("  {step:?}")));
        }
        let faults = self.faults.iter();
        lines.extend(faults.map(|fault| format!("at {:?}: {:?}", fault.at, fault.what)));
        lines
    }
}
