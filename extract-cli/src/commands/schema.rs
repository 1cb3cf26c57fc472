//! `extractable schema`: a schema in its various forms.

use std::path::PathBuf;

use clap::ArgGroup;
use extract::{
    Contract,
    schema::dialect::{Dialect, Projection},
    settings::SchemaNotation,
};
use serde_json::{Value, json};

use crate::{
    error::{Exit, Failure, Outcome},
    output::{self, Style},
    schema_file,
};

/// Show a schema as models and providers get it, or an example of it; make one from an example
///
/// It is an error if the schema does not compile, whatever is shown.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, group = ArgGroup::new("shown").required(true))]
pub(crate) struct SchemaCommandArgs {
    /// File with the JSON Schema, or types
    #[arg(value_name = "SCHEMA", group = "shown")]
    schema: Option<PathBuf>,

    /// Make the schema from an example of a value: a file with JSON; - for the standard input
    #[arg(long, value_name = "EXAMPLE", group = "shown")]
    from: Option<PathBuf>,

    /// Make the schema from a line of names and types, such as 'name, age int, paid? bool'
    #[arg(long, value_name = "LINE", group = "shown")]
    fields: Option<String>,

    /// What to show; by default the types of a file, and the JSON Schema that is made
    #[arg(long = "as", value_name = "FORM", value_enum)]
    form: Option<SchemaOutput>,
}

impl SchemaCommandArgs {
    /// The contract, and the form in which it is shown by default.
    fn contract(&self) -> Result<(Contract, SchemaOutput), Failure> {
        match (&self.schema, &self.from) {
            (Some(path), _) => Ok((schema_file::contract(path)?, SchemaOutput::Types)),
            (None, Some(path)) => Ok((schema_file::of_example(path)?, SchemaOutput::JsonSchema)),
            (None, None) => {
                let line = self.fields.as_deref().unwrap_or_default();
                Ok((schema_file::of_fields(line)?, SchemaOutput::JsonSchema))
            }
        }
    }
}

/// A form of a schema.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum SchemaOutput {
    /// Types in the style of TypeScript, as prompts have them
    Types,
    /// The names of the keys, for agents that are constrained to the schema
    Outline,
    /// All that is said to an agent that is not constrained
    Instructions,
    /// A small value that conforms
    Example,
    /// JSON Schema, as one document
    JsonSchema,
    /// As OpenAI takes it for structured outputs
    Openai,
    /// As Anthropic takes it
    Anthropic,
    /// As Gemini takes it
    Gemini,
    /// As Ollama takes it
    Ollama,
}

pub(crate) fn run(args: &SchemaCommandArgs, style: Style) -> Outcome {
    let (contract, form) = args.contract()?;
    let text = |name: &str, text: String| {
        if style.is_json { output::compact(&json!({ name: text })) } else { output::text(&text) }
    };
    match args.form.unwrap_or(form) {
        SchemaOutput::Types => text("types", contract.written_as(SchemaNotation::Types))?,
        SchemaOutput::Outline => text("outline", contract.written_as(SchemaNotation::Outline))?,
        SchemaOutput::Instructions => text("instructions", contract.instructions())?,
        SchemaOutput::Example => return example(&contract, style),
        SchemaOutput::JsonSchema => value(contract.schema(), style)?,
        SchemaOutput::Openai => return dialect(&contract, Dialect::OpenAi, style),
        SchemaOutput::Anthropic => return dialect(&contract, Dialect::Anthropic, style),
        SchemaOutput::Gemini => return dialect(&contract, Dialect::Gemini, style),
        SchemaOutput::Ollama => return dialect(&contract, Dialect::Ollama, style),
    }
    Ok(Exit::Success)
}

fn value(value: &Value, style: Style) -> Result<(), Failure> {
    if style.is_json { output::compact(value) } else { output::pretty(value) }
}

fn example(contract: &Contract, style: Style) -> Outcome {
    let example = contract.example().ok_or_else(|| {
        Failure::new(Exit::NotConforming, "no small value was found that conforms")
            .help("an `examples` or `default` in the schema helps where a pattern or format is hard to guess")
    })?;
    value(example, style)?;
    Ok(Exit::Success)
}

/// The schema for a provider. Constraints that its decoder does not enforce are printed as a
/// remark.
fn dialect(contract: &Contract, dialect: Dialect, style: Style) -> Outcome {
    let projection = dialect.offer(contract.schema()).map_err(|error| {
        Failure::new(Exit::NotConforming, format!("{dialect} cannot express the schema: {error}"))
            .help("models of that provider get the schema in the prompt instead, which `extract` and `run` do by themselves")
    })?;
    let unenforced: Vec<String> = projection.unenforced.iter().map(ToString::to_string).collect();
    if style.is_json {
        let Projection { schema, is_enveloped, .. } = projection;
        output::compact(&json!({"schema": schema, "unenforced": unenforced, "is_enveloped": is_enveloped}))?;
        return Ok(Exit::Success);
    }
    if projection.is_enveloped {
        style.note(format!(
            "{dialect} takes only objects, so the answer is asked for under the key `answer` of one, and taken out of it"
        ));
    }
    for constraint in unenforced {
        style.note(format!("not enforced by {dialect}, but checked: {constraint}"));
    }
    output::pretty(&projection.schema)?;
    Ok(Exit::Success)
}
