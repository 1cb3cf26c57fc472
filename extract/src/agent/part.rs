//! The parts of a turn: texts, images and documents.

use std::{borrow::Cow, fmt, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::vocabulary::{
    base64::{decode, encode},
    text::{checksum, counted},
};

/// A text, an image or a document.
///
/// `Debug` and the text of a [turn](super::Turn::text) show an image or a document as one line with
/// its type, size and checksum. Only the serialized form contains its bytes, as base64. Cheap to
/// clone.
///
/// ```
/// use extract::agent::Part;
///
/// let scan = Part::image([0x89, b'P', b'N', b'G'].as_slice(), "image/png");
/// assert_eq!(scan.to_string(), "[image/png, 4 bytes, checksum 09935de427cea543]");
/// let terms = Part::url("https://example.org/terms.pdf?key=1234", "application/pdf");
/// assert_eq!(terms.to_string(), "[application/pdf at https://example.org/terms.pdf, checksum bc011b51c8e75c8f]");
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "SerializedPart", try_from = "SerializedPart")]
pub struct Part(PartContent);

#[derive(Clone, PartialEq, Eq)]
enum PartContent {
    Text(Arc<str>),
    MediaContent(MediaContent),
}

/// An image or a document.
#[derive(Clone, PartialEq, Eq)]
struct MediaContent {
    /// The media type.
    kind: String,
    source: MediaSource,
    name: Option<String>,
}

#[derive(Clone, PartialEq, Eq)]
enum MediaSource {
    Bytes(Arc<[u8]>),
    Url(String),
}

impl Part {
    /// Creates a text part.
    pub fn text(text: impl Into<String>) -> Self {
        Self(PartContent::Text(text.into().into()))
    }

    /// Creates an image of a media type such as `image/png`.
    pub fn image(bytes: impl Into<Vec<u8>>, media_type: impl Into<String>) -> Self {
        Self::media(media_type.into(), MediaSource::Bytes(Arc::from(bytes.into())))
    }

    /// Creates a document of a media type such as `application/pdf`.
    pub fn document(bytes: impl Into<Vec<u8>>, media_type: impl Into<String>) -> Self {
        Self::image(bytes, media_type)
    }

    /// Creates an image or a document that the provider fetches itself, with its media type.
    pub fn url(url: impl Into<String>, media_type: impl Into<String>) -> Self {
        Self::media(media_type.into(), MediaSource::Url(url.into()))
    }

    fn media(media_type: String, source: MediaSource) -> Self {
        Self(PartContent::MediaContent(MediaContent { kind: media_type, source, name: None }))
    }

    /// Sets the file name of an image or a document, which some providers show to the model.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        if let PartContent::MediaContent(media) = &mut self.0 {
            media.name = Some(name.into());
        }
        self
    }

    /// Returns the text, if this part is one.
    pub fn as_text(&self) -> Option<&str> {
        self.shared_text().map(|text| &**text)
    }

    /// The text, if this part is one, without a copy.
    pub(crate) fn shared_text(&self) -> Option<&Arc<str>> {
        match &self.0 {
            PartContent::Text(text) => Some(text),
            PartContent::MediaContent(_) => None,
        }
    }

    /// Returns the media type of an image or a document.
    pub fn media_type(&self) -> Option<&str> {
        Some(&self.as_media()?.kind)
    }

    /// Returns the bytes of an image or a document, if this part has them.
    pub fn bytes(&self) -> Option<&[u8]> {
        match &self.as_media()?.source {
            MediaSource::Bytes(bytes) => Some(bytes),
            MediaSource::Url(_) => None,
        }
    }

    /// Returns the URL of an image or a document, if the provider fetches it.
    pub fn as_url(&self) -> Option<&str> {
        match &self.as_media()?.source {
            MediaSource::Bytes(_) => None,
            MediaSource::Url(url) => Some(url),
        }
    }

    /// Returns the bytes of an image or a document as base64 (RFC 4648, section 4), if this part
    /// has them.
    ///
    /// ```
    /// use extract::agent::Part;
    ///
    /// let scan = Part::image([1, 2].as_slice(), "image/png").named("scan.png");
    /// assert_eq!((scan.base64().as_deref(), scan.name()), (Some("AQI="), Some("scan.png")));
    /// ```
    pub fn base64(&self) -> Option<String> {
        self.bytes().map(encode)
    }

    /// Returns the [file name](Self::named) of an image or a document, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.as_media()?.name.as_deref()
    }

    fn as_media(&self) -> Option<&MediaContent> {
        match &self.0 {
            PartContent::Text(_) => None,
            PartContent::MediaContent(media) => Some(media),
        }
    }
}

