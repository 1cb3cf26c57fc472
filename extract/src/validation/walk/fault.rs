//! What is wrong with a value, before it is put into words.

use std::{ops::ControlFlow, rc::Rc};

use jsonschema::{ValidationError, error::ValidationErrorKind as Kind};
use serde_json::Value;

use super::{by_address::Both, plan::OWN};
use crate::{
    path::Path,
    text::cut,
    validation::{alternatives::Union, describe::PATTERN_CHARS},
};

/// One keyword that a value breaks.
pub(in crate::validation) struct Fault<'a> {
    pub(in crate::validation) cause: Cause<'a>,
    pub(in crate::validation) value: &'a Value,
    /// Where the value stands.
    pub(in crate::validation) path: Path,
    /// The schema in which the keyword stands.
    pub(in crate::validation) schema: &'a Value,
    /// The outermost schema that speaks of the very value: unlike `schema`, it also knows what stands beside references and
    /// alternatives.
    pub(in crate::validation) whole: &'a Value,
}

/// Which keyword it is, and what it says.
pub(in crate::validation) enum Cause<'a> {
    /// One about the value itself, in the words of the validator.
    Own(Kind),
    /// `pattern`, up to a length: each value that does not match it has a copy.
    Pattern(String),
    /// `dependentRequired`: this key is absent.
    Dependent(Value),
    /// `false`: nothing is allowed here.
    False,
    /// Keys that are not allowed, by `unevaluatedProperties` or else by `additionalProperties`.
    UnknownKeys {
        keys: Vec<&'a str>,
        is_unevaluated: bool,
    },
    /// No key is allowed, by `propertyNames`.
    NoKeys,
    /// A key that breaks this schema, by `propertyNames`.
    Key(&'a str, &'a Value),
    /// It fits none of the alternatives.
    NoneOf(Rc<Union<'a>>),
    /// It fits several alternatives, of which only one may be.
    SeveralOf(Rc<Union<'a>>),
    Contains,
    Not(&'a Value),
    UnevaluatedItems,
}

impl Cause<'_> {
    pub(super) fn of(error: ValidationError<'_>) -> Self {
        let is_dependent = error.schema_path().as_str() == "/dependentRequired";
        match error.into_parts().kind {
            Kind::Pattern { pattern } => Self::Pattern(cut(&pattern, PATTERN_CHARS)),
            Kind::Required { property } if is_dependent => Self::Dependent(property),
            kind => Self::Own(kind),
        }
    }

    /// The keyword that is broken, where it alone says what is wrong.
    pub(in crate::validation) fn keyword(&self) -> Option<&'static str> {
        match self {
            Self::Own(kind) => OWN.into_iter().find(|name| *name == kind.keyword()),
            Self::Pattern(_) => Some("pattern"),
            Self::Dependent(_) => Some("dependentRequired"),
            Self::UnknownKeys { is_unevaluated: true, .. } => Some("unevaluatedProperties"),
            Self::UnknownKeys { is_unevaluated: false, .. } => Some("additionalProperties"),
            Self::NoKeys | Self::Key(..) => Some("propertyNames"),
            Self::Contains => Some("contains"),
            Self::Not(_) => Some("not"),
            Self::UnevaluatedItems => Some("unevaluatedItems"),
            Self::False | Self::NoneOf(_) | Self::SeveralOf(_) => None,
        }
    }

    /// What the validator says of the value itself.
    pub(in crate::validation) fn kind(&self) -> Option<&Kind> {
        match self {
            Self::Own(kind) => Some(kind),
            _ => None,
        }
    }
}

/// Faults up to a number; those beyond it are counted.
pub(in crate::validation) struct Faults<'a> {
    pub(in crate::validation) list: Vec<Fault<'a>>,
    pub(in crate::validation) count: usize,
    most: usize,
    /// Schemas that were referred to, with the values they were looked at for: what is said twice need not be found twice.
    pub(super) seen: Both,
}

impl Faults<'_> {
    pub(super) fn new(most: usize) -> Self {
        Self { list: Vec::new(), count: 0, most, seen: Both::default() }
    }
}

/// Faults for which there is room at once; more are rare.
const FIRST_FAULTS: usize = 8;

/// What a walk is for.
pub(super) enum Aim<'o, 'a> {
    /// Whether there is a fault.
    Test,
    /// Which faults there are.
    List(&'o mut Faults<'a>),
}

impl<'a> Aim<'_, 'a> {
    /// Takes a fault, which is made only where it is needed. `Break` where nothing else need be found.
    pub(super) fn take(&mut self, fault: impl FnOnce() -> Fault<'a>) -> ControlFlow<()> {
        let Self::List(faults) = self else { return ControlFlow::Break(()) };
        faults.count += 1;
        if faults.list.is_empty() {
            faults.list.reserve(FIRST_FAULTS);
        }
        if faults.list.len() < faults.most {
            faults.list.push(fault());
        }
        ControlFlow::Continue(())
    }

    pub(super) fn is_test(&self) -> bool {
        matches!(self, Self::Test)
    }
}
