//! The function that the queries call.

use std::{error::Error, net::SocketAddr, path::Path, sync::Arc};

use datafusion::logical_expr::ScalarUDF;
use extract::{Contract, Extractable, Extractor};
use extract_datafusion::{ExtractFunction, Job};
use object_store::local::LocalFileSystem;
use serde::Deserialize;

use crate::model;

/// Texts that one process asks about at once. The provider's limit applies to all executors
/// together, so each gets its share.
pub const CONCURRENT: usize = 8;

#[derive(Deserialize, Extractable)]
struct Invoice {
    number: String,
    total: u32,
}

/// `extract_invoice(text)`, which asks the model at `address`. Scheduler, executors and client have
/// the same function. The scheduler and the executors find it by its name in the plan that the
/// client sends.
///
/// The executors share their answers in the folder `shared`; on several machines that is a bucket
/// of an object store.
pub fn extract_invoice(address: SocketAddr, shared: &Path) -> Result<ScalarUDF, Box<dyn Error>> {
    let contract = Contract::of::<Invoice>()?;
    let extractor = Extractor::new().max_attempts(1);
    let store = Arc::new(LocalFileSystem::new_with_prefix(shared)?);
    let job =
        Job::new(contract, model::agent(address), extractor, CONCURRENT).shared(store, &"answers".into());
    Ok(ExtractFunction::new("extract_invoice", job).into_udf())
}
