//! Well-known types of other crates, which are extractable with a feature of `extract`.

use syn::{Path, Type};

/// The feature for a type.
#[derive(Debug, Clone, Copy)]
pub(super) struct TypeFeature {
    /// The trait in `extract::__private` whose message names the feature.
    pub(super) accepted: &'static str,
    /// For a type that is extractable only if its arguments are, the type in `extract::__private`
    /// that knows whether the feature is enabled.
    pub(super) container: Option<&'static str>,
    /// The crate.
    krate: &'static str,
    types: &'static [&'static str],
}

const fn feature(accepted: &'static str, krate: &'static str, types: &'static [&'static str]) -> TypeFeature {
    TypeFeature { accepted, container: None, krate, types }
}

const FEATURES: [TypeFeature; 8] = [
    feature(
        "AcceptedWithChrono04",
        "chrono",
        &["DateTime", "NaiveDate", "NaiveDateTime", "NaiveTime", "Weekday"],
    ),
    TypeFeature {
        container: Some("FeatureIndexmap2"),
        ..feature("AcceptedWithIndexmap2", "indexmap", &["IndexMap", "IndexSet"])
    },
    feature(
        "AcceptedWithJiff02",
        "jiff",
        &["Date", "DateTime", "SignedDuration", "Span", "Time", "Timestamp", "Zoned"],
    ),
    feature("AcceptedWithRustDecimal1", "rust_decimal", &["Decimal"]),
    feature("AcceptedWithSemver1", "semver", &["Version", "VersionReq"]),
    feature(
        "AcceptedWithTime03",
        "time",
        &["Date", "Month", "OffsetDateTime", "PrimitiveDateTime", "Time", "Weekday"],
    ),
    feature("AcceptedWithUrl2", "url", &["Url"]),
    feature("AcceptedWithUuid1", "uuid", &["Uuid"]),
];

const RC: TypeFeature = TypeFeature {
    accepted: "AcceptedWithRc",
    container: Some("FeatureRc"),
    krate: "std",
    types: &["Arc", "Rc"],
};

/// Two crates have types of these names; the message names both features.
const AMBIGUOUS: [TypeFeature; 2] = [
    feature("AcceptedWithChrono04OrTime03", "", &["Weekday"]),
    feature("AcceptedWithJiff02OrTime03", "", &["Date", "Time"]),
];

/// The feature that a type of this name needs. The crate decides if it is written, else the name.
pub(super) fn feature_of(ty: &Type) -> Option<TypeFeature> {
    let Type::Path(path) = ty else { return None };
    let path = &path.path;
    let (first, last) = (path.segments.first()?, path.segments.last()?);
    let named = |feature: &TypeFeature| feature.types.iter().any(|name| last.ident == name);
    let is_alone = path.segments.len() == 1;
    if is_alone || ["std", "alloc"].iter().any(|krate| first.ident == krate) {
        if named(&RC) {
            return Some(RC);
        }
        if !is_alone {
            return None;
        }
    }
    if !is_alone {
        return FEATURES.into_iter().find(|feature| named(feature) && mentions(path, feature.krate));
    }
    if let Some(feature) = AMBIGUOUS.into_iter().find(named) {
        return Some(feature);
    }
    // The `DateTime` of chrono has an argument; jiff's has none.
    let is_of_chrono = !last.arguments.is_none();
    FEATURES.into_iter().find(|feature| {
        named(feature) && (last.ident != "DateTime" || is_of_chrono == (feature.krate == "chrono"))
    })
}

fn mentions(path: &Path, krate: &str) -> bool {
    path.segments.iter().any(|segment| segment.ident == krate)
}
