//! One client on a stream.

use std::time::Duration;

use extract::{Contract, Extractable, ExtractionError, ExtractionResult, Toolkit};
use extract_mcp::{Server, Serving};
use rmcp::model::{CallToolRequestParams, CallToolResult, ClientRequest, Request, Tool};
use rmcp::service::{PeerRequestOptions, RunningService};
use rmcp::{RoleClient, ServiceError, ServiceExt as _};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt as _, DuplexStream};

use super::arguments;
use crate::domain::{Invoice, good};

type Client = RunningService<RoleClient, ()>;

fn streams() -> (DuplexStream, DuplexStream) {
    tokio::io::duplex(1 << 16)
}

async fn connect(stream: DuplexStream) -> Client {
    ().serve(stream).await.unwrap()
}

async fn call(client: &Client, name: &'static str, value: Value) -> CallToolResult {
    client.call_tool(params(name, &value)).await.unwrap()
}

fn params(name: &'static str, value: &Value) -> CallToolRequestParams {
    CallToolRequestParams::new(name).with_arguments(arguments(value))
}

fn text(result: &CallToolResult) -> String {
    result.content.iter().filter_map(|block| block.as_text()).map(|text| text.text.clone()).collect()
}

fn status(result: &CallToolResult) -> &str {
    result.structured_content.as_ref().unwrap()["status"].as_str().unwrap()
}

fn wrong() -> Value {
    let mut invoice = good();
    invoice["currency"] = json!("Euro");
    invoice
}

fn tool<'t>(tools: &'t [Tool], name: &str) -> &'t Tool {
    tools.iter().find(|tool| tool.name == name).unwrap()
}

#[tokio::test]
async fn a_client_gets_all_violations_until_the_value_is_right() {
    let (ours, theirs) = streams();
    let client = async {
        let client = connect(theirs).await;
        let example = call(&client, "example", json!({})).await;
        assert!(example.structured_content.unwrap()["example"]["number"].is_string());
        let result = call(&client, "submit", wrong()).await;
        assert_eq!((result.is_error, status(&result)), (Some(true), "rejected"));
        assert!(text(&result).contains("did you mean \"EUR\"?"), "{}", text(&result));
        let result = call(&client, "validate", good()).await;
        assert_eq!((result.is_error, status(&result)), (Some(false), "valid"));
        let result = call(&client, "submit", good()).await;
        assert_eq!((result.is_error, status(&result)), (Some(false), "accepted"));
        assert_eq!(text(&result), "Accepted in attempt 2 of 3. No further action is needed.");
    };
    let (served, ()) = tokio::join!(extract_mcp::serve::<Invoice>().over(ours), client);
    let (invoice, metrics) = served.unwrap();
    assert_eq!((invoice.number.as_str(), metrics.attempts), ("INV-0007", 2));
}

#[tokio::test]
async fn the_tools_are_described_with_schemas_and_hints() {
    let (ours, theirs) = streams();
    let client = async {
        let client = connect(theirs).await;
        let tools = client.list_all_tools().await.unwrap();
        let names: Vec<_> = tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["example", "validate", "submit"]);
        for (name, is_read_only) in [("example", true), ("validate", true), ("submit", false)] {
            let hints = tool(&tools, name).annotations.as_ref().unwrap();
            assert_eq!(hints.read_only_hint, Some(is_read_only), "{name}");
        }
        let submit = tool(&tools, "submit");
        assert_eq!(submit.title.as_deref(), Some("Submit Invoice"));
        assert!(submit.input_schema["properties"]["lines"].is_object());
        let output = submit.output_schema.as_ref().unwrap();
        assert!(output["properties"]["value"]["properties"]["lines"].is_object());
        let about = client.peer_info().unwrap();
        assert_eq!(about.server_info.as_ref().unwrap().name, "extract");
        assert!(about.instructions.as_ref().unwrap().contains("submit"));
    };
    tokio::select! {
        served = extract_mcp::serve::<Invoice>().over(ours) => panic!("{served:?}"),
        () = client => {}
    }
}

