//! Chat completions with one text and nothing else to look at, as nearly all are. They are read without
//! a tree of the body, and the text in one pass: it is the longest string by far, and full of escapes.

use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;

use super::answer::Answer;

/// All that such a body has. With any other member, or with more in one of these, it is one for
/// [`Chat`](super::chat::Chat).
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct PlainBody<'b> {
    id: &'b str,
    object: ObjectName,
    created: IgnoredAny,
    model: &'b str,
    #[serde(borrow)]
    choices: [PlainChoice<'b>; 1],
    usage: Value,
    service_tier: IgnoredAny,
    system_fingerprint: IgnoredAny,
    // vLLM.
    prompt_logprobs: (),
    prompt_token_ids: (),
    kv_transfer_params: (),
    // llama.cpp.
    timings: IgnoredAny,
    // OpenRouter.
    provider: IgnoredAny,
    // Azure.
    prompt_filter_results: IgnoredAny,
}

#[derive(Default, Deserialize)]
enum ObjectName {
    #[default]
    #[serde(rename = "chat.completion")]
    ChatCompletion,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct PlainChoice<'b> {
    index: IgnoredAny,
    #[serde(borrow)]
    message: PlainMessage<'b>,
    finish_reason: &'b str,
    logprobs: (),
    // vLLM.
    stop_reason: (),
    token_ids: (),
    // Azure.
    content_filter_results: IgnoredAny,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct PlainMessage<'b> {
    role: IgnoredAny,
    content: &'b str,
    refusal: (),
    annotations: Option<[(); 0]>,
    audio: (),
    function_call: (),
    tool_calls: Option<[(); 0]>,
    reasoning: (),
    reasoning_content: (),
}

/// The answer in `body`, if that is all it has.
pub(super) fn plain_answer(body: &[u8]) -> Option<Answer> {
    const CONTENT: &[u8] = b"\"content\":";
    let name = body.windows(CONTENT.len()).position(|window| window == CONTENT)?;
    let quote = name + CONTENT.len() + blanks(&body[name + CONTENT.len()..]);
    let start = quote + 1;
    let (text, length) = body.get(quote..)?.strip_prefix(b"\"").and_then(unescaped)?;
    // The body without the text, in which it is the empty string at `start`.
    let rest = [&body[..start], &body[start + length..]].concat();
    let PlainBody { id, model, choices: [choice], usage, .. } = serde_json::from_slice(&rest).ok()?;
    let is_content = choice.message.content.as_ptr() == rest[start..].as_ptr();
    if !is_content || choice.finish_reason.is_empty() {
        return None;
    }
    let mut answer = Answer::of_text(text, model, id);
    answer.read_usage(&usage);
    answer.stopped(choice.finish_reason);
    Some(answer)
}

fn blanks(text: &[u8]) -> usize {
    text.iter().take_while(|byte| matches!(byte, b' ' | b'\n' | b'\t' | b'\r')).count()
}

/// Reads the rest of a JSON string. Returns its text, and its length before the closing quote. `None`
/// if it is no JSON, or has halves of characters.
fn unescaped(string: &[u8]) -> Option<(String, usize)> {
    // An escape is never shorter than its text.
    let mut text = vec![0; string.len()];
    let (mut from, mut to) = (0, 0);
    loop {
        while let (Some(eight), Some(room)) = (string[from..].first_chunk(), text[to..].first_chunk_mut()) {
            *room = *eight;
            let plain = plain_length(*eight);
            (from, to) = (from + plain, to + plain);
            if plain < eight.len() {
                break;
            }
        }
        let escaped = match *string.get(from)? {
            b'"' => break,
            b'\\' => *string.get(from + 1)?,
            0..0x20 => return None,
            byte => {
                text[to] = byte;
                (from, to) = (from + 1, to + 1);
                continue;
            }
        };
        from += 2;
        if escaped == b'u' {
            let (char, length) = escaped_char(&string[from..])?;
            from += length;
            to += char.encode_utf8(&mut text[to..]).len();
            continue;
        }
        text[to] = match escaped {
            b'"' | b'\\' | b'/' => escaped,
            b'b' => 0x08,
            b'f' => 0x0C,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            _ => return None,
        };
        to += 1;
    }
    text.truncate(to);
    // Other members may follow, however long.
    text.shrink_to_fit();
    Some((String::from_utf8(text).ok()?, from))
}

/// The number of bytes before the first that ends a string, starts an escape, or has to be escaped.
fn plain_length(eight: [u8; 8]) -> usize {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    let each = |byte: u8| ONES * u64::from(byte);
    let word = u64::from_le_bytes(eight);
    // The highest bit of each byte below `least` (and of some after it).
    let below = |word: u64, least: u8| word.wrapping_sub(each(least)) & !word & each(0x80);
    let ends = below(word, 0x20) | below(word ^ each(b'"'), 1) | below(word ^ each(b'\\'), 1);
    ends.trailing_zeros() as usize / 8
}

