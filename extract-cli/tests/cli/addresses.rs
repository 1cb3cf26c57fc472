//! At which servers agents are asked, and with which keys.

use serde_json::Value;

use crate::{
    program::{Ended, GOOD, Place},
    server::{Response, Server},
};

fn place() -> Place {
    let place = Place::new();
    place.write("letters/a.txt", "Invoice INV-3107");
    place
}

/// A server on which only `large` answers right.
fn gateway() -> Server {
    Server::new(|asked| {
        let is_large = asked.contains("\"model\":\"large\"");
        Response::Reply(if is_large { GOOD.to_owned() } else { "I see no invoice.".to_owned() })
    })
}

fn models(server: &Server) -> Vec<Value> {
    server.asked().into_iter().map(|body| body["model"].clone()).collect()
}

fn words<'a>(command: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&[command, "-s", "invoice.json", "letters/a.txt"], more].concat()
}

fn with_variables(place: &Place, variables: &[(&str, &str)], words: &[&str]) -> Ended {
    Ended::of(place.command(words).envs(variables.iter().copied()).spawn().unwrap())
}

#[test]
fn the_address_of_a_provider_comes_from_its_variable() {
    let (place, server) = (place(), Server::new(|_| Response::Status(401)));
    let bare = server.options()[3].trim_end_matches("/v1");
    for (agent, variable) in [
        ("openai/m", "OPENAI_BASE_URL"),
        ("openai-responses/m", "OPENAI_BASE_URL"),
        ("anthropic/m", "ANTHROPIC_BASE_URL"),
        ("gemini/m", "GOOGLE_GEMINI_BASE_URL"),
    ] {
        let asked = server.asked().len();
        with_variables(&place, &[(variable, bare)], &words("extract", &["--agent", agent])).code(4);
        assert_eq!(server.asked().len(), asked + 1, "{agent}");
    }
    let server = Server::replying(GOOD);
    let address = server.options()[3];
    // The agent that a key selects is asked there too.
    let key = [("OPENAI_BASE_URL", address), ("OPENAI_API_KEY", "k")];
    with_variables(&place, &key, &words("extract", &[])).code(0);
    let ended =
        with_variables(&place, &[("OPENAI_BASE_URL", "gateway")], &words("extract", &["-a", "openai/m"]));
    ended.code(2).says("gateway");
}

#[test]
fn an_agent_that_takes_over_is_asked_at_the_server_of_its_provider() {
    let (place, server) = (place(), gateway());
    let address = server.options()[3];
    for command in ["extract", "run"] {
        let agents = ["--agent", "openai/small", "--base-url", address, "--then", "openai/large", "-q"];
        place.run(&words(command, &agents)).code(0);
    }
    assert!(models(&server).contains(&"large".into()) && models(&server).contains(&"small".into()));
    // Documents do not leave for the provider's own server because of one that was not named.
    let first = ["--agent", "vllm/small", "--base-url", address];
    let then = |then: &str| place.run(&words("extract", &[&first[..], &["--then", then]].concat()));
    then("openai/large")
        .code(2)
        .says("`--base-url` is for `vllm/small`, and `--then openai/large` has another provider")
        .says("`--then openai/large@https://api.openai.com/v1`");
    then(&format!("openai/large@{address}")).code(0);
    let variable = [("OPENAI_BASE_URL", address)];
    let agents = [&first[..], &["--then", "openai/large"]].concat();
    with_variables(&place, &variable, &words("extract", &agents)).code(0);
}

#[test]
fn nobody_is_asked_while_the_key_of_an_agent_that_takes_over_is_missing() {
    let place = place();
    let program = "sh -c 'cat > asked; echo none'";
    let agents = ["--command", program, "--then", "openai/large"];
    for (command, more) in [("extract", &[][..]), ("run", &["-o", "out.jsonl"])] {
        let ended = place.run(&words(command, &[&agents[..], more].concat())).code(4);
        ended.says("no key for `openai/large`: `OPENAI_API_KEY` is not set").says("--env-file");
    }
    assert!(!place.path("asked").exists());
    place.run(&["inspect", "out.jsonl"]).code(0).prints("0 done (0 in part), 0 failed");
    place.run(&words("run", &[&agents[..], &["--dry-run"]].concat())).code(0).prints("1 to ask");
}
