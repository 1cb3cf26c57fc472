//! The schemas of contracts in the form for one server, each translated once.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use crate::{format::WireFormat, profile::SchemaSupport, wire::Offered};

/// Maximum cached schemas: one for each contract in use.
const KEPT: usize = 16;

type Translated = Option<Result<Arc<Offered>, Arc<str>>>;

/// Translated schemas, by the address of the original, which is kept with them.
#[derive(Default)]
pub(super) struct Schemas(Mutex<Vec<(Arc<Value>, Translated)>>);

impl Schemas {
    /// Returns `schema` in the form for the server: `None` if it takes none, and the reason if it
    /// cannot be expressed.
    pub(super) fn offered(
        &self,
        schema: &Arc<Value>,
        wire: WireFormat,
        support: &SchemaSupport,
    ) -> Translated {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, offered)) = known.iter().find(|(original, _)| Arc::ptr_eq(original, schema)) {
            return offered.clone();
        }
        let offered = support.offer(schema).map(|projection| match projection {
            Ok(projection) => Ok(Arc::new(Offered::new(wire, support, schema, projection))),
            Err(reason) => Err(reason.into()),
        });
        if known.len() == KEPT {
            known.remove(0);
        }
        known.push((Arc::clone(schema), offered.clone()));
        offered
    }
}
