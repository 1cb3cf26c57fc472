//! Who of several agents behind one wrote what is shown again, and what the others are shown.

use std::{borrow::Cow, fmt, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Conversation, Request};

/// One of two agents behind one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Branch {
    First,
    Second,
}

/// The way to the agent that wrote a reply, from the outside in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Route {
    pub(crate) branch: Branch,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rest: Option<Box<Route>>,
}

/// A request for those who have not written what its conversation shows again: without sensitive values.
#[derive(Clone)]
pub(crate) struct Retold {
    /// Who has written it; `None` where that is not known, so that nobody is shown it.
    pub(crate) author: Option<Box<Route>>,
    pub(crate) conversation: Conversation,
    pub(crate) schema: Option<Arc<Value>>,
}

impl fmt::Debug for Retold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Retold")
    }
}

impl Request {
    /// The request as the agent at `branch` is asked it.
    pub(crate) fn for_branch(&self, branch: Branch) -> Cow<'_, Self> {
        let Some(retold) = self.retold.as_deref() else { return Cow::Borrowed(self) };
        let author = retold.author.as_ref().filter(|author| author.branch == branch);
        Cow::Owned(match author {
            Some(author) => {
                let retold = Retold { author: author.rest.clone(), ..retold.clone() };
                Self { retold: Some(Arc::new(retold)), ..self.clone() }
            }
            None => Self {
                conversation: retold.conversation.clone(),
                schema: retold.schema.clone(),
                retold: None,
                ..self.clone()
            },
        })
    }

    /// Keeps the conversation as it is for all but `author`, before what that one wrote is added to it.
    pub(crate) fn keep_for_others(&mut self, author: Option<Box<Route>>) {
        let (conversation, schema) = match self.retold.as_deref() {
            Some(retold) => (&retold.conversation, &retold.schema),
            None => (&self.conversation, &self.schema),
        };
        let retold = Retold { author, conversation: conversation.clone(), schema: schema.clone() };
        self.retold = Some(Arc::new(retold));
    }
}
