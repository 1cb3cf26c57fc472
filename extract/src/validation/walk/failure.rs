//! Failures: the broken keywords of a value, before they are explained.

use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasherDefault, Hasher},
    ops::ControlFlow,
    rc::Rc,
};

use jsonschema::{ValidationError, error::ValidationErrorKind as Kind};
use serde_json::Value;

use super::plan::own_keywords;
use crate::{
    validation::{alternatives::UnionAlternatives, describe::PATTERN_CHARS, nodes::KeyRule},
    vocabulary::{path::Path, text::cut},
};

/// One keyword that a value does not satisfy.
pub(crate) struct KeywordFailure<'a> {
    pub(crate) cause: FailureCause<'a>,
    pub(crate) value: &'a Value,
    /// The path of the value.
    pub(crate) path: Path,
    /// The schema with the keyword.
    pub(crate) schema: &'a Value,
    /// The outermost schema of the same value. Unlike `schema`, it includes the keywords beside
    /// references and alternatives.
    pub(crate) whole: &'a Value,
}

/// The keyword, with its value.
pub(crate) enum FailureCause<'a> {
    /// A keyword about the value itself, as the validator reports it.
    Own(Kind),
    /// `pattern`, cut to a length: each value that does not match has a copy.
    Pattern(String),
    /// `dependentRequired`: this key is absent.
    Dependent(Value),
    /// `false`: no value is allowed.
    False,
    /// Keys that are not allowed, by this keyword.
    UnknownKeys {
        keys: Vec<&'a str>,
        by: KeyRule,
    },
    /// No key is allowed, by `propertyNames`.
    NoKeys,
    /// A key that breaks this schema, by `propertyNames`.
    Key(&'a str, &'a Value),
    /// No alternative fits.
    NoneOf(Rc<UnionAlternatives<'a>>),
    /// Several alternatives fit where only one is allowed.
    SeveralOf(Rc<UnionAlternatives<'a>>),
    Contains,
    Not(&'a Value),
    UnevaluatedItems,
}

impl FailureCause<'_> {
    pub(super) fn of(error: ValidationError<'_>) -> Self {
        let is_dependent = error.schema_path().as_str() == "/dependentRequired";
        match error.into_parts().kind {
            Kind::Pattern { pattern } => Self::Pattern(cut(&pattern, PATTERN_CHARS)),
            Kind::Required { property } if is_dependent => Self::Dependent(property),
            kind => Self::Own(kind),
        }
    }

    /// The keyword, if it alone explains the failure.
    pub(crate) fn keyword(&self) -> Option<&'static str> {
        match self {
            Self::Own(kind) => own_keywords().find(|name| *name == kind.keyword()),
            Self::Pattern(_) => Some("pattern"),
            Self::Dependent(_) => Some("dependentRequired"),
            Self::UnknownKeys { by, .. } => Some(by.keyword()),
            Self::NoKeys | Self::Key(..) => Some("propertyNames"),
            Self::Contains => Some("contains"),
            Self::Not(_) => Some("not"),
            Self::UnevaluatedItems => Some("unevaluatedItems"),
            Self::False | Self::NoneOf(_) | Self::SeveralOf(_) => None,
        }
    }

    /// The kind of error that the validator reports for the value itself.
    pub(crate) fn kind(&self) -> Option<&Kind> {
        match self {
            Self::Own(kind) => Some(kind),
            _ => None,
        }
    }
}

/// Failures up to a limit; those beyond it are counted.
pub(crate) struct KeywordFailures<'a> {
    pub(crate) list: Vec<KeywordFailure<'a>>,
    pub(crate) count: usize,
    most: usize,
    /// The targets of references, with the values they were applied to. Applying one twice finds
    /// nothing new.
    pub(super) seen: AddressPairs,
}

impl KeywordFailures<'_> {
    pub(super) fn new(most: usize) -> Self {
        Self { list: Vec::new(), count: 0, most, seen: AddressPairs::default() }
    }
}

/// Initial capacity of the list; more failures are rare.
const FIRST_FAILURES: usize = 8;

/// The purpose of a walk.
pub(super) enum WalkAim<'o, 'a> {
    /// To find out whether there is a failure.
    Test,
    /// To list the failures.
    List(&'o mut KeywordFailures<'a>),
}

impl<'a> WalkAim<'_, 'a> {
    /// Records a failure, which is built only if it is needed. Returns `Break` if nothing more
    /// needs to be found.
    pub(super) fn take(&mut self, failure: impl FnOnce() -> KeywordFailure<'a>) -> ControlFlow<()> {
        let Self::List(failures) = self else { return ControlFlow::Break(()) };
        failures.count += 1;
        if failures.list.is_empty() {
            failures.list.reserve(FIRST_FAILURES);
        }
        if failures.list.len() < failures.most {
            failures.list.push(failure());
        }
        ControlFlow::Continue(())
    }

    pub(super) fn is_test(&self) -> bool {
        matches!(self, Self::Test)
    }
}

pub(super) type ByAddress<V> = HashMap<usize, V, BuildHasherDefault<AddressHasher>>;

/// By the addresses of a schema and of a value.
pub(super) type ByBoth<V> = HashMap<(usize, usize), V, BuildHasherDefault<AddressHasher>>;
pub(super) type AddressPairs = HashSet<(usize, usize), BuildHasherDefault<AddressHasher>>;

pub(super) fn address(part: &Value) -> usize {
    std::ptr::from_ref(part).addr()
}

/// A multiplication for each number, as rustc does for its own maps.
#[derive(Default)]
pub(super) struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_usize(usize::from(*byte));
        }
    }

    fn write_usize(&mut self, number: usize) {
        self.0 = self.0.wrapping_add(number as u64).wrapping_mul(0xf135_7aea_2e62_a9c5);
    }

    fn finish(&self) -> u64 {
        // The lower bits of an address vary little, and the map uses the lower bits of the hash.
        self.0.rotate_left(26)
    }
}
