//! Schemas as grammars over tokens.

use std::{fmt, sync::Arc};

use llguidance::{JsonCompileOptions, Matcher, ParserFactory, api::TopLevelGrammar};
use serde_json::Value;
use toktrie::TokEnv;

/// How many compiled schemas are kept; one takes about a millisecond to compile again.
const KEPT: usize = 16;

/// A schema that the model is not, or not fully, held to while it writes.
///
/// Some keywords of JSON Schema have no equivalent in a grammar. The reply is validated all the same, so
/// nothing wrong gets through; it may only take more attempts.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Loosening {
    /// The schema of the request.
    pub schema: Arc<Value>,
    /// Whether the model is held to the rest of the schema; else it writes freely.
    pub constrained: bool,
    /// What the grammar compiler said about it.
    pub reasons: Vec<String>,
}

impl fmt::Display for Loosening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = if self.constrained { "only in part" } else { "not at all" };
        write!(f, "the reply is held to its schema {how}: ")?;
        f.write_str(&self.reasons.join("; "))
    }
}

/// The grammar of one schema, at its start.
#[derive(Clone)]
pub(super) struct Grammar {
    /// `None` if no grammar could be made.
    pub(super) matcher: Option<Matcher>,
    loosening: Option<Loosening>,
}

/// Compiles schemas for one tokenizer.
pub(super) struct Grammars {
    factory: ParserFactory,
    /// Most recently compiled last.
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

    /// A fresh matcher for `schema`. `report` is called when a loosened schema is compiled for the first time.
    pub(super) fn matcher(&mut self, schema: &Arc<Value>, report: &dyn Fn(&Loosening)) -> Option<Matcher> {
        let known = self.compiled.iter().find(|(known, _)| Arc::ptr_eq(known, schema) || known == schema);
        if let Some((_, grammar)) = known {
            return grammar.matcher.as_ref().map(Matcher::deep_clone);
        }
        let grammar = self.compile(schema);
        if let Some(loosening) = &grammar.loosening {
            report(loosening);
        }
        let matcher = grammar.matcher.as_ref().map(Matcher::deep_clone);
        if self.compiled.len() == KEPT {
            self.compiled.remove(0);
        }
        self.compiled.push((Arc::clone(schema), grammar));
        matcher
    }

    /// Exactly if that is possible, else without the keywords that stand in the way, else not at all.
    fn compile(&self, schema: &Arc<Value>) -> Grammar {
        let loosened =
            |constrained, reasons| Some(Loosening { schema: Arc::clone(schema), constrained, reasons });
        let exact = match self.try_compile(schema, false) {
            Ok(matcher) => return Grammar { matcher: Some(matcher), loosening: None },
            Err(error) => error,
        };
        match self.try_compile(schema, true) {
            Ok(mut matcher) => {
                let mut reasons = matcher.grammar_warnings();
                if reasons.is_empty() {
                    reasons.push(exact);
                }
                Grammar { matcher: Some(matcher), loosening: loosened(true, reasons) }
            }
            Err(error) => Grammar { matcher: None, loosening: loosened(false, vec![error]) },
        }
    }

    fn try_compile(&self, schema: &Value, lenient: bool) -> Result<Matcher, String> {
        let mut schema = schema.clone();
        if schema.is_object() {
            options(lenient).apply_to(&mut schema);
        }
        let matcher = Matcher::new(self.factory.create_parser(TopLevelGrammar::from_json_schema(schema)));
        match matcher.get_error() {
            Some(error) => Err(error),
            None => Ok(matcher),
        }
    }
}

/// One space after each comma and colon and no other white space: what the models write by themselves when
/// they write JSON in one line, and every token that is certain need not be computed.
fn options(lenient: bool) -> JsonCompileOptions {
    JsonCompileOptions {
        item_separator: ", ".to_owned(),
        key_separator: ": ".to_owned(),
        whitespace_flexible: false,
        lenient,
        ..JsonCompileOptions::default()
    }
}