/// Reads the digits of a `\u`, and of the second half of the character, if it has one. Returns their length.
fn escaped_char(digits: &[u8]) -> Option<(char, usize)> {
    let unit = |at: usize| {
        let digits = digits.get(at..at + 4).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let first = unit(0)?;
    if let Some(char) = char::from_u32(first.into()) {
        return Some((char, 4));
    }
    let second = unit(6).filter(|_| digits[4..6] == *b"\\u")?;
    Some((char::decode_utf16([first, second]).next()?.ok()?, 10))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::chat::Chat, *};

    fn body() -> Value {
        json!({
            "id": "chatcmpl-1", "object": "chat.completion", "created": 1_760_000_000, "model": "gpt-6-luna",
            "choices": [{
                "index": 0,
                "message": {"role": "assistant", "content": "{\"a\": \"é\\n\"}", "refusal": null, "annotations": []},
                "logprobs": null,
                "finish_reason": "stop",
            }],
            "usage": {
                "prompt_tokens": 21, "completion_tokens": 7, "total_tokens": 28, "cost": 0.5,
                "prompt_tokens_details": {"cached_tokens": 16},
            },
            "service_tier": "default",
            "system_fingerprint": null,
        })
    }

    fn plain(body: &Value) -> Option<Answer> {
        plain_answer(body.to_string().as_bytes())
    }

    #[test]
    fn a_plain_completion_is_read_as_its_tree_is() {
        let mut cut = body();
        cut["choices"][0]["finish_reason"] = "length".into();
        let mut bare = body();
        bare["choices"][0] =
            json!({"index": 1, "message": {"role": "assistant", "content": ""}, "finish_reason": "stop"});
        bare["usage"] = Value::Null;
        let mut unnamed = body();
        (unnamed["id"], unnamed["model"]) = ("".into(), " ".into());
        let mut without_calls = body();
        without_calls["choices"][0]["message"]["tool_calls"] = json!([]);
        for body in [body(), cut, bare, unnamed, without_calls] {
            let (plain, tree) = (plain(&body).unwrap(), Chat::default().whole(body).unwrap());
            let all = |answer: &Answer| {
                let Answer { text, thoughts, stops, refusal, counts, calls, origin, cost, is_ended, .. } =
                    answer;
                format!("{:?}", (text, thoughts, stops, refusal, counts, calls, origin, cost, is_ended))
            };
            assert_eq!(all(&plain), all(&tree));
        }
    }

    #[test]
    fn a_body_with_anything_else_is_not_plain() {
        let call =
            json!([{"id": "1", "type": "function", "function": {"name": "submit", "arguments": "{}"}}]);
        for (pointer, name, value) in [
            ("", "error", json!({"message": "overloaded"})),
            ("", "object", json!("error")),
            ("", "request_id", json!("req_1")),
            ("", "x_groq", json!({"id": "req_1"})),
            ("", "choices", json!([])),
            ("", "choices", json!([body()["choices"][0], body()["choices"][0]])),
            ("/choices/0", "error", json!({"code": 502})),
            ("/choices/0", "native_finish_reason", json!("length")),
            ("/choices/0", "finish_reason", json!(null)),
            ("/choices/0", "finish_reason", json!("")),
            ("/choices/0", "logprobs", json!({"content": []})),
            ("/choices/0/message", "content", json!(null)),
            ("/choices/0/message", "content", json!([{"type": "text", "text": "1"}])),
            ("/choices/0/message", "content", json!({"a": 1})),
            ("/choices/0/message", "refusal", json!("I will not do that.")),
            ("/choices/0/message", "reasoning_content", json!("The total is")),
            ("/choices/0/message", "reasoning", json!("The total is")),
            ("/choices/0/message", "reasoning_details", json!([])),
            ("/choices/0/message", "tool_calls", call),
            ("/choices/0/message", "annotations", json!([{"type": "url_citation"}])),
        ] {
            let mut body = body();
            body.pointer_mut(pointer).unwrap()[name] = value;
            assert!(plain(&body).is_none(), "{body}");
        }
    }

    #[test]
    fn strings_are_read_as_serde_json_reads_them() {
        let parts = [
            "a",
            "word",
            "0123456789",
            "é",
            "漢",
            "😀",
            r#"\""#,
            r"\\",
            r"\/",
            r"\b",
            r"\f",
            r"\n",
            r"\r",
            r"\t",
            r"\u00e9",
            r"\u0000",
            r"\uD83D\ude00",
            r"\ud83d",
            r"\ude00",
            r"\ud83d\u0061",
            r"\u12",
            r"\u+123",
            r"\x",
            r"\",
            "\"",
            "\u{1}",
            "\u{7f}",
        ];
        let mut seed = 7_u64;
        let mut next = move || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            usize::try_from(seed % 1_000_003).unwrap()
        };
        let mut read = 0;
        for _ in 0..50_000 {
            let inside: String = (0..next() % 8).map(|_| parts[next() % parts.len()]).collect();
            let string = format!("\"{inside}\"");
            let ours = unescaped(&string.as_bytes()[1..]).filter(|(_, length)| length + 2 == string.len());
            let known = serde_json::from_str::<String>(&string).ok();
            read += usize::from(known.is_some());
            assert_eq!(ours.map(|(text, _)| text), known, "{string}");
        }
        assert!((10_000..40_000).contains(&read), "{read}");
        assert_eq!(unescaped(b"\xff\""), None);
    }

    #[test]
    fn the_text_is_that_of_the_only_message() {
        let mut elsewhere = body();
        elsewhere["usage"] = json!({"content": "elsewhere"});
        elsewhere["choices"][0]["message"]["content"] = "".into();
        // Members in this order.
        let mut before = json!({"usage": elsewhere["usage"]});
        before.as_object_mut().unwrap().extend(elsewhere.as_object().unwrap().clone());
        assert!(plain(&before).is_none());
        let key = body().to_string().replacen("\"model\"", r#""x\"content":"y","model""#, 1);
        assert!(plain_answer(key.as_bytes()).is_none());
        let spaced = serde_json::to_string_pretty(&body()).unwrap();
        assert_eq!(plain_answer(spaced.as_bytes()).unwrap().text, r#"{"a": "é\n"}"#);
        let cut = &spaced[..spaced.len() - 2];
        assert!(plain_answer(cut.as_bytes()).is_none());
    }
}
