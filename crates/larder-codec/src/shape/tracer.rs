//! The deserializer that writes down what it is asked for.

use serde::de::{Deserializer, Visitor};

use super::access::{Entries, Fields, Repeated};
use super::error::ShapeErrorKind;
use super::path::Step;
use super::registry::{Identity, Type};
use super::samples::{LENGTHS, LETTERS, MOST_BYTES, NUMBERS, SMALL_NUMBERS, TEXTS};
use super::trace::{Stop, Trace};
use super::variant::Variant;

/// The deserializer of one place: it writes down what it is asked for and gives a sample.
pub(super) struct Tracer<'t> {
    trace: &'t mut Trace,
    slot: &'t mut Option<Type>,
}

impl<'t> Tracer<'t> {
    pub(super) fn new(trace: &'t mut Trace, slot: &'t mut Option<Type>) -> Self {
        Self { trace, slot }
    }

    /// Writes down a value without parts, and chooses one of its samples.
    fn leaf(self, name: &'static str, samples: usize) -> Result<usize, Stop> {
        self.trace.note(self.slot, Type::Leaf(name))?;
        Ok(self.trace.sample(samples))
    }

    fn self_describing<T>(self) -> Result<T, Stop> {
        Err(self.trace.fault(ShapeErrorKind::SelfDescribing))
    }

    /// How many elements something of any length gets: one, or what else is accepted; where nothing
    /// is written down none, or one.
    fn count(&mut self) -> usize {
        if self.trace.is_filling() {
            self.trace.choices.choose(2)
        } else {
            self.trace.choices.choose(3) + 1
        }
    }

    /// A struct, whatever it looks like: `read` gives its value and writes down its parts.
    fn structure<'de, V: Visitor<'de>>(
        self,
        name: &'static str,
        names: &'static [&'static str],
        read: impl FnOnce(&mut Trace) -> Result<(V::Value, Type), Stop>,
    ) -> Result<V::Value, Stop> {
        let id = self
            .trace
            .registry
            .structure(Identity::of::<V::Value>(name, names));
        self.trace.note(self.slot, Type::Named(id))?;
        let visit = self.trace.enter(id)?;
        let (value, content) = read(self.trace)?;
        self.trace.ended(&visit)?;
        self.trace.leave(&visit);
        let agreed = visit.fill || self.trace.registry.at(id).define(0, content, true);
        self.trace.expect(agreed, ShapeErrorKind::Ambiguous)?;
        Ok(value)
    }
}

macro_rules! numbers {
    ($samples:ident: $($method:ident $visit:ident $number:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Stop> {
            let sample = self.leaf(stringify!($number), $samples.len())?;
            visitor.$visit($samples[sample] as $number)
        }
    )*};
}

impl<'de> Deserializer<'de> for Tracer<'_> {
    type Error = Stop;

    fn is_human_readable(&self) -> bool {
        self.trace.human_readable
    }

    numbers! { SMALL_NUMBERS:
        deserialize_i8 visit_i8 i8
        deserialize_u8 visit_u8 u8
    }
    numbers! { NUMBERS:
        deserialize_i16 visit_i16 i16
        deserialize_i32 visit_i32 i32
        deserialize_i64 visit_i64 i64
        deserialize_i128 visit_i128 i128
        deserialize_u16 visit_u16 u16
        deserialize_u32 visit_u32 u32
        deserialize_u64 visit_u64 u64
        deserialize_u128 visit_u128 u128
        deserialize_f32 visit_f32 f32
        deserialize_f64 visit_f64 f64
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Stop> {
        let sample = self.leaf("bool", 2)?;
        visitor.visit_bool(sample == 0)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Stop> {
        let sample = self.leaf("char", LETTERS.len())?;
        visitor.visit_char(LETTERS[sample])
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Stop> {
        let sample = self.leaf("str", TEXTS.len())?;
        visitor.visit_str(TEXTS[sample])
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Stop> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Stop> {
        let sample = self.leaf("bytes", LENGTHS.len())?;
        visitor.visit_bytes(&[0; MOST_BYTES][..LENGTHS[sample]])
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Stop> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Stop> {
        self.leaf("unit", 1)?;
        visitor.visit_unit()
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Stop> {
        if self.trace.is_filling() && self.trace.choices.choose(2) == 0 {
            return visitor.visit_none();
        }
        let mut inner = None;
        let value = visitor.visit_some(Tracer::new(self.trace, &mut inner))?;
        let inner = self.trace.found(inner)?;
        self.trace.note(self.slot, Type::Option(Box::new(inner)))?;
        Ok(value)
    }

    fn deserialize_seq<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Stop> {
        let count = self.count();
        let mut element = None;
        let value = visitor.visit_seq(Repeated::new(self.trace, count, &mut element))?;
        let element = self.trace.found(element)?;
        self.trace.note(self.slot, Type::Seq(Box::new(element)))?;
        Ok(value)
    }

    fn deserialize_map<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Stop> {
        let count = self.count();
        let mut entry = (None, None);
        let value = visitor.visit_map(Entries::new(self.trace, count, &mut entry))?;
        let entry = (self.trace.found(entry.0)?, self.trace.found(entry.1)?);
        self.trace.note(self.slot, Type::Map(Box::new(entry)))?;
        Ok(value)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Stop> {
        let (value, types) = Fields::read(self.trace, None, len, visitor)?;
        self.trace.note(self.slot, Type::Tuple(types))?;
        Ok(value)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Stop> {
        let unit = |_: &mut Trace| Ok((visitor.visit_unit()?, Type::Leaf("")));
        self.structure::<V>(name, &[], unit)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Stop> {
        self.structure::<V>(name, &[], |trace| {
            let mut inner = None;
            trace.step(Step::Index(0))?;
            let value = visitor.visit_newtype_struct(Tracer::new(trace, &mut inner))?;
            trace.path.pop();
            Ok((value, Type::Tuple(vec![trace.found(inner)?])))
        })
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Stop> {
        self.structure::<V>(name, &[], |trace| {
            let (value, types) = Fields::read(trace, None, len, visitor)?;
            Ok((value, Type::Tuple(types)))
        })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Stop> {
        self.structure::<V>(name, fields, |trace| {
            let (value, types) = Fields::read(trace, Some(fields), fields.len(), visitor)?;
            Ok((value, Type::Fields(fields, types)))
        })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Stop> {
        let id = self
            .trace
            .registry
            .choice(Identity::of::<V::Value>(name, variants));
        self.trace.note(self.slot, Type::Named(id))?;
        let visit = self.trace.enter(id)?;
        let value = Variant::read(self.trace, &visit, variants, visitor)?;
        self.trace.leave(&visit);
        Ok(value)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Stop> {
        self.self_describing()
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Stop> {
        self.self_describing()
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Stop> {
        self.self_describing()
    }
}