/// A text as it is; an image or a document as one line that describes it.
impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            PartContent::Text(text) => f.write_str(text),
            PartContent::MediaContent(media) => media.fmt(f),
        }
    }
}

/// The query of a URL may contain a key, so it is not shown.
impl fmt::Display for MediaContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = &self.kind;
        match &self.source {
            MediaSource::Bytes(bytes) => {
                let size = counted(bytes.len(), "byte");
                write!(f, "[{kind}, {size}, checksum {:016x}]", checksum(bytes))
            }
            MediaSource::Url(url) => {
                let place = url.split(['?', '#']).next().unwrap_or(url);
                write!(f, "[{kind} at {place}, checksum {:016x}]", checksum(url.as_bytes()))
            }
        }
    }
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            PartContent::Text(text) => text.fmt(f),
            PartContent::MediaContent(media) => fmt::Display::fmt(media, f),
        }
    }
}

/// The serialized form.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum SerializedPart {
    Text {
        text: String,
    },
    Bytes {
        media_type: String,
        base64: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    Url {
        media_type: String,
        url: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
}

impl From<Part> for SerializedPart {
    fn from(part: Part) -> Self {
        match part.0 {
            PartContent::Text(text) => Self::Text { text: (*text).to_owned() },
            PartContent::MediaContent(MediaContent {
                kind: media_type,
                source: MediaSource::Bytes(bytes),
                name,
            }) => Self::Bytes { media_type, base64: encode(&bytes), name },
            PartContent::MediaContent(MediaContent {
                kind: media_type,
                source: MediaSource::Url(url),
                name,
            }) => Self::Url { media_type, url, name },
        }
    }
}

impl TryFrom<SerializedPart> for Part {
    type Error = &'static str;

    fn try_from(written: SerializedPart) -> Result<Self, Self::Error> {
        let (part, name) = match written {
            SerializedPart::Text { text } => (Self::text(text), None),
            SerializedPart::Bytes { media_type, base64, name } => {
                let bytes = decode(&base64).ok_or("the bytes of a part are not base64")?;
                (Self::media(media_type, MediaSource::Bytes(Arc::from(bytes))), name)
            }
            SerializedPart::Url { media_type, url, name } => (Self::url(url, media_type), name),
        };
        Ok(match name {
            Some(name) => part.named(name),
            None => part,
        })
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_seen_in_no_debug_output() {
        let part = Part::document(b"secret".as_slice(), "application/pdf");
        assert_eq!(format!("{:?}", [part]), "[[application/pdf, 6 bytes, checksum ab23f0eec020c951]]");
        let url = format!("{:?}", Part::url("https://example.org/a.png?signature=secret", "image/png"));
        assert!(!url.contains("secret"), "{url}");
    }

    #[test]
    fn is_written_and_read_back() {
        for (part, written) in [
            (Part::text("a"), r#"{"text":"a"}"#),
            (Part::image(vec![1, 2], "image/png"), r#"{"media_type":"image/png","base64":"AQI="}"#),
            (
                Part::url("https://example.org/a", "application/pdf").named("a.pdf"),
                r#"{"media_type":"application/pdf","url":"https://example.org/a","name":"a.pdf"}"#,
            ),
        ] {
            assert_eq!(serde_json::to_string(&part).unwrap(), written);
            assert_eq!(serde_json::from_str::<Part>(written).unwrap(), part);
        }
        let broken = serde_json::from_str::<Part>(r#"{"media_type":"image/png","base64":"?"}"#);
        assert!(broken.unwrap_err().to_string().contains("not base64"));
    }

    #[test]
    fn other_bytes_have_another_checksum() {
        // The vectors of the RFC for the empty text and `a`.
        assert_eq!((checksum(b""), checksum(b"a")), (0xCBF2_9CE4_8422_2325, 0xAF63_DC4C_8601_EC8C));
    }

    #[test]
    fn writes_the_examples_of_the_standard_and_reads_them_back() {
        for (plain, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encode(plain.as_bytes()), text);
            assert_eq!(decode(text).unwrap(), plain.as_bytes());
        }
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(decode(&encode(&all)).unwrap(), all);
    }

    #[test]
    fn refuses_what_it_does_not_write() {
        for text in ["Zg", "Zg=", "Zh==", "Zm9=", "Z===", "====", "Zm9v\n", "Zm_v", "Zg==Zg==", "ä"] {
            assert!(decode(text).is_none(), "{text}");
        }
    }
}
