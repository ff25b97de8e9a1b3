//! The shapes of types, in full.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use larder_codec::Shape;
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize};

pub(crate) fn shape<V: DeserializeOwned>() -> String {
    Shape::traced::<V>(false).unwrap().to_string()
}

#[test]
fn types_of_the_standard_library() {
    assert_eq!(shape::<u64>(), "u64");
    assert_eq!(shape::<i8>(), "i8");
    assert_eq!(shape::<(bool, char, f32)>(), "(bool,char,f32)");
    assert_eq!(shape::<u128>(), "u128");
    assert_eq!(shape::<()>(), "unit");
    assert_eq!(shape::<Box<str>>(), "str");
    assert_eq!(shape::<Cow<'static, str>>(), "str");
    assert_eq!(shape::<Box<[Box<str>]>>(), "[str]");
    assert_eq!(shape::<Option<Vec<Option<u8>>>>(), "?[?u8]");
    assert_eq!(shape::<HashSet<(u8, u16)>>(), "[(u8,u16)]");
    assert_eq!(shape::<BTreeMap<String, [u8; 32]>>(), "[str=>(u8;32)]");
    assert_eq!(shape::<[u8; 0]>(), "()");
    assert_eq!(shape::<(u8,)>(), "(u8)");
    assert_eq!(shape::<NonZeroU32>(), "u32");
    assert_eq!(shape::<Duration>(), "Duration{secs:u64,nanos:u32}");
    assert_eq!(shape::<Result<u8, String>>(), "Result<Ok(u8),Err(str)>");
    assert_eq!(shape::<std::ops::Range<u8>>(), "Range{start:u8,end:u8}");
    assert_eq!(shape::<IpAddr>(), "IpAddr<V4((u8;4)),V6((u8;16))>");
}

#[test]
fn a_format_for_people_has_another_shape() {
    let shape = Shape::traced::<IpAddr>(true).unwrap();
    assert_eq!(shape.as_str(), "str");
}

#[derive(Deserialize)]
struct Nothing;
#[derive(Deserialize)]
struct Number(#[expect(dead_code, reason = "only read by serde")] u64);
#[derive(Deserialize)]
struct Pair<T>(T, T);
#[derive(Deserialize)]
#[expect(dead_code, reason = "only read by serde")]
enum Event {
    Quiet,
    One(u8),
    Two(u8, String),
    Named { at: u64, inner: Option<Inner> },
}
#[derive(Deserialize)]
#[expect(dead_code, reason = "only read by serde")]
enum Inner {
    Left(Nothing),
    Right(Vec<Number>),
}

#[test]
fn all_kinds_of_structs_and_variants() {
    assert_eq!(shape::<Nothing>(), "Nothing");
    assert_eq!(shape::<Number>(), "Number(u64)");
    assert_eq!(shape::<Pair<u8>>(), "Pair(u8;2)");
    assert_eq!(
        shape::<Event>(),
        "Event<Quiet,One(u8),Two(u8,str),Named{at:u64,inner:?Inner<Left(Nothing),Right([Number(u64)])>}>"
    );
}

#[test]
fn a_type_that_comes_again_is_written_once() {
    assert_eq!(
        shape::<(Number, Vec<Number>, Option<Number>)>(),
        "(Number(u64),[^0],?^0)"
    );
    assert_eq!(shape::<(Event, Inner)>().rsplit_once(',').unwrap().1, "^1)");
}

/// serde gives names without modules and parameters.
#[test]
fn types_with_one_name_are_kept_apart() {
    mod other {
        #[derive(serde::Deserialize)]
        pub(super) struct Number(#[expect(dead_code, reason = "only read by serde")] super::Number);
    }
    assert_eq!(shape::<other::Number>(), "Number(Number(u64))");
    assert_eq!(shape::<Pair<Pair<u8>>>(), "Pair(Pair(u8;2);2)");
    assert_ne!(shape::<Pair<Pair<u8>>>(), shape::<Pair<Pair<u16>>>());
}

#[derive(Deserialize)]
#[serde(rename = "Renamed type", deny_unknown_fields)]
#[expect(dead_code, reason = "only read by serde")]
struct Attributed {
    #[serde(rename = "the,id")]
    id: u64,
    #[serde(skip)]
    skipped: u64,
    #[serde(default)]
    defaulted: u8,
    #[serde(deserialize_with = "as_text")]
    other: u64,
    through: Transparent,
}
#[derive(Deserialize)]
#[serde(transparent)]
struct Transparent(#[expect(dead_code, reason = "only read by serde")] Vec<u8>);

fn as_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(D::Error::custom)
}

#[test]
fn attributes_change_the_shape_as_they_change_the_bytes() {
    assert_eq!(
        shape::<Attributed>(),
        "Renamed%20type{the%2Cid:u64,defaulted:u8,other:str,through:[u8]}"
    );
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only read by serde")]
struct Tree {
    value: u8,
    children: Vec<Self>,
}
#[derive(Deserialize)]
#[expect(dead_code, reason = "only read by serde")]
enum Expression {
    Add(Box<Self>, Box<Self>),
    Not { inner: Box<Self> },
    Call(String, Vec<Self>),
    Number(i64),
}
#[derive(Deserialize)]
#[expect(dead_code, reason = "only read by serde")]
struct Statement {
    condition: Expression,
    then: Block,
}
#[derive(Deserialize)]
#[expect(dead_code, reason = "only read by serde")]
enum Block {
    Many(Vec<Statement>),
    One(Box<Statement>),
    Empty,
}

#[test]
fn types_within_themselves() {
    assert_eq!(shape::<Tree>(), "Tree{value:u8,children:[^0]}");
    assert_eq!(
        shape::<Expression>(),
        "Expression<Add(^0;2),Not{inner:^0},Call(str,[^0]),Number(i64)>"
    );
    assert_eq!(
        shape::<Statement>(),
        "Statement{condition:Expression<Add(^1;2),Not{inner:^1},Call(str,[^1]),Number(i64)>,\
         then:Block<Many([^0]),One(^0),Empty>}"
    );
}

/// While a type is read within itself others come up that have not been seen yet; they are seen later.
#[test]
fn what_comes_after_the_type_itself_is_traced_too() {
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only read by serde")]
    struct Folder {
        folders: Vec<Self>,
        first: Number,
        event: Inner,
    }
    assert_eq!(
        shape::<Folder>(),
        "Folder{folders:[^0],first:Number(u64),event:Inner<Left(Nothing),Right([^1])>}"
    );
}

/// A variant that is first met inside itself is cut short there. Taken for whole, both of these
/// would have one shape: what differs lies behind the cut.
#[test]
fn a_variant_that_was_cut_short_is_traced_again() {
    macro_rules! shape_with {
        ($inner:ty) => {{
            #[derive(Deserialize)]
            #[expect(dead_code, reason = "only read by serde")]
            enum Node {
                Leaf,
                Branch(Vec<Edge>),
            }
            #[derive(Deserialize)]
            #[expect(dead_code, reason = "only read by serde")]
            enum Edge {
                To(Box<Node>, Weight),
                Loop,
            }
            #[derive(Deserialize)]
            #[expect(dead_code, reason = "only read by serde")]
            enum Weight {
                None,
                Some($inner, Option<Box<Edge>>),
            }
            shape::<Vec<Node>>()
        }};
    }
    let one = shape_with!(u8);
    assert_eq!(
        one,
        "[Node<Leaf,Branch([Edge<To(^0,Weight<None,Some(u8,?^1)>),Loop>])>]"
    );
    assert_eq!(shape_with!(u16), one.replace("u8", "u16"));
}

/// Beyond an enum of which the first variant leads back, another enum is reached only through the
/// last variant.
#[test]
fn an_enum_behind_a_later_variant_is_traced_to_its_end() {
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only read by serde")]
    enum Outer {
        Plain,
        Deep(Inner),
    }
    assert_eq!(
        shape::<Vec<Outer>>(),
        "[Outer<Plain,Deep(Inner<Left(Nothing),Right([Number(u64)])>)>]"
    );
}

/// Adding fields that share a type with neighbours must not explode: each type is walked once a
/// pass.
#[test]
fn wide_types_are_traced_quickly() {
    macro_rules! layer {
        ($($name:ident of $inner:ty),*) => {$(
            #[derive(Serialize, Deserialize)]
            struct $name { a: Box<$inner>, b: Option<Box<$inner>>, c: Vec<$inner>, d: (Box<$inner>, u8) }
        )*};
    }
    layer! { L0 of u8, L1 of L0, L2 of L1, L3 of L2, L4 of L3, L5 of L4, L6 of L5, L7 of L6,
    L8 of L7 }
    let shape = shape::<L8>();
    assert_eq!(shape.matches("{a:").count(), 9);
    assert!(shape.ends_with("},b:?^1,c:[^1],d:(^1,u8)}"), "{shape}");
}