#[tokio::test]
async fn the_budget_ends_it_with_the_whole_story() {
    let (ours, theirs) = streams();
    let client = async {
        let client = connect(theirs).await;
        call(&client, "validate", wrong()).await;
        let last = call(&client, "submit", wrong()).await;
        assert!(text(&last).contains("This was attempt 2 of 2, the last one."), "{}", text(&last));
    };
    let (served, ()) = tokio::join!(extract_mcp::serve::<Invoice>().max_attempts(2).over(ours), client);
    let error = served.unwrap_err();
    assert!(matches!(error, ExtractionError::MaxRetriesExceeded { attempts: 2, .. }), "{error}");
    let clients: Vec<_> = error.history().iter().map(|attempt| attempt.agent.as_str()).collect();
    assert!(clients.iter().all(|name| name.starts_with("rmcp ")), "{clients:?}");
}

#[tokio::test]
async fn a_client_that_goes_away_leaves_its_attempts() {
    let (ours, theirs) = streams();
    let client = async {
        let client = connect(theirs).await;
        call(&client, "submit", wrong()).await;
        client.cancel().await.unwrap();
    };
    let (served, ()) = tokio::join!(extract_mcp::serve::<Invoice>().over(ours), client);
    let error = served.unwrap_err();
    assert_eq!(error.history().len(), 1);
    assert_eq!(
        error.to_string(),
        "the agent gave no reply to attempt 2 of 3: transport failure: \
         the client went away before a value was accepted"
    );
}

#[tokio::test]
async fn a_client_that_never_introduces_itself_is_an_error() {
    let (ours, theirs) = streams();
    drop(theirs);
    let error = extract_mcp::serve::<Invoice>().over(ours).await.unwrap_err();
    assert!(error.to_string().contains("went away before it introduced itself"), "{error}");
}

#[tokio::test]
async fn rules_borrow_from_the_caller() {
    let mut seen = Vec::new();
    let known = ["INV-0007".to_owned()];
    let (ours, theirs) = streams();
    let serving = extract_mcp::serve::<Invoice>()
        .on_submit(|invoice: &Invoice| known.contains(&invoice.number).then_some(()).ok_or("unknown"))
        .observe(|event| seen.push(format!("{event:?}")));
    let client = async { call(&connect(theirs).await, "submit", good()).await };
    let (served, _) = tokio::join!(serving.over(ours), client);
    served.unwrap();
    assert!(seen[0].starts_with("Judged"), "{seen:?}");
}

/// Its rule never completes for 1.
#[derive(Debug, Deserialize, Extractable)]
#[extract(async_rule = is_looked_up)]
struct Slow {
    number: u8,
}

async fn is_looked_up(slow: &Slow) -> Result<(), String> {
    if slow.number == 1 {
        std::future::pending::<()>().await;
    }
    Ok(())
}

#[tokio::test]
async fn a_call_that_the_client_cancels_has_not_happened() {
    let (ours, theirs) = streams();
    let client = async {
        let client = connect(theirs).await;
        let request = ClientRequest::CallToolRequest(Request::new(params("submit", &json!({"number": 1}))));
        let call_of_1 =
            client.send_cancellable_request(request, PeerRequestOptions::no_options()).await.unwrap();
        tokio::time::sleep(Duration::from_millis(50)).await;
        call_of_1.cancel(Some("the user pressed a key".to_owned())).await.unwrap();
        let result = call(&client, "submit", json!({"number": 2})).await;
        assert_eq!(status(&result), "accepted");
    };
    let serving = extract_mcp::serve::<Slow>().over(ours);
    let both = Box::pin(async { tokio::join!(serving, client) });
    let (served, ()) = tokio::time::timeout(Duration::from_secs(20), both).await.unwrap();
    let (slow, metrics) = served.unwrap();
    assert_eq!((slow.number, metrics.attempts), (2, 1));
}

