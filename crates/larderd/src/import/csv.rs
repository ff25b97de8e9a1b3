//! A deal a row, as CSV with the names of the fields in the first line.

use std::fmt::Display;
use std::io::Read;
use std::str::FromStr;

use csv::{ByteRecord, Reader, ReaderBuilder, Terminator};
use larder_domain::Deal;

use super::Row;
use super::metered::Allowance;
use super::rows::Place;
use crate::settings::Wrong;

/// The rows after the first; blank lines are none.
///
/// # Errors
/// The first does not name the fields of a deal in their order.
pub(super) fn rows(
    file: impl Read,
    allowance: Allowance,
    place: Place,
) -> Result<impl Iterator<Item = Result<Row, Wrong>>, Wrong> {
    let mut records = Records::new(file, allowance, place.clone());
    match records.next().transpose()? {
        Some((_, names)) if names == Deal::FIELDS[..] => {}
        _ => {
            let reason = format!("the first must be {}", Deal::FIELDS.join(","));
            return Err(place.wrong(1, "row", reason));
        }
    }
    Ok(records.map(move |record| {
        let (line, record) = record?;
        row(&record, line, &place)
    }))
}

/// Records, each with the line that it begins in.
struct Records<R> {
    reader: Reader<R>,
    allowance: Allowance,
    place: Place,
}

impl Records<()> {
    fn new(file: impl Read, allowance: Allowance, place: Place) -> Records<impl Read> {
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            // Of "\r\n" it would take the second half for a part of the next record, and count lines wrong.
            .terminator(Terminator::Any(b'\n'))
            .from_reader(file.chain(&b"\n"[..]));
        Records {
            reader,
            allowance,
            place,
        }
    }
}

impl<R: Read> Iterator for Records<R> {
    type Item = Result<(u64, ByteRecord), Wrong>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut record = ByteRecord::new();
        loop {
            self.allowance.grant();
            let more = self.reader.read_byte_record(&mut record);
            let after = self.reader.position().line();
            match more {
                Ok(false) => return None,
                Ok(true) => {}
                Err(error) => return Some(Err(self.place.wrong(after, "row", error))),
            }
            let record = without_return(&record);
            if record.len() > 1 || !record[0].is_empty() {
                let inside = record.iter().flatten().filter(|byte| **byte == b'\n');
                return Some(Ok((after - 1 - inside.count() as u64, record)));
            }
        }
    }
}

/// The record without the first half of a "\r\n" at its end.
fn without_return(record: &ByteRecord) -> ByteRecord {
    let last = record.len().saturating_sub(1);
    let fields = record.iter().enumerate();
    let fields = fields.map(|(at, field)| match field.strip_suffix(b"\r") {
        Some(field) if at == last => field,
        _ => field,
    });
    fields.collect()
}

fn row(record: &ByteRecord, line: u64, place: &Place) -> Result<Row, Wrong> {
    let (is, should) = (record.len(), Deal::FIELDS.len());
    if is != should {
        return Err(place.wrong(line, "row", format!("{is} columns instead of {should}")));
    }
    let deal = deal(record).map_err(|(field, reason)| place.wrong(line, field, reason))?;
    deal.check()
        .map_err(|invalid| place.wrong(line, invalid.field, invalid.reason))?;
    let origin = place.line(line);
    Ok(Row { deal, origin })
}

/// A field's name, and what is wrong with it.
type Unfit = (&'static str, String);

fn deal(record: &ByteRecord) -> Result<Deal, Unfit> {
    Ok(Deal {
        deal_no: number(record, "deal_no")?,
        product_id: field(record, "product_id")?,
        title: field(record, "title")?,
        category: field(record, "category")?,
        sub_category: field(record, "sub_category")?,
        region: field(record, "region")?,
        list_price_cents: number(record, "list_price_cents")?,
        price_cents: number(record, "price_cents")?,
        discount_percent: number(record, "discount_percent")?,
        stock: number(record, "stock")?,
        starts_on: field(record, "starts_on")?,
        ends_on: field(record, "ends_on")?,
    })
}

fn field<T: FromStr<Err: Display>>(record: &ByteRecord, name: &'static str) -> Result<T, Unfit> {
    text(record, name)?
        .parse()
        .map_err(|error: T::Err| (name, error.to_string()))
}

/// A number in digits alone, as it is written everywhere else.
fn number<T: FromStr>(record: &ByteRecord, name: &'static str) -> Result<T, Unfit> {
    let text = text(record, name)?;
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = if digits { text.parse().ok() } else { None };
    number.ok_or_else(|| {
        let reason = "not a whole number that this field can hold";
        (name, reason.to_owned())
    })
}

fn text<'a>(record: &'a ByteRecord, name: &'static str) -> Result<&'a str, Unfit> {
    let at = Deal::FIELDS.iter().position(|field| *field == name);
    let bytes = at.and_then(|at| record.get(at)).unwrap_or_default();
    std::str::from_utf8(bytes).map_err(|_| (name, "not UTF-8".to_owned()))
}
