//! Compiles schemas to grammars over tokens.

#[cfg(test)]
mod tests;
mod translate;
mod weaken;

use std::{fmt, sync::Arc};

use extract::{agent::Constraint, schema::dialect::UnenforcedConstraint};
use llguidance::{JsonCompileOptions, Matcher, ParserFactory, api::TopLevelGrammar};
use serde_json::Value;
use toktrie::TokEnv;

use self::weaken::weaken;
use crate::text::listed;

/// Maximum compiled schemas that are cached; one takes about a millisecond to compile.
const KEPT: usize = 16;

/// Maximum reasons on one line.
const TOLD: usize = 8;

/// A schema that the grammar does not enforce, or not fully.
///
/// Some keywords of JSON Schema have no equivalent in a grammar; [the documentation of this
/// crate](crate) lists them. The contract validates the reply anyway, so a wrong value is never
/// accepted; it may only take more attempts.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct UnenforcedConstraints {
    /// The schema of the request.
    pub schema: Arc<Value>,
    /// Whether the rest of the schema is enforced; otherwise the model writes freely.
    pub constrained: bool,
    /// The reasons: each unenforced keyword with its paths in the schema, or why nothing can be
    /// enforced.
    pub reasons: Vec<String>,
}

/// In one line, with the first eight reasons.
impl fmt::Display for UnenforcedConstraints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.constrained {
            "the grammar does not enforce"
        } else {
            "the reply is not constrained to its schema"
        };
        write!(f, "{what}: {}", listed(&self.reasons, TOLD))
    }
}

/// The grammar of one schema, at its start.
#[derive(Clone)]
pub(super) struct Grammar {
    /// `None` if the schema could not be compiled.
    pub(super) matcher: Option<Matcher>,
    pub(super) unenforced: Option<UnenforcedConstraints>,
    /// The unenforced constraints that have a path.
    places: Arc<[UnenforcedConstraint]>,
}

impl Grammar {
    /// A fresh copy for a reply.
    fn fresh(&self) -> Self {
        Self { matcher: self.matcher.as_ref().map(Matcher::deep_clone), ..self.clone() }
    }

    /// How it constrains a reply.
    pub(super) fn constraint(&self) -> Constraint {
        match self.matcher {
            Some(_) => Constraint::by_decoder(&*self.places),
            None => Constraint::nothing(),
        }
    }
}

/// Compiles schemas for one tokenizer.
pub(super) struct Grammars {
    factory: ParserFactory,
    /// The most recently compiled one is last.
    compiled: Vec<(Arc<Value>, Grammar)>,
}

impl Grammars {
    /// Sorts the vocabulary for fast masks, once.
    pub(super) fn new(tokens: &TokEnv) -> Result<Self, String> {
        let mut factory = ParserFactory::new_simple(tokens).map_err(|error| error.to_string())?;
        factory.quiet();
        factory.limits_mut().verbose_errors = false;
        Ok(Self { factory, compiled: Vec::new() })
    }

    /// The grammar of `schema`. `report` is called when a schema with unenforced constraints is
    /// compiled for the first time.
    pub(super) fn grammar(
        &mut self,
        schema: &Arc<Value>,
        report: &dyn Fn(&UnenforcedConstraints),
    ) -> Grammar {
        let known = self.compiled.iter().find(|(known, _)| Arc::ptr_eq(known, schema) || known == schema);
        if let Some((_, grammar)) = known {
            return grammar.fresh();
        }
        let grammar = self.compile(schema);
        if let Some(unenforced) = &grammar.unenforced {
            report(unenforced);
        }
        let fresh = grammar.fresh();
        if self.compiled.len() == KEPT {
            self.compiled.remove(0);
        }
        self.compiled.push((Arc::clone(schema), grammar));
        fresh
    }

    /// Compiles the whole schema if possible, else without the keywords that prevent it, else
    /// nothing.
    fn compile(&self, schema: &Arc<Value>) -> Grammar {
        let (matcher, reasons, places) = match self.try_compile(schema) {
            Ok((matcher, reasons, places)) => (Some(matcher), reasons, places),
            Err(reason) => (None, vec![reason], Vec::new()),
        };
        let unenforced =
            UnenforcedConstraints { schema: Arc::clone(schema), constrained: matcher.is_some(), reasons };
        let unenforced = Some(unenforced).filter(|unenforced| !unenforced.reasons.is_empty());
        Grammar { matcher, unenforced, places: places.into() }
    }

    /// The matcher, and the constraints that it does not enforce: as lines, and with paths.
    fn try_compile(
        &self,
        schema: &Value,
    ) -> Result<(Matcher, Vec<String>, Vec<UnenforcedConstraint>), String> {
        let translate::Translation { mut schema, mut unenforced } = translate::of(schema)?;
        let mut unforeseen = Vec::new();
        let mut compiled = self.matcher(&schema, &options());
        if compiled.is_err() {
            weaken(&mut schema, &|part| self.matcher(part, &options()).is_ok(), &mut unenforced);
            compiled = self.matcher(&schema, &options()).or_else(|error| {
                unforeseen.push(error);
                self.matcher(&schema, &JsonCompileOptions { lenient: true, ..options() })
            });
        }
        let mut matcher = compiled?;
        let mut reasons = UnenforcedConstraint::lines(&unenforced);
        for reason in unforeseen.into_iter().chain(matcher.grammar_warnings()) {
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        Ok((matcher, reasons, unenforced))
    }

    fn matcher(&self, schema: &Value, options: &JsonCompileOptions) -> Result<Matcher, String> {
        let mut schema = schema.clone();
        if schema.is_object() {
            options.apply_to(&mut schema);
        }
        let matcher = Matcher::new(self.factory.create_parser(TopLevelGrammar::from_json_schema(schema)));
        match matcher.get_error() {
            Some(error) => Err(error),
            None => Ok(matcher),
        }
    }
}

/// One space after each comma and colon and no other white space. Models write JSON like this on
/// one line, and forced tokens need not be computed.
fn options() -> JsonCompileOptions {
    JsonCompileOptions {
        item_separator: ", ".to_owned(),
        key_separator: ": ".to_owned(),
        whitespace_flexible: false,
        ..JsonCompileOptions::default()
    }
}
