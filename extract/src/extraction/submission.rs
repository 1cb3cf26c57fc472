//! From a value that satisfies the schema to one that is accepted.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;

use super::OnSubmit;
use crate::{
    Code, Contract, Extractable, Judge, Place, Violation, context::Given, text::panic_message, validation,
};

/// Makes a `T` of a value, if serde can, and judges it by the rules of the contract.
pub(super) type Accept<T> = fn(&Contract, &Value, Given<'_>) -> (Option<T>, Vec<Violation>);

/// What became of a submission; `Err` holds what a panic in the user's code said.
pub(super) type Outcome = Result<Vec<Violation>, String>;

pub(super) fn accept_typed<T: Extractable>(
    _: &Contract,
    value: &Value,
    context: Given<'_>,
) -> (Option<T>, Vec<Violation>) {
    match validation::deserialize::<T>(value) {
        Ok(value) => {
            let violations = Judge::judge(&value, context);
            (Some(value), violations)
        }
        Err(violations) => (None, violations),
    }
}

pub(super) fn accept_untyped(
    contract: &Contract,
    value: &Value,
    _: Given<'_>,
) -> (Option<Value>, Vec<Violation>) {
    (Some(value.clone()), contract.apply_rules(value))
}

/// The contract without its example if the rules reject that one in this context: a wrong example is never shown. A rule
/// that panics has not been asked by the user, so the panic only means that the example is none.
pub(super) fn with_example_for<T>(accept: Accept<T>, contract: Contract, context: Given<'_>) -> Contract {
    let is_accepted = contract.example().is_none_or(|example| {
        let judged = catch_unwind(AssertUnwindSafe(|| accept(&contract, example, context)));
        judged.is_ok_and(|(submitted, violations)| submitted.is_some() && violations.is_empty())
    });
    if is_accepted { contract } else { contract.without_example() }
}

/// A function that judges values by serde, rules and callbacks, in this order, and keeps the one that all of them
/// accept in `accepted`.
pub(super) fn submit<T>(
    accept: Accept<T>,
    contract: &Contract,
    context: Given<'_>,
    callbacks: &mut [OnSubmit<'_, T>],
    accepted: &mut Option<T>,
) -> impl FnMut(&Value) -> Outcome {
    move |value| {
        // Nothing of ours is left half-changed by a panic: `accepted` is written last.
        let judged = catch_unwind(AssertUnwindSafe(|| judge(accept, contract, context, callbacks, value)));
        let (submitted, mut violations) = judged.map_err(|panic| panic_message(&*panic).to_owned())?;
        validation::sort(&mut violations);
        if violations.iter().all(Violation::is_warning) {
            *accepted = submitted;
        }
        Ok(violations)
    }
}

fn judge<T>(
    accept: Accept<T>,
    contract: &Contract,
    context: Given<'_>,
    callbacks: &mut [OnSubmit<'_, T>],
    value: &Value,
) -> (Option<T>, Vec<Violation>) {
    let (submitted, violations) = accept(contract, value, context);
    // Callbacks may have effects; they see only what everything else accepts.
    let Some(submitted) = submitted.filter(|_| violations.iter().all(Violation::is_warning)) else {
        return (None, violations);
    };
    let mut judge = Judge::with(violations);
    for callback in callbacks {
        if let Err(rejections) = callback(&submitted) {
            judge.reject(rejections, &Place::root(), &Code::Rejected);
        }
    }
    (Some(submitted), judge.into_violations())
}
