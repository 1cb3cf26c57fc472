//! Contracts that are narrowed before they are served.

use extract::{Extractable, ExtractionError, at};
use serde::Deserialize;

/// A letter from a customer.
#[derive(Debug, Deserialize, Extractable)]
struct Ticket {
    /// What it is about.
    #[extract(example = "an old category")]
    category: String,
}

#[tokio::test]
async fn a_server_that_cannot_be_narrowed_serves_nobody() {
    let (ours, _theirs) = tokio::io::duplex(1 << 10);
    let serving = extract_mcp::serve::<Ticket>()
        .one_of(at!(Ticket, category), ["billing"])
        .describe(at!(Ticket, category), "The subject.")
        .one_of(at!(Ticket, category), ["delivery"]);
    let error = serving.over(ours).await.unwrap_err();
    assert!(matches!(error, ExtractionError::Narrowing(_)), "{error}");
}
