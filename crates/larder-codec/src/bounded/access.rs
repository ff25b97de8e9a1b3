//! What a bounded visitor is shown of the values within.

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::visitor::Within;
use super::{Bounded, Limits};

/// The elements of a sequence or map.
pub(super) struct Elements<'l, A> {
    access: A,
    limits: &'l Limits,
    counted: bool,
}

impl<'l, A> Elements<'l, A> {
    /// Their number was claimed before, or is that of a type.
    pub(super) const fn free(access: A, limits: &'l Limits) -> Self {
        Self {
            access,
            limits,
            counted: false,
        }
    }

    /// Each is claimed when it is asked for, and the end as well.
    pub(super) const fn counted(access: A, limits: &'l Limits) -> Self {
        Self {
            access,
            limits,
            counted: true,
        }
    }

    fn count<E: Error>(&self) -> Result<(), E> {
        if self.counted {
            self.limits.claim(1)
        } else {
            Ok(())
        }
    }

    fn seed<S>(&self, inner: S) -> Seed<'l, S> {
        Seed::new(inner, self.limits)
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Elements<'_, A> {
    type Error = A::Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, A::Error> {
        self.count()?;
        let seed = self.seed(seed);
        self.access.next_element_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.access.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Elements<'_, A> {
    type Error = A::Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        self.count()?;
        let seed = self.seed(seed);
        self.access.next_key_seed(seed)
    }

    #[inline]
    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, A::Error> {
        let seed = self.seed(seed);
        self.access.next_value_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.access.size_hint()
    }
}

/// Hands the limits on to what is within: an element, or the content of a variant.
pub(super) struct Seed<'l, S> {
    inner: S,
    limits: &'l Limits,
}

impl<'l, S> Seed<'l, S> {
    pub(super) const fn new(inner: S, limits: &'l Limits) -> Self {
        Self { inner, limits }
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Seed<'_, S> {
    type Value = S::Value;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(Bounded::new(inner, self.limits))
    }
}

impl<'l, 'de, A: EnumAccess<'de>> EnumAccess<'de> for Seed<'l, A> {
    type Error = A::Error;
    type Variant = Seed<'l, A::Variant>;

    #[inline]
    fn variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<(T::Value, Self::Variant), A::Error> {
        let (variant, content) = self.inner.variant_seed(seed)?;
        Ok((variant, Seed::new(content, self.limits)))
    }
}

/// The content of a variant is on the level of its enum.
impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Seed<'_, A> {
    type Error = A::Error;

    #[inline]
    fn unit_variant(self) -> Result<(), A::Error> {
        self.inner.unit_variant()
    }

    #[inline]
    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, A::Error> {
        let seed = Seed::new(seed, self.limits);
        self.inner.newtype_variant_seed(seed)
    }

    #[inline]
    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        let visitor = Within::of_its_type(visitor, self.limits);
        self.inner.tuple_variant(len, visitor)
    }

    #[inline]
    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        let visitor = Within::of_its_type(visitor, self.limits);
        self.inner.struct_variant(fields, visitor)
    }
}
