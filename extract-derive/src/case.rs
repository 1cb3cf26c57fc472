//! serde's `rename_all`.

/// A case for names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameCase {
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

impl NameCase {
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "lowercase" => Self::Lower,
            "UPPERCASE" => Self::Upper,
            "PascalCase" => Self::Pascal,
            "camelCase" => Self::Camel,
            "snake_case" => Self::Snake,
            "SCREAMING_SNAKE_CASE" => Self::ScreamingSnake,
            "kebab-case" => Self::Kebab,
            "SCREAMING-KEBAB-CASE" => Self::ScreamingKebab,
            _ => return None,
        })
    }

    /// serde assumes `PascalCase` for variants.
    pub(crate) fn of_variant(self, name: &str) -> String {
        match self {
            Self::Pascal => name.to_owned(),
            Self::Lower => name.to_ascii_lowercase(),
            Self::Upper => name.to_ascii_uppercase(),
            Self::Camel => first_lower(name),
            Self::Snake => words(name, '_'),
            Self::ScreamingSnake => words(name, '_').to_ascii_uppercase(),
            Self::Kebab => words(name, '-').replace('_', "-"),
            Self::ScreamingKebab => words(name, '-').replace('_', "-").to_ascii_uppercase(),
        }
    }

    /// serde assumes `snake_case` for fields.
    pub(crate) fn of_field(self, name: &str) -> String {
        match self {
            Self::Lower | Self::Snake => name.to_owned(),
            Self::Upper | Self::ScreamingSnake => name.to_ascii_uppercase(),
            Self::Pascal => capitalized(name),
            Self::Camel => first_lower(&capitalized(name)),
            Self::Kebab => name.replace('_', "-"),
            Self::ScreamingKebab => name.to_ascii_uppercase().replace('_', "-"),
        }
    }
}

fn first_lower(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| {
        std::iter::once(first.to_ascii_lowercase()).chain(letters).collect()
    })
}

fn capitalized(name: &str) -> String {
    let mut result = String::new();
    for word in name.split('_') {
        let mut letters = word.chars();
        result.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        result.extend(letters);
    }
    result
}

fn words(name: &str, separator: char) -> String {
    let mut result = String::new();
    for (index, letter) in name.char_indices() {
        if index > 0 && letter.is_uppercase() {
            result.push(separator);
        }
        result.push(letter.to_ascii_lowercase());
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renames_as_serde_does() {
        let rows = [
            ("lowercase", "two_words", "twowords"),
            ("UPPERCASE", "TWO_WORDS", "TWOWORDS"),
            ("PascalCase", "TwoWords", "TwoWords"),
            ("camelCase", "twoWords", "twoWords"),
            ("snake_case", "two_words", "two_words"),
            ("SCREAMING_SNAKE_CASE", "TWO_WORDS", "TWO_WORDS"),
            ("kebab-case", "two-words", "two-words"),
            ("SCREAMING-KEBAB-CASE", "TWO-WORDS", "TWO-WORDS"),
        ];
        for (case, field, variant) in rows {
            let rule = NameCase::from_name(case).unwrap();
            assert_eq!(rule.of_field("two_words"), field, "{case}");
            assert_eq!(rule.of_variant("TwoWords"), variant, "{case}");
        }
    }
}
