//! Which images and documents a provider accepts, and in which form.
//!
//! `genai` drops parts that an API cannot represent. Every such part is refused here, before
//! anything is sent. The rules come from its version 0.7.2 and from the providers' own pages:
//!
//! - OpenAI: <https://platform.openai.com/docs/guides/images-vision> and
//!   <https://platform.openai.com/docs/guides/pdf-files>; URLs of files in the Responses API only
//! - Anthropic: <https://platform.claude.com/docs/en/build-with-claude/vision> and
//!   <https://platform.claude.com/docs/en/build-with-claude/pdf-support>; `genai` has no URLs of
//!   images
//! - Gemini: <https://ai.google.dev/gemini-api/docs/file-input-methods>
//! - Ollama: <https://docs.ollama.com/api/chat>, `images`, which come after the text of their turn

use genai::{adapter::AdapterKind, chat::Binary};

use super::error::Failure;
use crate::agent::{
    Part, Role, Turn,
    part::{Media, Source, to_base64},
};

/// The images that OpenAI and Anthropic accept.
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/webp", "image/gif"];
const PDF: &str = "application/pdf";

/// Refuses the first part of `turn` that the provider does not accept.
pub(super) fn check(turn: &Turn, kind: AdapterKind, model: &str) -> Result<(), Failure> {
    for (index, part) in turn.parts().iter().enumerate() {
        let Some(media) = part.as_media() else { continue };
        let only_users =
            if turn.role() == Role::User { Ok(()) } else { Err("it takes those from the user only") };
        if let Err(cure) = only_users.and_then(|()| takes(kind, media)) {
            let (number, role) = (index + 1, turn.role());
            let what = format!("part {number} of the {role} turn, {media}");
            return Err(Failure::refused(format!("`{model}` cannot be given {what}: {cure}")));
        }
    }
    Ok(())
}

/// `Err` says what the provider accepts instead.
fn takes(kind: AdapterKind, media: &Media) -> Result<(), &'static str> {
    let is = |media_type: &str| media.media_type().eq_ignore_ascii_case(media_type);
    let is_common_image = IMAGES.iter().any(|image| is(image));
    let (is_taken, cure) = match kind {
        AdapterKind::OpenAI | AdapterKind::OpenRouter => (
            is_common_image || is(PDF) && !media.is_url(),
            "it takes images (PNG, JPEG, WebP, GIF), and PDF by its bytes",
        ),
        AdapterKind::OpenAIResp => (
            is_common_image || !media.is_image() && !is_sound_or_film(media),
            "it takes images (PNG, JPEG, WebP, GIF) and documents",
        ),
        AdapterKind::Anthropic => (
            is_common_image && !media.is_url() || is(PDF),
            "it takes images (PNG, JPEG, WebP, GIF) by their bytes, and PDF",
        ),
        AdapterKind::Gemini | AdapterKind::GeminiIx => (true, ""),
        AdapterKind::Ollama | AdapterKind::OllamaCloud => {
            (media.is_image() && !media.is_url(), "it takes images by their bytes")
        }
        AdapterKind::Groq
        | AdapterKind::Xai
        | AdapterKind::Mistral
        | AdapterKind::Fireworks
        | AdapterKind::Together => (is_common_image, "it takes images (PNG, JPEG, WebP, GIF)"),
        _ => (false, "it is not known to take anything but text"),
    };
    if is_taken { Ok(()) } else { Err(cure) }
}

fn is_sound_or_film(media: &Media) -> bool {
    ["audio/", "video/"].iter().any(|kind| media.media_type().to_ascii_lowercase().starts_with(kind))
}

pub(super) fn to_content(part: &Part) -> genai::chat::ContentPart {
    let Some(media) = part.as_media() else {
        return genai::chat::ContentPart::Text(part.to_string());
    };
    let kind = media.media_type();
    // OpenAI wants a name for every file.
    let name = media.name().map(str::to_owned);
    let name = name.or_else(|| (!media.is_image()).then(|| format!("document.{}", extension(kind))));
    genai::chat::ContentPart::Binary(match media.source() {
        Source::Bytes(bytes) => Binary::from_base64(kind, to_base64(bytes), name),
        Source::Url(url) => Binary::from_url(kind, url, name),
    })
}

fn extension(media_type: &str) -> &str {
    media_type
        .rsplit('/')
        .next()
        .filter(|kind| kind.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        .unwrap_or("bin")
}
