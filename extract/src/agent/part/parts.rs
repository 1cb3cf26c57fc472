//! Several parts, and the types that convert into them.

use std::borrow::Cow;

use super::Part;

/// The texts, images and documents of one turn, in the order in which the agent sees them.
///
/// Made from a string, a [`Part`] or a list of parts.
///
/// ```
/// use extract::agent::{Conversation, Part, Role};
///
/// let scan = Part::image(vec![0xFF, 0xD8], "image/jpeg");
/// let conversation = Conversation::new()
///     .with_parts(Role::User, "Which amounts are on this receipt?")
///     .with_parts(Role::User, [Part::text("It is folded."), scan]);
/// assert_eq!(conversation.turns()[1].parts().len(), 2);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parts(Vec<Part>);

impl Parts {
    /// Returns the parts, in their order.
    pub fn as_slice(&self) -> &[Part] {
        &self.0
    }

    pub(crate) fn into_vec(self) -> Vec<Part> {
        self.0
    }
}

impl From<Vec<Part>> for Parts {
    fn from(parts: Vec<Part>) -> Self {
        Self(parts)
    }
}

impl<const N: usize> From<[Part; N]> for Parts {
    fn from(parts: [Part; N]) -> Self {
        Self(parts.into())
    }
}

impl From<Part> for Parts {
    fn from(part: Part) -> Self {
        Self(vec![part])
    }
}

impl From<&Self> for Parts {
    fn from(parts: &Self) -> Self {
        parts.clone()
    }
}

macro_rules! from_text {
    ($($text:ty),*) => {$(
        impl From<$text> for Parts {
            fn from(text: $text) -> Self {
                Part::text(text).into()
            }
        }
    )*};
}

from_text!(String, &String, &str, &mut str, Box<str>, Cow<'_, str>, char);
