//! A web service with axum: a request becomes a value, an error becomes a status, and a monitor reads what it all took.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use axum::{
    Json, Router,
    body::{Body, to_bytes},
    extract::State,
    http::{Request, StatusCode},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use extract::{
    Agent, Extractable, ExtractionError, Extractor, metrics::ExtractionMetrics, testing::ScriptedAgent,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tower::ServiceExt as _;

#[derive(Serialize, Deserialize, Extractable)]
struct Ticket {
    #[extract(one_of = ["billing", "delivery", "other"])]
    category: String,
    summary: String,
}

/// State shared by all requests.
struct Service {
    agent: Box<dyn Agent>,
    extractor: Extractor,
    totals: Totals,
}

#[derive(Default)]
struct Totals {
    accepted: AtomicU64,
    failed: AtomicU64,
    attempts: AtomicU64,
    tokens: AtomicU64,
}

impl Totals {
    fn add(&self, outcomes: &AtomicU64, metrics: &ExtractionMetrics) {
        outcomes.fetch_add(1, Relaxed);
        self.attempts.fetch_add(metrics.attempts.into(), Relaxed);
        self.tokens.fetch_add(metrics.usage.total(), Relaxed);
    }
}

/// A failed extraction costs tokens too, so its metrics count.
async fn read(State(service): State<Arc<Service>>, mail: String) -> Result<Json<Ticket>, Failed> {
    // If the client disconnects, axum drops this future, which cancels the request to the model.
    let extraction = Ticket::extract(&service.agent, mail).with(&service.extractor);
    let totals = &service.totals;
    match extraction.await {
        Ok((ticket, metrics)) => {
            totals.add(&totals.accepted, &metrics);
            Ok(Json(ticket))
        }
        Err(error) => {
            totals.add(&totals.failed, error.metrics());
            Err(Failed(error))
        }
    }
}

struct Failed(ExtractionError);

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        let status = match &self.0 {
            ExtractionError::Agent { .. } => StatusCode::BAD_GATEWAY,
            ExtractionError::DeadlineExceeded { .. } => StatusCode::GATEWAY_TIMEOUT,
            // The model could not turn this mail into a ticket.
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        };
        let wrong: Vec<String> = self.0.violations().iter().map(ToString::to_string).collect();
        (status, Json(json!({ "error": self.0.name(), "wrong": wrong }))).into_response()
    }
}

/// In the text format of Prometheus.
async fn metrics(State(service): State<Arc<Service>>) -> String {
    let Totals { accepted, failed, attempts, tokens } = &service.totals;
    let lines = [
        ("extractions_total{outcome=\"accepted\"}", accepted),
        ("extractions_total{outcome=\"failed\"}", failed),
        ("extraction_attempts_total", attempts),
        ("extraction_tokens_total", tokens),
    ];
    lines.map(|(name, total)| format!("{name} {}\n", total.load(Relaxed))).concat()
}

fn app(agent: impl Agent + 'static) -> Router {
    let extractor = Extractor::new().max_attempts(2);
    let service = Service { agent: Box::new(agent), extractor, totals: Totals::default() };
    Router::new().route("/tickets", post(read)).route("/metrics", get(metrics)).with_state(Arc::new(service))
}

/// Calls the service without a network, as a test would. In production:
/// `axum::serve(listener, app(agent))`.
async fn call(app: &Router, request: Request<Body>) -> Result<(), Box<dyn std::error::Error>> {
    println!("{} {}", request.method(), request.uri());
    let response = app.clone().oneshot(request).await?;
    println!("{}", response.status());
    println!("{}\n", String::from_utf8(to_bytes(response.into_body(), 10_000).await?.into())?.trim_end());
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wrong = r#"{"category": "invoices", "summary": "charged twice"}"#;
    let right = r#"{"category": "billing", "summary": "charged twice"}"#;
    let app = app(ScriptedAgent::new([wrong, right, wrong, wrong]));
    for mail in ["I was charged twice!", "And again!"] {
        call(&app, Request::post("/tickets").body(mail.into())?).await?;
    }
    call(&app, Request::get("/metrics").body(Body::empty())?).await
}
