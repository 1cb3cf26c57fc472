//! Replies in JSON that parsers refuse: halves of characters, and Python's numbers that are none.

use extract::agent::{AgentErrorKind, FinishReason, Reply};
use serde_json::json;

use crate::{
    ask,
    formats::{FORMATS, HALVES, events, kind, stop, whole, with_halves},
    server::Answer,
    stream,
};

/// A stream of `texts`, with halves of characters.
fn in_halves(provider: &str, texts: &[&str]) -> Answer {
    let bytes = events(provider, texts, stop(provider)).concat();
    // The frames of Bedrock have them already, because their checksums are over them.
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => with_halves(&text).into_bytes(),
        Err(frames) => frames.into_bytes(),
    };
    Answer::bytes("200 OK", kind(provider), bytes)
}

/// The reply to a stream of `texts`, and its deltas in one text.
async fn streamed(provider: &str, texts: &[&str]) -> (Reply, String) {
    let (reply, deltas) = stream(provider, in_halves(provider, texts)).await;
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

/// Nobody wrote what the reply would have in its place.
#[tokio::test]
async fn half_of_a_character_alone_is_a_failure_of_the_server() {
    let [first, second] = HALVES;
    for provider in FORMATS {
        for half in [first, second] {
            let texts = [&*format!("[\"a{half}"), &format!("b\", \"{half}\"]")];
            let body = with_halves(&whole(provider, &texts.concat(), stop(provider)).to_string());
            let failed = [
                ask(provider, Answer::bytes("200 OK", "application/json", body)).await,
                stream(provider, in_halves(provider, &texts)).await.0,
                // Nothing follows that could have the other half.
                stream(provider, in_halves(provider, &["[\"a", &format!("b{first}")])).await.0,
            ];
            for error in failed.map(Result::unwrap_err) {
                assert_eq!(error.kind(), AgentErrorKind::Garbled, "{provider}: {error}");
                assert!(error.message().contains("half of a character"), "{provider}: {error}");
            }
        }
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
