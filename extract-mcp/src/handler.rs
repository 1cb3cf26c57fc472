//! The handler of the protocol: lists the tools, and queues calls to them.

use std::sync::Arc;

use extract::toolkit::{ReceivedCall, Tool, ToolCall, ToolResult};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, JsonObject,
        ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool as McpTool,
        ToolAnnotations,
    },
    service::RequestContext,
};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use crate::served::{QueuedCall, ServedToolkit};

/// Maximum number of queued calls; a client with more calls has to wait.
const QUEUE: usize = 16;

/// Maximum characters of an unknown tool's name that a message repeats.
const MAX_NAME_CHARS: usize = 160;

/// The handler of one client. Cheap to clone.
#[derive(Clone)]
pub(super) struct ToolHandler {
    shared: Arc<SharedHandler>,
    calls: mpsc::Sender<QueuedCall>,
}

struct SharedHandler {
    config: ServerConfig,
    tools: Vec<(usize, McpTool)>,
}

impl ToolHandler {
    /// The handler of `toolkits`, and the receiver of its calls.
    pub(super) fn new(
        name: &str,
        toolkits: &[Box<dyn ServedToolkit + '_>],
    ) -> (Self, mpsc::Receiver<QueuedCall>) {
        let (sender, receiver) = mpsc::channel(QUEUE);
        let tools: Vec<_> = toolkits
            .iter()
            .enumerate()
            .flat_map(|(toolkit, served)| served.tools().into_iter().map(move |tool| (toolkit, to_mcp(tool))))
            .collect();
        let config = ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(name, env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS);
        (Self { shared: Arc::new(SharedHandler { config, tools }), calls: sender }, receiver)
    }
}

const INSTRUCTIONS: &str = "Takes structured values. Read what the user gave you, and submit the value with the tool whose \
    name begins with `submit`. When something is wrong with it, every violation is listed with its path: fix all of them \
    and submit again.";

fn to_mcp(tool: Tool) -> McpTool {
    let annotations = ToolAnnotations::with_title(&tool.title)
        .read_only(tool.is_read_only)
        .destructive(false)
        .idempotent(tool.is_read_only)
        .open_world(false);
    McpTool::new(tool.name, tool.description, object(tool.input_schema))
        .with_title(tool.title)
        .with_raw_output_schema(Arc::new(object(tool.output_schema)))
        .with_annotations(annotations)
}

fn object(schema: Value) -> JsonObject {
    match schema {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}

impl ServerHandler for ToolHandler {
    fn get_info(&self) -> ServerConfig {
        self.shared.config.clone()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.shared.tools.iter().map(|(_, tool)| tool.clone()).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    fn get_tool(&self, name: &str) -> Option<McpTool> {
        self.shared.tools.iter().find(|(_, tool)| tool.name == name).map(|(_, tool)| tool.clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some((toolkit, _)) = self.shared.tools.iter().find(|(_, tool)| tool.name == request.name) else {
            return Err(ErrorData::invalid_params(unknown_tool(&request.name), None));
        };
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let call = ReceivedCall::from(ToolCall::new(request.name, arguments)).by(client(&context));
        let (answer, result) = oneshot::channel();
        if self.calls.send(QueuedCall { toolkit: *toolkit, call, answer }).await.is_err() {
            return Ok(CallToolResult::error(vec![ContentBlock::text(ENDED)]).into());
        }
        tokio::select! {
            biased;
            result = result => Ok(match result {
                Ok(result) => to_result(result),
                Err(_) => CallToolResult::error(vec![ContentBlock::text(ENDED)]),
            }.into()),
            () = context.ct.cancelled() => Err(ErrorData::internal_error("the call was cancelled", None)),
        }
    }
}

/// The name is the client's own text, so it is quoted and cut.
fn unknown_tool(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let start: String = name.chars().take(MAX_NAME_CHARS).collect();
    if start.chars().all(is_plain) && !start.is_empty() {
        format!("there is no tool `{start}`")
    } else {
        format!("there is no tool {start:?}")
    }
}

const ENDED: &str = "The server has ended; this call was ignored. No further action is needed.";

fn to_result(result: ToolResult) -> CallToolResult {
    let content = vec![ContentBlock::text(result.text)];
    let mut sent =
        if result.is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    sent.structured_content = Some(result.structured).filter(|structured| !structured.is_null());
    sent
}

/// `name version`, as the client gives them.
fn client(context: &RequestContext<RoleServer>) -> String {
    context.client_info().map(|client| format!("{} {}", client.name, client.version)).unwrap_or_default()
}
