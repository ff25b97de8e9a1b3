//! What the compiler says about each mistake under an attribute.

#[test]
fn mistakes_are_explained_where_they_are_made() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
}
