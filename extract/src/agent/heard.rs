//! Who hears a reply while it is written.

use std::fmt;

use super::{Agent, Request, Responding};

/// A piece of a reply that is being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Piece<'a> {
    /// What was written since the piece before; never empty.
    pub text: &'a str,
    /// Whether a reply starts with it. Pieces of before, if there are any, are of a reply that failed on its way, and
    /// are void.
    pub is_first: bool,
}

/// Who is told the text of a reply piece by piece, while [`Agent::stream`] writes it.
///
/// ```
/// use extract::agent::{Agent, Conversation, Heard, Request};
/// use extract::testing::{ScriptedAgent, block_on};
///
/// let agent = ScriptedAgent::new(["[8]"]).telling(["[", "8"]);
/// let request = Request::new(Conversation::new());
/// let mut pieces = Vec::new();
/// let heard = Heard::new(|piece| pieces.push(piece.text.to_owned()));
/// let reply = block_on(agent.stream(&request, heard))?;
/// assert_eq!(reply.text(), "[8]");
/// assert_eq!(pieces, ["[", "8", "]"]);
/// # Ok::<(), extract::agent::AgentError>(())
/// ```
pub struct Heard<'a> {
    // In a box it can be given on for a shorter time, which a reference to it could not.
    listener: Box<dyn FnMut(Piece<'_>) + Send + 'a>,
    is_first: bool,
}

impl<'a> Heard<'a> {
    /// Tells `listener`, for one reply.
    pub fn new(listener: impl FnMut(Piece<'_>) + Send + 'a) -> Self {
        Self { listener: Box::new(listener), is_first: true }
    }

    /// Tells what was written since it was last called. No text at all is no piece.
    pub fn tell(&mut self, text: &str) {
        if !text.is_empty() {
            (self.listener)(Piece { text, is_first: std::mem::take(&mut self.is_first) });
        }
    }

    /// The same listener for a reply that starts anew, such as that of another try or of another agent. Its first piece makes all
    /// void that was told until now.
    pub fn anew(&mut self) -> Heard<'_> {
        Heard::new(&mut self.listener)
    }
}

impl fmt::Debug for Heard<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Heard").field("is_first", &self.is_first).finish_non_exhaustive()
    }
}

/// Asks `agent` as ever, and tells its reply as one piece when it is there.
pub(crate) fn in_one_piece<'a, A: Agent + ?Sized>(
    agent: &'a A,
    request: &'a Request,
    mut heard: Heard<'a>,
) -> Responding<'a> {
    Box::pin(async move {
        let reply = agent.respond(request).await?;
        heard.tell(reply.text());
        Ok(reply)
    })
}

/// Asks `agent`, and has it heard where there is somebody to hear it.
pub(crate) fn put<'a, A: Agent + ?Sized>(
    agent: &'a A,
    request: &'a Request,
    heard: Option<Heard<'a>>,
) -> Responding<'a> {
    match heard {
        None => agent.respond(request),
        Some(heard) => agent.stream(request, heard),
    }
}
