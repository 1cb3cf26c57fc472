//! Details of a server's answer besides the reply.

use std::fmt;

use extract::agent::Reply;

/// Details of a server's answer besides its reply, for
/// [`ProviderAgent::observe`](crate::ProviderAgent::observe).
#[non_exhaustive]
pub struct Answered<'a> {
    /// The HTTP status.
    pub status: u16,
    /// The headers that are text, with their names in lower case. The limits of a rate are among
    /// them, such as `x-ratelimit-remaining-tokens`.
    pub headers: Vec<(&'a str, &'a str)>,
    /// The body of the request.
    pub request: &'a [u8],
    /// The reply, with its cost and log probabilities, if the server reported them.
    pub reply: &'a Reply,
}

/// Headers and the request are not shown.
impl fmt::Debug for Answered<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answered")
            .field("status", &self.status)
            .field("cost", &self.reply.reported_cost())
            .finish_non_exhaustive()
    }
}

impl Answered<'_> {
    /// Returns the value of the first header of this name, in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}
