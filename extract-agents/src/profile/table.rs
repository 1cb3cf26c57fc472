//! The profiles as a table for people.

use std::fmt::Write as _;

use super::{
    batching::BatchInterface,
    definition::{Caching, Media, Prefill, Profile},
    support::Enforcement,
};
use crate::format::{StopMeaning, WireFormat};

/// Returns the profiles as tables in Markdown: the features of each server, the meanings of its
/// stop reasons, and the sources. The book prints them.
pub fn markdown() -> String {
    let mut text = String::new();
    text.push_str("| provider | server | key | wire format | schema | enforced by | caching | continuation | images, documents | tools | seed | log probabilities | batches |\n");
    text.push_str("|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for profile in Profile::ALL {
        let _ = writeln!(text, "| {} |", row(&profile).join(" | "));
    }
    text.push_str("\n| wire format or provider | whole | token limit | filter | repetition | interrupted, with every other |\n");
    text.push_str("|---|---|---|---|---|---|\n");
    for format in WireFormat::ALL {
        let _ = writeln!(text, "| {format} | {} |", reasons(format.stop_reasons()));
    }
    for profile in Profile::ALL.iter().filter(|profile| !profile.stop_reasons.is_empty()) {
        let _ = writeln!(text, "| {}, besides | {} |", profile.title, reasons(profile.stop_reasons));
    }
    text.push_str(
        "\n| provider | requests of a batch | MB | the provider's own limits, read on 2026-11-26 | its mark is in | source |\n|---|---|---|---|---|---|\n",
    );
    for profile in Profile::ALL {
        let Some(BatchInterface { limits, mark, provider_limits, source, .. }) = profile.batch else {
            continue;
        };
        let (requests, megabytes) = (limits.requests, limits.bytes / 1_000_000);
        let (title, mark) = (profile.title, mark.words());
        let _ = writeln!(
            text,
            "| {title} | {requests} | {megabytes} | {provider_limits} | {mark} | <{source}> |"
        );
    }
    text.push_str("\n| provider | parts compared in | sources |\n|---|---|---|\n");
    for profile in Profile::ALL {
        let sources: Vec<_> = profile.sources.iter().map(|source| format!("<{source}>")).collect();
        let read = if profile.read.is_empty() { "not yet" } else { profile.read };
        let _ = writeln!(text, "| {} | {} | {} |", profile.title, read, sources.join(", "));
    }
    text
}

fn row(profile: &Profile) -> [String; 13] {
    let code = |text: &str| format!("`{text}`");
    let yes = |is: bool| if is { "yes" } else { "" }.to_owned();
    let keys: Vec<_> = profile.key_variables.iter().map(|name| code(name)).collect();
    let schema = profile.schema.dialect.map_or_else(
        || "in the prompt".to_owned(),
        |dialect| match profile.schema.without {
            [] => dialect.to_string(),
            _ => format!("{dialect}, narrower"),
        },
    );
    let differs = ["gpt-oss", "x-cloud"].iter().any(|model| profile.schema_of(model) != profile.schema);
    let enforced = match (profile.schema.dialect, profile.schema.enforcement) {
        (None, _) => String::new(),
        (_, Enforcement::Requested) if differs => "decoder for some models".to_owned(),
        (_, enforcement) => enforcement.to_string(),
    };
    [
        code(&format!("{}/…", profile.name)),
        profile.title.to_owned(),
        keys.join(" or "),
        profile.wire.to_string(),
        schema,
        enforced,
        match profile.caching {
            Caching::Unknown => String::new(),
            Caching::Automatic => "automatic".to_owned(),
            Caching::Breakpoints => "breakpoints".to_owned(),
        },
        match profile.prefill {
            Prefill::None => String::new(),
            _ => "yes".to_owned(),
        },
        match profile.media {
            Media::Nothing => String::new(),
            Media::Images => "images".to_owned(),
            Media::ImagesAndDocuments => "both".to_owned(),
        },
        yes(profile.calls_tools),
        yes(profile.seed.is_some()),
        yes(profile.log_probabilities),
        yes(profile.batch.is_some()),
    ]
}

fn reasons(known: &[(&str, StopMeaning)]) -> String {
    use StopMeaning::{Filter, Interrupted, Length, Repetition, Whole};
    let cells = [Whole, Length, Filter, Repetition, Interrupted].map(|meaning| {
        let names = known.iter().filter(|(_, of)| *of == meaning).map(|(name, _)| format!("`{name}`"));
        names.collect::<Vec<_>>().join(", ")
    });
    cells.join(" | ")
}
