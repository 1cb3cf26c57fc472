//! Replies in JSON that parsers refuse: halves of characters, and Python's numbers that are none.

use extract::agent::{FinishReason, Reply};
use serde_json::json;

use crate::{
    ask,
    formats::{FORMATS, HALVES, events, kind, stop, whole, with_halves},
    server::Answer,
    stream,
};

/// The reply to a stream of `texts`, and its deltas in one text.
async fn streamed(provider: &str, texts: &[&str]) -> (Reply, String) {
    let bytes = events(provider, texts, stop(provider)).concat();
    // The frames of Bedrock have them already, because their checksums are over them.
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => with_halves(&text).into_bytes(),
        Err(frames) => frames.into_bytes(),
    };
    let (reply, deltas) = stream(provider, Answer::bytes("200 OK", kind(provider), bytes)).await;
    (reply.unwrap_or_else(|error| panic!("{provider}: {error}")), deltas.concat())
}

#[tokio::test]
async fn a_character_that_is_split_over_two_deltas_is_whole() {
    let [first, second] = HALVES;
    for provider in FORMATS {
        for texts in [
            [format!("[\"a{first}"), format!("{second}b\"]")],
            [format!("[\"a{first}"), format!("{second}b{first}{second}\"]")],
        ] {
            let (reply, deltas) = streamed(provider, &[&texts[0], &texts[1]]).await;
            let expected = texts.concat().replace(&format!("{first}{second}"), "\u{1F600}");
            assert_eq!((reply.text(), &*deltas), (&*expected, &*expected), "{provider}");
            assert_eq!((reply.finish_reason(), reply.notes()), (&FinishReason::Stop, &[][..]), "{provider}");
        }
        let (reply, _) = streamed(
            provider,
            &["[\"", &first.to_string(), &format!("{second}{first}"), &format!("{second}\"]")],
        )
        .await;
        assert_eq!(reply.text(), "[\"\u{1F600}\u{1F600}\"]", "{provider}");
    }
}

#[tokio::test]
async fn half_of_a_character_is_marked_and_the_reply_is_not_whole() {
    let [first, second] = HALVES;
    let interrupted = FinishReason::Interrupted("half of a character".to_owned());
    for provider in FORMATS {
        for half in [first, second] {
            let text = format!("[\"a{half}b\", \"{half}\"]");
            let expected = text.replace(half, "\u{FFFD}");
            let body = with_halves(&whole(provider, &text, stop(provider)).to_string());
            let reply = ask(provider, Answer::bytes("200 OK", "application/json", body)).await;
            let reply = reply.unwrap_or_else(|error| panic!("{provider}: {error}"));
            assert_eq!((reply.text(), reply.finish_reason()), (&*expected, &interrupted), "{provider}");
            assert!(reply.notes()[0].contains("U+FFFD"), "{provider}");
            let (reply, deltas) =
                streamed(provider, &[&format!("[\"a{half}"), &format!("b\", \"{half}\"]")]).await;
            assert_eq!((reply.text(), &*deltas), (&*expected, &*expected), "{provider}");
            assert_eq!(reply.finish_reason(), &interrupted, "{provider}");
        }
        // Nothing follows that could have the other half.
        let (reply, deltas) = streamed(provider, &["[\"a", &format!("b{first}")]).await;
        assert_eq!((reply.text(), &*deltas), ("[\"ab\u{FFFD}", "[\"ab\u{FFFD}"), "{provider}");
    }
}

#[tokio::test]
async fn a_number_that_is_none_breaks_no_reply() {
    for provider in FORMATS {
        for word in ["NaN", "-Infinity", "Infinity"] {
            let mut body = whole(provider, "[8, \"NaN\"]", stop(provider));
            body["metrics"] = json!({"seconds": "WORD"});
            body["usage"]["cost"] = "WORD".into();
            let body = body.to_string().replace("\"WORD\"", word);
            let reply = ask(provider, Answer::bytes("200 OK", "application/json", body)).await;
            let reply = reply.unwrap_or_else(|error| panic!("{provider}: {error}"));
            assert_eq!(
                (reply.text(), reply.finish_reason()),
                ("[8, \"NaN\"]", &FinishReason::Stop),
                "{provider}"
            );
            assert_eq!(reply.reported_cost(), None, "{provider}");
        }
    }
    let token = |token: &str| json!({"token": token, "logprob": "WORD"});
    let mut body = whole("vllm", "8", "stop");
    body["choices"][0]["logprobs"] = json!({"content": [token("8")]});
    let body = body.to_string().replace("\"WORD\"", "-Infinity");
    let reply = ask("vllm", Answer::bytes("200 OK", "application/json", body)).await.unwrap();
    assert!(reply.token_probabilities()[0].log_probability < -1_000.0);
}
