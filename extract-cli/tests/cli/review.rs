//! The page on which a job is reviewed, as its script asks for it.

use std::{
    fs::OpenOptions,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Command},
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    job::lines,
    program::{Ended, GOOD, Place},
    server::{Response, Server},
};

/// A job of six letters, of which the fifth fails, and what is said about the others.
fn job() -> Place {
    let place = Place::new();
    let server = Server::new(|asked| {
        let number =
            asked.split("Invoice INV-").nth(1).and_then(|rest| rest.get(..4)).unwrap_or("0").to_owned();
        Response::Reply(if number == "1005" {
            r#"{"number": "none", "currency": "EUR", "total": 5}"#.to_owned()
        } else {
            format!(r#"{{"number": "INV-{number}", "currency": "EUR", "total": 9007199254740993}}"#)
        })
    });
    for number in 1001..1007 {
        place.write(&format!("letters/{number}.txt"), format!("Invoice INV-{number}, {number}.10 EUR"));
    }
    let run = ["run", "-s", "invoice.json", "letters", "-o", "out.jsonl", "--max-attempts", "1"];
    place.run(&[&run[..], &server.options()[..]].concat()).code(1);
    place
}

/// A running review.
struct Page {
    child: Option<Child>,
    address: String,
    token: String,
}

impl Page {
    fn of(place: &Place, options: &[&str]) -> Self {
        let review = ["review", "out.jsonl", "-s", "invoice.json", "letters", "--sample", "2", "-q"];
        let mut child = place.command(&[&review[..], options].concat()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let (_, rest) = line.trim().split_once("http://").unwrap_or_else(|| panic!("no link: {line}"));
        let (address, token) = rest.split_once("/#").unwrap();
        Self { child: Some(child), address: address.to_owned(), token: token.to_owned() }
    }

    /// Sends bytes, and returns the status and the body of the answer.
    fn raw(&self, request: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        // A server that refuses early may close before all is sent.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {answer}"));
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    /// Gets data with the token, as the bytes that are sent.
    fn bytes(&self, path: &str) -> Vec<u8> {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let (address, token) = (&self.address, &self.token);
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nX-Extractable-Token: {token}\r\n\r\n")
            .unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        answer
    }

    fn get(&self, path: &str) -> Value {
        let (address, token) = (&self.address, &self.token);
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nX-Extractable-Token: {token}\r\n\r\n");
        let (status, body) = self.raw(request.as_bytes());
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap()
    }

    /// A request as the page's script sends it, but for `headers`, which replace some of them.
    fn post(&self, path: &str, body: &Value, headers: &[(&str, Option<&str>)]) -> (u16, Value) {
        let (body, origin) = (body.to_string(), format!("http://{}", self.address));
        let length = body.len().to_string();
        let mut request = format!("POST {path} HTTP/1.1\r\n");
        for (name, usual) in [
            ("Host", &*self.address),
            ("Origin", &origin),
            ("X-Extractable-Token", &self.token),
            ("Content-Type", "application/json"),
            ("Content-Length", &length),
        ] {
            let value =
                headers.iter().find(|(changed, _)| *changed == name).map_or(Some(usual), |(_, new)| *new);
            if let Some(value) = value {
                request.extend([name, ": ", value, "\r\n"]);
            }
        }
        let (status, body) = self.raw(format!("{request}\r\n{body}").as_bytes());
        (status, serde_json::from_str(&body).unwrap_or(Value::String(body)))
    }

    fn decide(&self, index: usize, version: u64, value: &str) -> (u16, Value) {
        self.post("/decide", &json!({"index": index, "version": version, "value": value}), &[])
    }

    /// The number of a document in the review.
    fn index(&self, key: &str) -> usize {
        let list = self.get("/list.json?show=all");
        let item = list["items"].as_array().unwrap().iter().find(|item| item["key"] == key).unwrap();
        usize::try_from(item["index"].as_u64().unwrap()).unwrap()
    }

    /// Ends it as Ctrl-C does.
    fn end(mut self) {
        let child = self.child.take().unwrap();
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        Ended::of(child).code(0);
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

const RIGHT: &str = r#"{"number": "INV-1005", "currency": "EUR", "total": 1005.10}"#;

#[test]
fn a_job_is_reviewed_and_the_decisions_count() {
    let place = job();
    let page = Page::of(&place, &["--reviewer", "ann"]);
    let list = page.get("/list.json");
    let reasons: Vec<_> = list["items"].as_array().unwrap().iter().map(|item| &item["reason"]).collect();
    assert_eq!(reasons, ["failed", "sampled", "sampled"]);
    assert_eq!(page.get("/list.json?show=all&from=4&count=1")["total"], 6);
    assert_eq!(page.get("/list.json?show=all&search=1003")["total"], 1);

    let failed = page.get("/document.json?index=0");
    assert_eq!((&failed["key"], &failed["version"]), (&json!("letters/1005.txt"), &json!(0)));
    assert_eq!(failed["text"], "Invoice INV-1005, 1005.10 EUR");
    assert!(failed["failure"].as_str().unwrap().starts_with("MaxRetriesExceeded: "));
    assert_eq!(failed["value"], r#"{"number":"none","currency":"EUR","total":5}"#, "the last attempt");
    let (status, judged) = page.post("/judge", &json!({"index": 0, "value": failed["value"]}), &[]);
    assert_eq!((status, &judged["violations"][0]["path"]), (200, &json!("/number")));
    let (_, judged) = page.post("/judge", &json!({"index": 0, "value": RIGHT}), &[]);
    assert_eq!(judged["violations"], json!([]));
    assert_eq!(judged["places"][0], json!({"path": "/number", "start": 8, "end": 16}));

    assert_eq!(page.decide(0, 0, RIGHT), (200, json!({"version": 1})));
    let sampled = page.get("/document.json?index=1");
    // Its digits are those of the reply, not of a double.
    assert!(sampled["value"].as_str().unwrap().ends_with(r#""total":9007199254740993}"#), "{sampled}");
    assert_eq!(page.decide(1, 0, sampled["value"].as_str().unwrap()).0, 200);
    let estimate = page.get("/estimate.json");
    let of = |name: &str| estimate[name].as_u64().unwrap();
    assert_eq!([of("reviewed"), of("right"), of("rest"), of("sampled"), of("open")], [2, 1, 4, 1, 0]);
    assert_eq!(estimate["rest_right"]["value"], 1.0);
    page.end();

    let gold = lines(&place.text("out.jsonl.gold.jsonl"));
    assert_eq!(
        (gold.len(), &gold[0]["checked_by"], &gold[0]["value"]["total"]),
        (2, &json!("ann"), &json!(1005.1))
    );
    assert_eq!(gold[0]["text"], "Invoice INV-1005, 1005.10 EUR");
    assert_eq!(gold[1]["review"], json!({"reason": "sampled", "right": 3, "leaves": 3}));
    assert!(place.text("out.jsonl.gold.jsonl").contains("9007199254740993"));
    let exported = lines(&place.run(&["export", "out.jsonl"]).code(0).out);
    assert_eq!(exported.iter().filter(|line| line["reviewed_by"] == "ann").count(), 2);
    assert!(exported.iter().all(|line| line["status"] == "done"));
}

#[test]
fn nobody_else_reads_or_changes_anything() {
    let place = job();
    let page = Page::of(&place, &[]);
    let sent = json!({"index": 0, "version": 0, "value": RIGHT});
    let foreign = "http://attacker.example";
    let other = "0".repeat(32);
    for (changed, status) in [
        (("X-Extractable-Token", None), 401),
        (("X-Extractable-Token", Some(&*other)), 401),
        (("X-Extractable-Token", Some("")), 401),
        (("Host", Some("attacker.example")), 421),
        (("Host", None), 400),
        (("Origin", Some(foreign)), 403),
        (("Origin", Some("null")), 403),
        (("Origin", None), 403),
        (("Content-Type", Some("text/plain")), 400),
        (("Content-Type", Some("application/x-www-form-urlencoded")), 400),
        (("Content-Length", Some("-1")), 400),
    ] {
        assert_eq!(page.post("/decide", &sent, &[changed]).0, status, "{changed:?}");
    }
    let address = &page.address;
    for path in ["/overview.json", "/list.json", "/estimate.json", "/document.json?index=0"] {
        let get = |headers: &str| {
            page.raw(format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n{headers}\r\n").as_bytes())
        };
        assert_eq!(get("").0, 401, "{path}");
        let token = &page.token;
        assert_eq!(get(&format!("X-Extractable-Token: {token}\r\nOrigin: {foreign}\r\n")).0, 403, "{path}");
        // Which of two headers counts is nobody's guess.
        assert_eq!(get(&format!("X-Extractable-Token: {token}\r\nX-Extractable-Token: {token}\r\n")).0, 401);
        assert!(!get("").1.contains("INV-"), "{path}");
    }
    assert_eq!(page.post("/list.json", &sent, &[]).0, 405);
    assert_eq!(page.post("/nothing", &sent, &[]).0, 404);
    for body in [json!({}), json!([]), json!({"index": 0, "more": 1}), json!({"index": -1})] {
        assert_eq!(page.post("/decide", &body, &[]).0, 400, "{body}");
    }
    assert_eq!(page.decide(6, 0, RIGHT).0, 404);
    for path in ["/", "/review.css", "/values.js", "/fields.js", "/text.js", "/list.js", "/review.js"] {
        let (status, body) = page.raw(format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes());
        assert_eq!(status, 200, "{path}");
        assert!(
            !body.contains("INV-") && !body.contains(&page.token) && !body.contains("innerHTML"),
            "{path}"
        );
        assert!(!body.contains("http:") && !body.contains("https:"), "{path}");
        assert!(
            !body.contains(" style=") && !body.contains(" onclick="),
            "{path}: the policy allows nothing inline"
        );
    }
    assert!(!place.path("out.jsonl.gold.jsonl").exists());
}

#[test]
fn what_is_too_much_is_refused() {
    let place = job();
    let page = Page::of(&place, &[]);
    let large = json!({"index": 0, "version": 0, "value": "[".repeat(5 << 20)});
    assert_eq!(page.post("/decide", &large, &[]).0, 413);
    assert_eq!(
        page.post("/decide", &json!({"index": 0}), &[("Content-Length", Some("99999999999999999999"))]).0,
        413
    );
    let head = format!("GET /?{} HTTP/1.1\r\n\r\n", "a".repeat(20_000));
    assert_eq!(page.raw(head.as_bytes()).0, 400);
    for value in ["[".repeat(100_000), "{\"a\":".repeat(50_000), "1".repeat(500_000), String::new()] {
        let (status, judged) = page.decide(0, 0, &value);
        assert_eq!(status, 422, "{judged}");
    }
    // Those that say nothing do not keep others out for long.
    let idle: Vec<_> = (0..40).map(|_| TcpStream::connect(&page.address).unwrap()).collect();
    let end = Instant::now() + Duration::from_secs(30);
    loop {
        let mut stream = TcpStream::connect(&page.address).unwrap();
        let _ = stream.write_all(format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", page.address).as_bytes());
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        if answer.starts_with("HTTP/1.1 200") {
            break;
        }
        assert!(Instant::now() < end, "nobody is served");
        std::thread::sleep(Duration::from_millis(200));
    }
    drop(idle);
    assert!(!place.path("out.jsonl.gold.jsonl").exists());
}

#[test]
fn two_reviewers_do_not_overwrite_each_other() {
    let place = job();
    let (ann, bob) = (Page::of(&place, &["--reviewer", "ann"]), Page::of(&place, &["--reviewer", "bob"]));
    assert_eq!(ann.decide(0, 0, RIGHT).0, 200);
    let other = RIGHT.replace("1005.10", "7");
    let (status, now) = bob.decide(0, 0, &other);
    assert_eq!((status, &now["version"], &now["decided_by"]), (409, &json!(1), &json!("ann")));
    assert!(now["value"].as_str().unwrap().contains("1005.1"), "{now}");
    assert_eq!(bob.decide(0, 1, &other), (200, json!({"version": 2})), "having seen it");
    assert_eq!(ann.post("/withdraw", &json!({"index": 0, "version": 1}), &[]).0, 409);
    assert_eq!(ann.get("/list.json?show=decided")["items"][0]["decided_by"], "bob");
    assert_eq!(bob.post("/withdraw", &json!({"index": 0, "version": 2}), &[]), (200, json!({"version": 3})));
    assert_eq!(ann.get("/list.json?show=decided")["total"], 0);
    assert_eq!(lines(&place.text("out.jsonl.gold.jsonl")).len(), 3, "nothing is removed");
    // The rest of the set is still read.
    place.run(&["export", "out.jsonl"]).code(0);
}

#[test]
fn a_value_that_does_not_conform_is_not_kept() {
    let place = job();
    let page = Page::of(&place, &[]);
    for (value, path, says) in [
        (RIGHT.replace("INV-1005", "1005"), "/number", "form"),
        (RIGHT.replace("\"EUR\"", "null"), "/currency", ""),
        (RIGHT.replace("1005.10", "0.12345678901234567890123"), "/total", "would be rounded"),
        ("{".to_owned(), "", "no JSON"),
    ] {
        let (status, judged) = page.decide(0, 0, &value);
        assert_eq!((status, &judged["violations"][0]["path"]), (422, &json!(path)), "{judged}");
        assert!(judged["violations"][0]["message"].as_str().unwrap().contains(says), "{judged}");
    }
    assert!(!place.path("out.jsonl.gold.jsonl").exists());
}

#[test]
fn half_a_line_that_a_crash_left_does_no_harm() {
    let place = job();
    let page = Page::of(&place, &[]);
    assert_eq!(page.decide(0, 0, RIGHT).0, 200);
    let mut file = OpenOptions::new().append(true).open(place.path("out.jsonl.gold.jsonl")).unwrap();
    file.write_all(br#"{"key": "letters/1001.txt", "text": "Inv"#).unwrap();
    assert_eq!(page.get("/list.json?show=decided")["total"], 1);
    let value =
        page.get(&format!("/document.json?index={}", page.index("letters/1001.txt")))["value"].clone();
    assert_eq!(page.decide(page.index("letters/1001.txt"), 0, value.as_str().unwrap()).0, 200);
    drop(page);
    let keys: Vec<_> =
        lines(&place.text("out.jsonl.gold.jsonl")).iter().map(|line| line["key"].clone()).collect();
    assert_eq!(keys, ["letters/1005.txt", "letters/1001.txt"]);
    // A later review goes on with what was decided.
    assert_eq!(Page::of(&place, &[]).get("/estimate.json")["reviewed"], 2);
}

#[test]
fn a_document_without_its_text_can_be_looked_at_only() {
    let place = job();
    let review = ["review", "out.jsonl", "-s", "invoice.json", "letters/1005.txt"];
    let mut child = place.command(&review).spawn().unwrap();
    let mut err = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    err.read_line(&mut line).unwrap();
    assert!(line.contains("5 of 6 documents are not given here"), "{line}");
    line.clear();
    err.read_line(&mut line).unwrap();
    let (address, token) = line.trim().split_once("http://").unwrap().1.split_once("/#").unwrap();
    let page = Page { child: Some(child), address: address.to_owned(), token: token.to_owned() };
    let index = page.index("letters/1002.txt");
    let document = page.get(&format!("/document.json?index={index}"));
    assert_eq!(document["text"], Value::Null);
    let (status, said) = page.decide(index, 0, document["value"].as_str().unwrap());
    assert!(status == 422 && said["message"].as_str().unwrap().contains("was not given"), "{said}");
    assert_eq!(page.decide(page.index("letters/1005.txt"), 0, RIGHT).0, 200);
}

#[test]
fn wrong_options_are_refused_before_anything_is_served() {
    let place = job();
    let run =
        |options: &[&str]| place.run(&[&["review", "out.jsonl", "-s", "invoice.json"], options].concat());
    run(&["letters", "--listen", "0.0.0.0:0"]).code(2).says("for this machine only");
    run(&["letters", "--threshold", "1.5"]).code(2).says("from 0 to 1");
    run(&["letters", "--gold", "invoice.json"]).code(2).says("is used here too");
    run(&["letters", "--gold", "letters/1001.txt"]).code(2).says("is where the results or their journal go");
    run(&[]).code(2).says("the documents of the job are not given");
    place.write("bad.jsonl", "no line\n");
    run(&["letters", "--gold", "bad.jsonl"]).code(5).says("`bad.jsonl`, line 1");
}

#[test]
fn what_the_agent_was_unsure_of_comes_first() {
    let place = Place::new();
    let count = AtomicU32::new(0);
    let server = Server::new(move |asked| {
        let is_unsure = asked.contains("blurred");
        let total = if is_unsure { count.fetch_add(1, Ordering::Relaxed) % 3 } else { 7 };
        Response::Reply(format!(r#"{{"number": "INV-1001", "currency": "EUR", "total": {total}}}"#))
    });
    place.write("letters/a.txt", "Invoice INV-1001, 7 EUR");
    place.write("letters/b.txt", "Invoice INV-1001, blurred");
    let run = ["run", "-s", "invoice.json", "letters", "-o", "out.jsonl", "--confidence", "3"];
    place.run(&[&run[..], &server.options()[..]].concat()).code(0);
    let export = ["export", "out.jsonl", "--as", "csv", "--confidence-columns"];
    let csv = place.run(&export).code(0).out;
    let rows: Vec<_> = csv.lines().collect();
    assert!(rows[0].ends_with(",confidence.number,confidence.currency,confidence.total"), "{csv}");
    assert!(rows[1].ends_with(",1,1,1") && rows[2].contains(",1,1,0.3"), "{csv}");
    let page = Page::of(&place, &[]);
    let first = &page.get("/list.json")["items"][0];
    assert_eq!((&first["key"], &first["reason"]), (&json!("letters/b.txt"), &json!("unsure")));
    assert!(first["confidence"].as_f64().is_some_and(|least| least < 0.8), "{first}");
    let document = page.get("/document.json?index=0");
    assert_eq!(document["unsure"][0]["path"], "/total");
    let others: Vec<_> = document["others"].as_array().unwrap().iter().map(|other| &other["path"]).collect();
    assert_eq!(others, ["/total", "/total"], "the other answers, to choose from");
    assert_eq!(document["others"][0]["is_conflict"], false);
    drop(page);
    let page = Page::of(&place, &["--threshold", "0"]);
    assert!(page.get("/list.json")["items"][0]["reason"] != "unsure", "by the threshold");
}

#[test]
fn a_line_with_the_path_of_a_document_is_a_decision_about_it() {
    let place = job();
    let value = json!({"number": "INV-1001", "currency": "EUR", "total": 1});
    let line = json!({"path": "1001.txt", "value": value, "checked_by": "ann"});
    place.write("letters/.gold.jsonl", format!("{line}\n"));
    let page = Page::of(&place, &["--gold", "letters/.gold.jsonl"]);
    let decided = page.get("/list.json?show=decided");
    assert_eq!((&decided["total"], &decided["items"][0]["key"]), (&json!(1), &json!("letters/1001.txt")));
    let index = &decided["items"][0]["index"];
    let document = page.get(&format!("/document.json?index={index}"));
    assert_eq!((&document["version"], &document["decided_by"]), (&json!(1), &json!("ann")));
    let other = json!({"number": "INV-1001", "currency": "EUR", "total": 2});
    let sent = json!({"index": index, "version": 1, "value": other.to_string()});
    assert_eq!(page.post("/decide", &sent, &[]), (200, json!({"version": 2})));
    drop(page);
    let lines = lines(&place.text("letters/.gold.jsonl"));
    assert_eq!((lines.len(), &lines[1]["path"], lines[1].get("text")), (2, &json!("1001.txt"), None));
    let exported = place.run(&["export", "out.jsonl", "--reviewed", "letters/.gold.jsonl"]).code(0);
    assert!(exported.out.contains(&format!(r#""value":{other}"#)), "{}", exported.out);
}

#[test]
fn images_are_shown_and_documents_without_a_text_are_reviewed() {
    let place = Place::new();
    let server = Server::replying(GOOD);
    let image = b"\x89PNG\r\n\x1a\n\0\xff<script>alert(1)</script>";
    place.write("letters/a.png", image);
    place.write("letters/b.pdf", b"%PDF-1.7 \xff");
    let run = ["run", "-s", "invoice.json", "letters", "-o", "out.jsonl"];
    place.run(&[&run[..], &server.options()[..]].concat()).code(0);
    let page = Page::of(&place, &[]);
    let all = page.get("/list.json?show=all");
    let index = |key: &str| {
        let item = all["items"].as_array().unwrap().iter().find(|item| item["key"] == key).unwrap();
        item["index"].as_u64().unwrap()
    };
    let (png, pdf) = (index("letters/a.png"), index("letters/b.pdf"));
    for (number, media_type, is_image) in [(png, "image/png", true), (pdf, "application/pdf", false)] {
        let document = page.get(&format!("/document.json?index={number}"));
        assert_eq!((&document["text"], &document["media_type"]), (&Value::Null, &json!(media_type)));
        assert_eq!(document["is_image"], is_image);
    }
    let path = format!("/image?index={png}");
    let answer = page.bytes(&path);
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap() + 4;
    let head = str::from_utf8(&answer[..end]).unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n"), "{head}");
    assert!(head.contains("nosniff") && head.contains("default-src 'none'"), "{head}");
    assert_eq!(&answer[end..], image);
    let status = |request: String| page.raw(format!("{request}\r\n\r\n").as_bytes()).0;
    let (address, token) = (&page.address, &page.token);
    assert_eq!(status(format!("GET {path} HTTP/1.1\r\nHost: {address}")), 401, "only with the token");
    for (path, refused) in
        [(format!("/image?index={pdf}"), 404), ("/image?index=9".to_owned(), 404), ("/image".to_owned(), 404)]
    {
        let head = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nX-Extractable-Token: {token}");
        assert_eq!(status(head), refused, "{path}");
    }

    let value = json!({"number": "INV-0001", "currency": "EUR", "total": 1});
    for number in [png, pdf] {
        let sent = json!({"index": number, "version": 0, "value": value.to_string()});
        assert_eq!(page.post("/decide", &sent, &[]), (200, json!({"version": 1})));
    }
    drop(page);
    let gold = lines(&place.text("out.jsonl.gold.jsonl"));
    assert_eq!((&gold[0]["key"], &gold[0]["media_type"]), (&json!("letters/a.png"), &json!("image/png")));
    assert_eq!((gold[0].get("text"), &gold[1]["media_type"]), (None, &json!("application/pdf")));
    let exported = lines(&place.run(&["export", "out.jsonl"]).code(0).out);
    assert!(
        exported.iter().all(|line| line["value"] == value && line["reviewed_by"].is_string()),
        "{exported:?}"
    );
}
