//! The known part of a typed value while it streams in.

mod containers;
mod fields;
mod progress;
mod scalars;
mod tuples;
mod written;

pub use self::{
    containers::{CowGrowth, ElementsGrowth, EntriesGrowth, OptionGrowth, PointerGrowth},
    fields::{FieldsGrowth, HasPartial},
    progress::Progress,
    scalars::{JsonGrowth, StringGrowth, WholeGrowth},
    tuples::TupleGrowth,
    written::{WrittenPart, read_value},
};
use super::DerivedType;

/// How a `T` grows while it is written. Each [`DerivedType`] type names one of the ways in this module.
pub trait GrowthOf<T> {
    /// The known part of a `T` that has started and is not complete.
    type Writing;

    /// The known part of `part`, which should become a `T`.
    fn writing(part: WrittenPart<'_>) -> Self::Writing;

    /// The same for a `T` whose keys are among others in the object `part`.
    fn writing_among(_part: WrittenPart<'_>) -> Self::Writing {
        Self::writing(WrittenPart::PENDING)
    }

    /// Converts a complete value into the form of a known part; `None` for null.
    fn known(value: T) -> Option<Self::Writing>;
}

/// The known part of a `T` while it streams in: the payload of [`Progress::Writing`].
///
/// | `T` | while it is written |
/// |---|---|
/// | `String`, `Box<str>`, `Cow<'static, str>` | its start, a `String`; empty if it has a pattern, a format or a list of allowed values |
/// | a type with `#[extract(partial)]` | its partial, such as `InvoicePartial` |
/// | `Vec<T>` and other sequences, sets and arrays | the elements that have begun, a `Vec<Progress<T>>` |
/// | `BTreeMap<K, V>`, `HashMap<K, V>` | the entries that have begun, in the order of the reply, a `Vec<(String, Progress<V>)>` |
/// | `(A, B)` and other tuples | `(Progress<A>, Progress<B>)` |
/// | `Option<T>` | as `T` |
/// | `Box<T>`, `Rc<T>`, `Arc<T>` | as `T`, in a `Box` |
/// | `serde_json::Value`, `serde_json::Map` | its known part, a `Value` |
/// | numbers, booleans, enums, all other types | nothing, `()` |
pub type WhileWriting<T> = <<T as DerivedType>::__ExtractGrowth as GrowthOf<T>>::Writing;
