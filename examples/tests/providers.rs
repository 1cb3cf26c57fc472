//! Runs the programs of `providers/` against a server on 127.0.0.1 that speaks the API of each provider.

use std::{
    env, fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Command, Output},
    sync::{Arc, Mutex},
    thread,
};

use serde_json::{Value, json};

/// A key that only this test knows.
const KEY: &str = "key-of-the-test";

/// The first answer breaks the schema twice, the second one conforms.
const ANSWERS: [&str; 2] = [
    r#"{"number": "3107", "currency": "euro", "total": 1238.4}"#,
    r#"{"number": "INV-3107", "currency": "EUR", "total": 1238.4}"#,
];

/// How a provider is asked, and how it replies.
struct Provider {
    program: &'static str,
    /// The variable with the key; empty if none is needed.
    key: &'static str,
    /// The variable with the address of the server.
    address: &'static str,
    /// The part after the host in that variable.
    path: &'static str,
    /// The line of the request with the method, without the version of HTTP; `*` is the model.
    request: &'static str,
    /// The header with the key.
    header: &'static str,
    /// The response around an answer.
    response: fn(&str) -> Value,
}

const PROVIDERS: [Provider; 4] = [
    Provider {
        program: "openai",
        key: "OPENAI_API_KEY",
        address: "OPENAI_BASE_URL",
        path: "/v1",
        request: "POST /v1/chat/completions",
        header: "authorization: Bearer ",
        response: chat_completion,
    },
    Provider {
        program: "anthropic",
        key: "ANTHROPIC_API_KEY",
        address: "ANTHROPIC_BASE_URL",
        path: "",
        request: "POST /v1/messages",
        header: "x-api-key: ",
        response: |text| {
            json!({
                "id": "msg_1", "type": "message", "role": "assistant", "model": "scripted",
                "content": [{"type": "text", "text": text}], "stop_reason": "end_turn",
                "usage": {"input_tokens": 90, "output_tokens": 20},
            })
        },
    },
    Provider {
        program: "gemini",
        key: "GEMINI_API_KEY",
        address: "GOOGLE_GEMINI_BASE_URL",
        path: "",
        request: "POST /v1beta/models/*:generateContent",
        header: "x-goog-api-key: ",
        response: |text| {
            json!({
                "candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP"}],
                "usageMetadata": {"promptTokenCount": 90, "candidatesTokenCount": 20, "totalTokenCount": 110},
                "modelVersion": "scripted",
            })
        },
    },
    Provider {
        program: "ollama",
        key: "",
        address: "OLLAMA_HOST",
        path: "",
        request: "POST /api/chat",
        header: "",
        response: |text| {
            json!({
                "model": "scripted", "message": {"role": "assistant", "content": text},
                "done": true, "done_reason": "stop", "prompt_eval_count": 90, "eval_count": 20,
            })
        },
    },
];

fn chat_completion(text: &str) -> Value {
    json!({
        "id": "1", "object": "chat.completion", "model": "scripted",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 90, "completion_tokens": 20, "total_tokens": 110},
    })
}

/// The head and the body of each request.
type Requests = Arc<Mutex<Vec<(String, String)>>>;

/// Starts a server that gives the answers in turn. It ends with the process.
fn serve(response: fn(&str) -> Value) -> (String, Requests) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let requests = Requests::default();
    let seen = Arc::clone(&requests);
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let Some(request) = read(&stream) else { continue };
            let mut seen = seen.lock().unwrap();
            let body = response(ANSWERS[seen.len().min(1)]).to_string();
            seen.push(request);
            let head =
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length:";
            // A client that goes away is not a failure of the server.
            let _ = write!(&stream, "{head} {}\r\n\r\n{body}", body.len());
        }
    });
    (url, requests)
}

fn read(stream: &TcpStream) -> Option<(String, String)> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let start = head.len();
        reader.read_line(&mut head).ok()?;
        let line = &head[start..];
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((head, String::from_utf8(body).ok()?))
}

/// Runs a program with these variables, without the variables of the shell that runs the tests.
fn run(program: &str, variables: &[(&str, &str)]) -> Output {
    let built = env::current_exe().unwrap().parent().unwrap().parent().unwrap().join("examples");
    let mut command = Command::new(built.join(format!("{program}{}", env::consts::EXE_SUFFIX)));
    for Provider { key, address, .. } in PROVIDERS {
        command.env_remove(address);
        if !key.is_empty() {
            command.env_remove(key);
        }
    }
    // The server of the test is not a real agent.
    command.env("EXTRACT_ALLOW_REAL_AGENTS", "1").envs(variables.iter().copied());
    command.output().unwrap_or_else(|error| panic!("{program}: {error}"))
}

#[test]
fn each_program_gets_a_value_from_its_provider() {
    for Provider { program, key, address, path, request, header, response } in PROVIDERS {
        let (url, requests) = serve(response);
        let url = format!("{url}{path}");
        let mut variables = vec![(address, url.as_str())];
        if !key.is_empty() {
            variables.push((key, KEY));
        }
        let ended = run(program, &variables);
        let printed = String::from_utf8_lossy(&ended.stdout);
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success(), "{program}: {said}");
        assert!(
            printed.contains(r#"number: "INV-3107", currency: "EUR", total: 1238.4"#),
            "{program}: {printed}"
        );
        assert!(
            printed.contains("2 attempts") && printed.contains("180 tokens in, 40 out"),
            "{program}: {printed}"
        );

        let requests = requests.lock().unwrap();
        assert_eq!(requests.len(), 2, "{program}");
        let (start, end) = request.split_once('*').unwrap_or((request, ""));
        for (head, body) in requests.iter() {
            let line = head.lines().next().unwrap_or_default();
            let path = line.trim_end_matches(" HTTP/1.1");
            assert!(path.starts_with(start) && path.ends_with(end), "{program}: {line}");
            let has_key = header.is_empty() || head.contains(&format!("{header}{KEY}"));
            assert!(has_key && body.contains("1,238.40 euros"), "{program}: {head}{body}");
        }
        assert!(
            requests[1].1.contains("INVALID_VALUE"),
            "{program} is told what is wrong: {}",
            requests[1].1
        );
    }
}

#[test]
fn each_program_says_which_key_is_missing() {
    for Provider { program, key, .. } in PROVIDERS.into_iter().filter(|provider| !provider.key.is_empty()) {
        for variables in [&[][..], &[(key, "")]] {
            let ended = run(program, variables);
            let said = String::from_utf8_lossy(&ended.stderr);
            assert_eq!(ended.status.code(), Some(2), "{program}: {said}");
            assert!(
                said.contains(&format!("{key} is not set")) && said.contains("https://"),
                "{program}: {said}"
            );
        }
    }
}

#[test]
fn the_local_program_says_what_it_needs() {
    let ended = run("ollama", &[("OLLAMA_HOST", "127.0.0.1:1")]);
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(
        !ended.status.success() && said.contains("ollama serve") && said.contains("ollama pull gemma4:e2b"),
        "{said}"
    );
}

#[test]
fn every_program_is_in_the_table_and_tested() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = fs::read_to_string(here.join("README.md")).unwrap();
    for entry in fs::read_dir(here.join("providers")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(table.contains(&format!("(providers/{name}.rs)")), "{name} is not in README.md");
        assert!(PROVIDERS.iter().any(|provider| provider.program == name), "{name} is not tested");
    }
}
