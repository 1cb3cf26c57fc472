//! The kinds of tools, their names, and how a value is passed in a call.

use serde_json::Value;

use super::arguments::ArgumentForm;
use crate::contract::Contract;

/// Maximum number of characters of a tool's name; OpenAI and Anthropic allow 64.
const MAX_CHARS: usize = 64;

/// Namespaces of all tools in the templates of gpt-oss, Kimi and Gemini.
const NAMESPACES: [&str; 2] = ["functions.", "default_api."];

/// The names of the tools, and how a value is passed in a call.
#[derive(Debug, Clone)]
pub(crate) struct ToolSet {
    /// The title of the value, for people.
    pub(crate) title: String,
    suffix: Option<String>,
    pub(super) form: ArgumentForm,
}

impl ToolSet {
    /// The tools of `contract`, whose values are called `title`.
    pub(crate) fn new(contract: &Contract, title: &str) -> Self {
        Self { title: title.to_owned(), suffix: None, form: ArgumentForm::of(contract.schema()) }
    }

    /// The tools of `contract`, named after its title.
    pub(crate) fn of(contract: &Contract) -> Self {
        let title = contract.schema().get("title").and_then(Value::as_str).unwrap_or("value");
        Self::new(contract, title)
    }

    /// The same tools for another contract.
    pub(crate) fn for_contract(self, contract: &Contract) -> Self {
        Self { form: ArgumentForm::of(contract.schema()), ..self }
    }

    /// The tools with `name` in their names.
    pub(crate) fn named(self, name: &str) -> Self {
        Self { suffix: Some(snake_case(name)), ..self }
    }

    /// Adds the title to the names, unless they have another suffix.
    pub(crate) fn distinguish(&mut self) {
        self.suffix.get_or_insert_with(|| snake_case(&self.title));
    }

    pub(crate) fn name_of(&self, kind: ToolKind) -> String {
        match &self.suffix {
            None => kind.word().to_owned(),
            Some(suffix) => {
                let name = format!("{}_{suffix}", kind.word());
                name.chars().take(MAX_CHARS).collect()
            }
        }
    }

    /// The tool that `name` means, which may be in another case, and have a namespace of a chat template and an index:
    /// `functions.submit:0`.
    pub(crate) fn kind_of(&self, name: &str) -> Option<ToolKind> {
        let name = name.trim();
        let is_index = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let name = name.rsplit_once(':').filter(|(_, index)| is_index(index)).map_or(name, |(name, _)| name);
        let name = NAMESPACES.iter().find_map(|space| name.strip_prefix(space)).unwrap_or(name);
        ToolKind::ALL.into_iter().find(|kind| self.name_of(*kind).eq_ignore_ascii_case(name))
    }

    /// The argument that contains the value; `None` if the value is all of the arguments.
    pub(crate) fn argument(&self) -> Option<&'static str> {
        self.form.argument()
    }
}

/// `LineItem` and `line item` as `line_item`.
fn snake_case(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 4);
    let mut was_lower = false;
    for c in name.chars() {
        let starts_word = c.is_ascii_uppercase() && was_lower;
        if (starts_word || !c.is_ascii_alphanumeric()) && !text.ends_with('_') && !text.is_empty() {
            text.push('_');
        }
        if c.is_ascii_alphanumeric() {
            text.push(c.to_ascii_lowercase());
        }
        was_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
    }
    let text = text.trim_end_matches('_');
    if text.is_empty() { "value".to_owned() } else { text.to_owned() }
}

/// One of the three tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolKind {
    Example,
    Validate,
    Submit,
}

impl ToolKind {
    pub(crate) const ALL: [Self; 3] = [Self::Example, Self::Validate, Self::Submit];

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Example => "example",
            Self::Validate => "validate",
            Self::Submit => "submit",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invoices() -> ToolSet {
        ToolSet::new(&Contract::from_schema(true.into()).unwrap(), "Invoice")
    }

    #[test]
    fn names_are_words_joined_by_underscores() {
        for (name, expected) in [
            ("Invoice", "invoice"),
            ("LineItem", "line_item"),
            ("line item", "line_item"),
            ("Page_of_Line", "page_of_line"),
            ("HTTPHeader2", "httpheader2"),
            (" größe ", "gr_e"),
            ("Größen", "gr_en"),
            ("…", "value"),
        ] {
            assert_eq!(snake_case(name), expected, "{name}");
        }
    }

    #[test]
    fn a_name_keeps_to_what_providers_allow() {
        let tools = invoices().named(&"long ".repeat(40));
        assert_eq!(tools.name_of(ToolKind::Submit).len(), 64);
        assert_eq!(tools.kind_of(&tools.name_of(ToolKind::Submit)), Some(ToolKind::Submit));
    }

    #[test]
    fn a_name_may_have_a_namespace_an_index_or_another_case() {
        let tools = invoices().named("bill 2");
        for name in
            ["submit_bill_2", " Submit_Bill_2", "functions.submit_bill_2:0", "default_api.submit_bill_2"]
        {
            assert_eq!(tools.kind_of(name), Some(ToolKind::Submit), "{name}");
        }
        for name in [
            "submit",
            "submit_bill",
            "resubmit_bill_2",
            "cancel_submit_bill_2",
            "submit_bill_2.x",
            "jira.submit_bill_2",
        ] {
            assert_eq!(tools.kind_of(name), None, "{name}");
        }
    }

    #[test]
    fn a_name_of_ones_own_goes_before_the_title() {
        let mut tools = invoices();
        assert_eq!(tools.name_of(ToolKind::Submit), "submit");
        tools.distinguish();
        assert_eq!(tools.name_of(ToolKind::Submit), "submit_invoice");
        let mut tools = invoices().named("bill");
        tools.distinguish();
        assert_eq!(tools.name_of(ToolKind::Submit), "submit_bill");
    }
}
