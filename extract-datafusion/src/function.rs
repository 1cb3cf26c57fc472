//! The function that a query calls.

use std::{
    fmt,
    hash::{Hash, Hasher},
    sync::Arc,
};

use arrow_array::{
    Array as _, ArrayRef, StructArray,
    builder::{ListBuilder, StringBuilder, UInt32Builder, UInt64Builder},
    cast::AsArray as _,
};
use arrow_schema::{DataType, Field, FieldRef, Fields};
use async_trait::async_trait;
use datafusion::{
    arrow::{buffer::NullBuffer, compute::cast},
    common::{Result, exec_err},
    logical_expr::{
        ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
        async_udf::{AsyncScalarUDF, AsyncScalarUDFImpl},
    },
};

use crate::{Job, JobAnswer, Row, array, arrow_field};

/// A function of one text that asks an agent about it: `extract_invoice(text)`.
///
/// Its result is a struct, or null for a null text:
///
/// | field | type | what it is |
/// |---|---|---|
/// | `value` | that of [`arrow_field`] | the value; null if there is none, or if it does not fit its column |
/// | `status` | `Utf8` | `done`, `in_part` (a value without its broken items), `refused`, `failed`, or `unfit` if the value does not fit |
/// | `violations` | list of `Utf8` | of a value its warnings and what has no field, else what was wrong with the last attempt |
/// | `error` | `Utf8` | the name of the error and what happened; null if there is a value |
/// | `attempts` | `UInt32` | questions that were answered |
/// | `tokens` | `UInt64` | of all attempts |
///
/// A document without an answer is a row, never an error: one error would fail the query after all
/// of its calls.
#[derive(Clone)]
pub struct ExtractFunction {
    name: String,
    job: Job,
    signature: Signature,
    value: FieldRef,
    result: DataType,
}

impl ExtractFunction {
    /// Creates the function `name`, which asks the question of `job`. Clones of one job share its
    /// answers, even across functions.
    pub fn new(name: impl Into<String>, job: Job) -> Self {
        let value = Arc::new(arrow_field("value", job.contract().schema()));
        let result = DataType::Struct(fields(&value));
        Self { name: name.into(), job, signature: Signature::string(1, Volatility::Stable), value, result }
    }

    /// Converts it for
    /// [`SessionContext::register_udf`](datafusion::prelude::SessionContext::register_udf).
    pub fn into_udf(self) -> ScalarUDF {
        AsyncScalarUDF::new(Arc::new(self)).into_scalar_udf()
    }

    /// The array of the answers.
    fn array(&self, answers: &[Option<Arc<JobAnswer>>]) -> Result<StructArray> {
        let rows: Vec<Row> = answers.iter().map(|answer| self.row(answer.as_deref())).collect();
        let mut columns = Columns::default();
        for (answer, row) in answers.iter().zip(&rows) {
            columns.push(answer.as_deref(), row);
        }
        let present = NullBuffer::from_iter(answers.iter().map(Option::is_some));
        let columns = columns.finish(array(&self.value, &rows)?);
        Ok(StructArray::try_new(fields(&self.value), columns, Some(present))?)
    }

    fn row(&self, answer: Option<&JobAnswer>) -> Row {
        let value = answer.and_then(|answer| answer.value.as_ref());
        value.map_or_else(Row::null, |value| Row::new(&self.value, value))
    }
}

fn fields(value: &FieldRef) -> Fields {
    let field = |name: &str, data_type| Arc::new(Field::new(name, data_type, true));
    let violations = DataType::List(field("item", DataType::Utf8));
    Fields::from(vec![
        Arc::clone(value),
        field("status", DataType::Utf8),
        field("violations", violations),
        field("error", DataType::Utf8),
        field("attempts", DataType::UInt32),
        field("tokens", DataType::UInt64),
    ])
}

/// The columns besides the value.
#[derive(Default)]
struct Columns {
    status: StringBuilder,
    violations: ListBuilder<StringBuilder>,
    error: StringBuilder,
    attempts: UInt32Builder,
    tokens: UInt64Builder,
}

impl Columns {
    fn push(&mut self, answer: Option<&JobAnswer>, row: &Row) {
        let is_unfit = row.value.is_none() && answer.is_some_and(|answer| answer.value.is_some());
        let status = answer.map(|answer| if is_unfit { "unfit" } else { answer.status.as_str() });
        self.status.append_option(status);
        let violations = answer.map(|answer| {
            let misfits = row.misfits.iter().map(|misfit| format!("{}: {}", misfit.pointer, misfit.message));
            answer.violations.iter().map(ToString::to_string).chain(misfits).map(Some).collect::<Vec<_>>()
        });
        self.violations.append_option(violations);
        let unfit = is_unfit.then(|| "Unfit: the value does not fit its column".to_owned());
        self.error.append_option(unfit.or_else(|| answer.and_then(said)));
        self.attempts.append_option(answer.map(|answer| answer.attempts));
        self.tokens.append_option(answer.map(|answer| answer.tokens));
    }

    fn finish(mut self, value: ArrayRef) -> Vec<ArrayRef> {
        vec![
            value,
            Arc::new(self.status.finish()),
            Arc::new(self.violations.finish()),
            Arc::new(self.error.finish()),
            Arc::new(self.attempts.finish()),
            Arc::new(self.tokens.finish()),
        ]
    }
}

/// The name of the error, and the first line of its message.
fn said(answer: &JobAnswer) -> Option<String> {
    let message = answer.message.as_deref().and_then(|message| message.lines().next()).unwrap_or_default();
    answer.error.as_ref().map(|name| format!("{name}: {message}"))
}

impl fmt::Debug for ExtractFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExtractFunction")
            .field("name", &self.name)
            .field("job", &self.job)
            .finish_non_exhaustive()
    }
}

impl PartialEq for ExtractFunction {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.job.is(&other.job)
    }
}

impl Eq for ExtractFunction {}

impl Hash for ExtractFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl ScalarUDFImpl for ExtractFunction {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(self.result.clone())
    }

    fn invoke_with_args(&self, _: ScalarFunctionArgs) -> Result<ColumnarValue> {
        exec_err!("`{}` waits for an agent, so only async expressions call it", self.name)
    }
}

#[async_trait]
impl AsyncScalarUDFImpl for ExtractFunction {
    async fn invoke_async_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [texts] = &args.args[..] else {
            return exec_err!("`{}` takes one text", self.name);
        };
        let texts = cast(&texts.to_array(args.number_rows)?, &DataType::Utf8)?;
        let answers = self.job.ask(texts.as_string::<i32>().iter()).await;
        debug_assert_eq!(answers.len(), texts.len());
        Ok(ColumnarValue::Array(Arc::new(self.array(&answers)?)))
    }
}
