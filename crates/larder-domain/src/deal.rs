//! The deal.

use serde::{Deserialize, Serialize};

use crate::Date;

/// An offer of one product in one region, between two days.
///
/// Deserializing checks types only; [`check`](Self::check) the rest wherever a deal comes from outside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::exhaustive_structs,
    reason = "the fields are the columns of the data, and sources build deals from them"
)]
pub struct Deal {
    /// The deal's number, by which it is found.
    pub deal_no: u64,
    /// The product's number in the catalogue.
    pub product_id: String,
    /// What is offered; any text that is not blank.
    pub title: String,
    /// The product's category.
    pub category: String,
    /// The category within the category.
    pub sub_category: String,
    /// Where the deal is valid.
    pub region: String,
    /// The price without the deal, in cents.
    pub list_price_cents: u64,
    /// The price to pay, in cents.
    pub price_cents: u64,
    /// What the deal takes off, from 0 to 100.
    pub discount_percent: u8,
    /// How many are left.
    pub stock: u64,
    /// The first day of the deal.
    pub starts_on: Date,
    /// The last day of the deal, not before the first.
    pub ends_on: Date,
}

/// A field of a deal holds what no deal can hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` {reason}")]
#[non_exhaustive]
pub struct Invalid {
    /// The field's name, as in [`Deal::FIELDS`].
    pub field: &'static str,
    /// What the field must be, to be read after its name: "must not be blank".
    pub reason: &'static str,
}

impl Deal {
    /// The names of all fields, in the order of the struct.
    pub const FIELDS: [&'static str; 12] = [
        "deal_no",
        "product_id",
        "title",
        "category",
        "sub_category",
        "region",
        "list_price_cents",
        "price_cents",
        "discount_percent",
        "stock",
        "starts_on",
        "ends_on",
    ];

    /// The largest amount a field holds: beyond it JSON readers that know only doubles would round.
    pub const MOST: u64 = (1 << 53) - 1;

    /// Says what no deal may be: a blank text, an amount over [`MOST`](Self::MOST), a discount over 100,
    /// an end before its start.
    ///
    /// # Errors
    ///
    /// [`Invalid`] names the first such field.
    pub fn check(&self) -> Result<(), Invalid> {
        self.check_texts()?;
        self.check_amounts()?;
        if self.ends_on < self.starts_on {
            return Err(Invalid::new("ends_on", "must not be before `starts_on`"));
        }
        Ok(())
    }

    fn check_texts(&self) -> Result<(), Invalid> {
        let texts = [
            ("product_id", &self.product_id),
            ("title", &self.title),
            ("category", &self.category),
            ("sub_category", &self.sub_category),
            ("region", &self.region),
        ];
        match texts.iter().find(|(_, text)| text.trim().is_empty()) {
            Some((field, _)) => Err(Invalid::new(field, "must not be blank")),
            None => Ok(()),
        }
    }

    fn check_amounts(&self) -> Result<(), Invalid> {
        let amounts = [
            ("list_price_cents", self.list_price_cents),
            ("price_cents", self.price_cents),
            ("stock", self.stock),
        ];
        if let Some((field, _)) = amounts.iter().find(|(_, amount)| *amount > Self::MOST) {
            return Err(Invalid::new(field, "must not be over 9007199254740991"));
        }
        if self.discount_percent > 100 {
            return Err(Invalid::new("discount_percent", "must be from 0 to 100"));
        }
        Ok(())
    }
}

impl Invalid {
    const fn new(field: &'static str, reason: &'static str) -> Self {
        Self { field, reason }
    }
}
