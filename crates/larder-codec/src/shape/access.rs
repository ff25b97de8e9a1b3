//! What a traced type is given of its parts.

use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};

use super::error::ShapeErrorKind;
use super::path::Step;
use super::registry::Type;
use super::trace::{Stop, Trace};
use super::tracer::Tracer;

/// Elements of one type.
pub(super) struct Repeated<'t> {
    trace: &'t mut Trace,
    left: usize,
    slot: &'t mut Option<Type>,
}

impl<'t> Repeated<'t> {
    pub(super) fn new(trace: &'t mut Trace, left: usize, slot: &'t mut Option<Type>) -> Self {
        Self { trace, left, slot }
    }
}

impl<'de> SeqAccess<'de> for Repeated<'_> {
    type Error = Stop;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Stop> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        within(self.trace, Step::Element, self.slot, seed).map(Some)
    }
}

/// Entries of a map.
pub(super) struct Entries<'t> {
    trace: &'t mut Trace,
    left: usize,
    slots: &'t mut (Option<Type>, Option<Type>),
}

impl<'t> Entries<'t> {
    pub(super) fn new(
        trace: &'t mut Trace,
        left: usize,
        slots: &'t mut (Option<Type>, Option<Type>),
    ) -> Self {
        Self { trace, left, slots }
    }
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = Stop;

    fn next_key_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Stop> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        within(self.trace, Step::Key, &mut self.slots.0, seed).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Stop> {
        within(self.trace, Step::Value, &mut self.slots.1, seed)
    }
}

/// Parts with a type each, as many as the type says that it has.
pub(super) struct Fields<'t> {
    trace: &'t mut Trace,
    names: Option<&'static [&'static str]>,
    len: usize,
    types: Vec<Type>,
}

impl<'t> Fields<'t> {
    /// The value that these parts make, and their types.
    pub(super) fn read<'de, V: Visitor<'de>>(
        trace: &'t mut Trace,
        names: Option<&'static [&'static str]>,
        len: usize,
        visitor: V,
    ) -> Result<(V::Value, Vec<Type>), Stop> {
        let mut fields = Self {
            trace,
            names,
            len,
            types: Vec::new(),
        };
        let value = visitor.visit_seq(&mut fields)?;
        let all = fields.types.len() == len;
        fields.trace.expect(all, ShapeErrorKind::Unread)?;
        Ok((value, fields.types))
    }
}

impl<'de> SeqAccess<'de> for &mut Fields<'_> {
    type Error = Stop;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Stop> {
        let at = self.types.len();
        if at == self.len {
            return Ok(None);
        }
        let step = self
            .names
            .map_or(Step::Index(at), |names| Step::Field(names[at]));
        let mut slot = None;
        let value = within(self.trace, step, &mut slot, seed)?;
        let found = self.trace.found(slot)?;
        self.types.push(found);
        Ok(Some(value))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.len - self.types.len())
    }
}

/// Reads what is in a place within.
pub(super) fn within<'de, T: DeserializeSeed<'de>>(
    trace: &mut Trace,
    step: Step,
    slot: &mut Option<Type>,
    seed: T,
) -> Result<T::Value, Stop> {
    trace.step(step)?;
    let value = seed.deserialize(Tracer::new(trace, slot))?;
    trace.path.pop();
    Ok(value)
}
