//! The variant that a traced enum is given.

use serde::de::value::U32Deserializer;
use serde::de::{DeserializeSeed, EnumAccess, IntoDeserializer, VariantAccess, Visitor};

use super::access::{Fields, within};
use super::error::ShapeErrorKind;
use super::path::Step;
use super::registry::Type;
use super::trace::{Stop, Trace, Visit};

/// One variant of an enum.
pub(super) struct Variant<'t> {
    trace: &'t mut Trace,
    id: usize,
    index: u32,
    probe: bool,
    slot: &'t mut Option<Type>,
}

impl<'t> Variant<'t> {
    /// The value of the variant that comes next.
    pub(super) fn read<'de, V: Visitor<'de>>(
        trace: &'t mut Trace,
        visit: &Visit,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Stop> {
        // A type without variants has no value.
        trace.expect(!names.is_empty(), ShapeErrorKind::Unread)?;
        if visit.fill {
            let index = trace.choices.choose(names.len());
            return Self::give(trace, visit.id, index, false, &mut None, visitor);
        }
        let (index, closed) = {
            let named = trace.registry.get(visit.id);
            (named.next(), named.closed)
        };
        let around = std::mem::take(&mut trace.unfinished);
        let mut content = None;
        trace.step(Step::Variant(names[index]))?;
        let value = Self::give(trace, visit.id, index, !closed, &mut content, visitor)?;
        trace.ended(visit)?;
        trace.path.pop();
        let content = trace.found(content)?;
        let whole = !trace.unfinished;
        let agreed = trace.registry.at(visit.id).define(index, content, whole);
        trace.expect(agreed, ShapeErrorKind::Ambiguous)?;
        trace.unfinished = around || !trace.registry.get(visit.id).is_whole();
        Ok(value)
    }

    fn give<'de, V: Visitor<'de>>(
        trace: &mut Trace,
        id: usize,
        index: usize,
        probe: bool,
        slot: &mut Option<Type>,
        visitor: V,
    ) -> Result<V::Value, Stop> {
        let index = index as u32;
        visitor.visit_enum(Variant {
            trace,
            id,
            index,
            probe,
            slot,
        })
    }

    /// Gives an index that no enum has. Who takes it has a variant for all unknown ones, and then the
    /// names of the variants do not tell which index stands for which.
    fn probe<'de, T: DeserializeSeed<'de>>(self, seed: T) -> Stop {
        if seed.deserialize(index(u32::MAX)).is_ok() {
            return self.trace.fault(ShapeErrorKind::Open);
        }
        self.trace.registry.at(self.id).closed = true;
        self.trace.probed = true;
        serde::de::Error::custom("only a probe")
    }
}

impl<'t, 'de> EnumAccess<'de> for Variant<'t> {
    type Error = Stop;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), Stop> {
        if self.probe {
            return Err(self.probe(seed));
        }
        match seed.deserialize(index(self.index)) {
            Ok(variant) => Ok((variant, self)),
            // There are more names than variants.
            Err(_) => Err(self.trace.fault(ShapeErrorKind::Unread)),
        }
    }
}

impl<'de> VariantAccess<'de> for Variant<'_> {
    type Error = Stop;

    fn unit_variant(self) -> Result<(), Stop> {
        self.trace.note(self.slot, Type::Leaf(""))
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Stop> {
        let mut inner = None;
        let value = within(self.trace, Step::Index(0), &mut inner, seed)?;
        let inner = self.trace.found(inner)?;
        self.trace.note(self.slot, Type::Tuple(vec![inner]))?;
        Ok(value)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Stop> {
        let (value, types) = Fields::read(self.trace, None, len, visitor)?;
        self.trace.note(self.slot, Type::Tuple(types))?;
        Ok(value)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Stop> {
        let (value, types) = Fields::read(self.trace, Some(fields), fields.len(), visitor)?;
        self.trace.note(self.slot, Type::Fields(fields, types))?;
        Ok(value)
    }
}

fn index(index: u32) -> U32Deserializer<Stop> {
    index.into_deserializer()
}
