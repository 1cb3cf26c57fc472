//! The kinds of tools, and their names.

/// Maximum number of characters of a tool's name; OpenAI and Anthropic allow 64.
const MAX_CHARS: usize = 64;

/// The names of one toolkit.
#[derive(Debug, Clone)]
pub(super) struct ToolNames {
    title: String,
    suffix: Option<String>,
}

impl ToolNames {
    pub(super) fn new(title: &str) -> Self {
        Self { title: title.to_owned(), suffix: None }
    }

    /// The title of the value, for people.
    pub(super) fn title(&self) -> &str {
        &self.title
    }

    pub(super) fn with_suffix(self, name: &str) -> Self {
        Self { suffix: Some(snake_case(name)), ..self }
    }

    /// Adds the title to the names, unless they have a suffix already.
    pub(super) fn distinguish(&mut self) {
        self.suffix.get_or_insert_with(|| snake_case(&self.title));
    }

    pub(super) fn of(&self, kind: ToolKind) -> String {
        match &self.suffix {
            None => kind.word().to_owned(),
            Some(suffix) => {
                let name = format!("{}_{suffix}", kind.word());
                name.chars().take(MAX_CHARS).collect()
            }
        }
    }

    pub(super) fn kind(&self, name: &str) -> Option<ToolKind> {
        ToolKind::ALL.into_iter().find(|kind| self.of(*kind) == name)
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
        let names = ToolNames::new("x").with_suffix(&"long ".repeat(40));
        assert_eq!(names.of(ToolKind::Submit).len(), 64);
        assert_eq!(names.kind(&names.of(ToolKind::Submit)), Some(ToolKind::Submit));
    }

    #[test]
    fn a_name_of_ones_own_goes_before_the_title() {
        let mut names = ToolNames::new("Invoice");
        assert_eq!(names.of(ToolKind::Submit), "submit");
        names.distinguish();
        assert_eq!(names.of(ToolKind::Submit), "submit_invoice");
        let mut names = ToolNames::new("Invoice").with_suffix("bill");
        names.distinguish();
        assert_eq!(names.of(ToolKind::Submit), "submit_bill");
    }
}
