//! The crate `instructors`.

use instructors::{Client, ValidationError};

use crate::order::{Order, first_violation};

pub(crate) struct Asker(Client);

impl Asker {
    pub(crate) fn new(url: &str) -> Self {
        Self(Client::openai_compatible("a key", url.trim_end_matches('/')).with_model(crate::MODEL))
    }

    /// The first attempt is not a retry.
    pub(crate) async fn ask(&self, attempts: u32) -> Result<Order, String> {
        let asking = self.0.extract(crate::PROMPT).max_retries(attempts - 1);
        let asking = asking.validate(|order| match first_violation(order) {
            Some(message) => Err(ValidationError::from(message)),
            None => Ok(()),
        });
        asking.await.map(|answer| answer.value).map_err(|error| error.to_string())
    }
}