#[tokio::test]
async fn a_server_that_stays_hands_out_one_outcome_after_the_other() {
    let mut outcomes: Vec<ExtractionResult<Invoice>> = Vec::new();
    let mut numbers = Vec::new();
    let (ours, theirs) = streams();
    {
        let lists = Toolkit::<Vec<u8>>::new().unwrap().named("numbers");
        let server = Server::new("desk")
            .with(Toolkit::<Invoice>::new().unwrap().max_attempts(2), |outcome| outcomes.push(outcome))
            .with(lists, |outcome| numbers.push(outcome.unwrap().0));
        let client = async {
            let client = connect(theirs).await;
            let names: Vec<_> =
                client.list_all_tools().await.unwrap().into_iter().map(|tool| tool.name).collect();
            assert!(
                names.contains(&"submit_invoice".into()) && names.contains(&"submit_numbers".into()),
                "{names:?}"
            );
            assert_eq!(status(&call(&client, "submit_invoice", good()).await), "accepted");
            for list in [json!([1]), json!([2])] {
                assert_eq!(
                    status(&call(&client, "submit_numbers", json!({"value": list})).await),
                    "accepted"
                );
            }
            for _ in 0..3 {
                assert_eq!(status(&call(&client, "submit_invoice", wrong()).await), "rejected");
            }
            let error = client.call_tool(params("submit", &good())).await.unwrap_err();
            assert!(
                matches!(&error, ServiceError::McpError(error) if error.message.contains("no tool `submit`")),
                "{error}"
            );
            client.cancel().await.unwrap();
        };
        let (ended, ()) = tokio::join!(server.over(ours), client);
        ended.unwrap();
    }
    assert_eq!(numbers, [[1], [2]]);
    let told: Vec<_> = outcomes
        .iter()
        .map(|outcome| match outcome {
            Ok((_, metrics)) => format!("accepted after {}", metrics.attempts),
            Err(error @ ExtractionError::MaxRetriesExceeded { .. }) => {
                format!("used up: {}", error.history().len())
            }
            Err(error) => format!("left: {}", error.history().len()),
        })
        .collect();
    assert_eq!(told, ["accepted after 1", "used up: 2", "left: 1"]);
}

#[tokio::test]
async fn a_client_that_reads_nothing_does_not_hold_up_the_value() {
    // Room for the handshake, and not for the report of the accepted value.
    let (ours, theirs) = tokio::io::duplex(1_500);
    let (reader, mut writer) = tokio::io::split(theirs);
    let client = async {
        let about = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "deaf", "version": "1"},
        });
        let mut submit = good();
        submit["remarks"] = json!("x".repeat(4_000));
        for message in [
            json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "submit", "arguments": submit}}),
        ] {
            writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
        }
        std::future::pending::<()>().await;
    };
    let serving = tokio::time::timeout(Duration::from_secs(20), extract_mcp::serve::<Invoice>().over(ours));
    tokio::select! {
        served = serving => assert_eq!(served.expect("it ends").unwrap().1.attempts, 1),
        () = client => {}
    }
    drop(reader);
}

#[tokio::test]
async fn two_tools_of_one_name_are_refused() {
    let invoices = || Toolkit::<Invoice>::new().unwrap();
    let (ours, _theirs) = streams();
    let server = Server::new("desk").with(invoices(), |_| ()).with(invoices(), |_| ());
    let error = server.over(ours).await.unwrap_err();
    assert_eq!(
        error.message(),
        "two tools are called `example_invoice`; give the toolkits different names with `Toolkit::named`"
    );
}

#[tokio::test]
async fn a_contract_of_run_time_is_served_too() {
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    let (ours, theirs) = streams();
    let client = async { call(&connect(theirs).await, "submit", json!({"value": 3})).await };
    let (served, _) = tokio::join!(Serving::from(Toolkit::untyped(contract)).over(ours), client);
    assert_eq!(served.unwrap().0, 3);
}
