//! Prevents tests from asking real agents by accident.
//!
//! Agents that cost money or act outside the process call [`check`] before every request: providers
//! and programs (package `extractable-agents`), and the models and agents of rig (package
//! `extractable-rig`). If it fails, they refuse.
//!
//! The in-process model (`extractable-local`) does not call it, because it costs nothing and
//! contacts nobody. Closures and your own agents are guarded only if they call [`check`]
//! themselves.
//!
//! The first of these that is set decides:
//!
//! 1. the variable `EXTRACT_ALLOW_REAL_AGENTS`: `0` denies, `1` allows
//! 2. the last call of [`deny_real_agents`] or [`allow_real_agents`], for the whole process
//! 3. otherwise real agents are allowed
//!
//! To guard all tests of a project, put this into its `.cargo/config.toml`. A variable that is
//! already set takes precedence, so `EXTRACT_ALLOW_REAL_AGENTS=1 cargo test` allows real agents for
//! one run, for example to record a [`Cassette`](crate::testing::Cassette). Programs started by
//! `cargo run` see the variable too.
//!
//! ```toml
//! [env]
//! EXTRACT_ALLOW_REAL_AGENTS = "0"
//! ```

use std::sync::atomic::{AtomicBool, Ordering};

use super::AgentError;
use crate::vocabulary::text::cut;

const VARIABLE: &str = "EXTRACT_ALLOW_REAL_AGENTS";

static DENIED: AtomicBool = AtomicBool::new(false);

/// Makes real agents refuse in this process, unless `EXTRACT_ALLOW_REAL_AGENTS=1` is set.
///
/// ```
/// extract::testing::deny_real_agents();
/// # if std::env::var_os("EXTRACT_ALLOW_REAL_AGENTS").is_none() {
/// let error = extract::testing::guard::check("openai/some-model").unwrap_err();
/// assert!(error.to_string().starts_with("request refused: `openai/some-model` is a real agent"));
/// # }
/// ```
pub fn deny_real_agents() {
    DENIED.store(true, Ordering::SeqCst);
}

/// Undoes [`deny_real_agents`], for the whole process.
pub fn allow_real_agents() {
    DENIED.store(false, Ordering::SeqCst);
}

/// Checks whether the real agent `name` may be asked; the module documentation lists what decides.
///
/// # Errors
///
/// [`Refused`](crate::agent::AgentErrorKind::Refused) if it may not, or if the variable is neither
/// `0` nor `1`.
pub fn check(name: &str) -> Result<(), AgentError> {
    let variable = std::env::var_os(VARIABLE);
    let variable = variable.as_ref().map(|value| value.to_string_lossy());
    decide(variable.as_deref(), DENIED.load(Ordering::SeqCst)).map_err(|why| {
        AgentError::refused(format!(
            "`{name}` is a real agent, and {why}; use `testing::ScriptedAgent` or replay a \
             `testing::Cassette`, or set `{VARIABLE}=1`"
        ))
    })
}

fn decide(variable: Option<&str>, is_denied: bool) -> Result<(), String> {
    match variable.map(str::trim) {
        Some("0") => Err(format!("`{VARIABLE}=0` denies them")),
        None | Some("") if is_denied => Err("`deny_real_agents` denied them".to_owned()),
        Some("1" | "") | None => Ok(()),
        Some(other) => Err(format!("`{VARIABLE}` is neither 0 nor 1 but `{}`", cut(other, 20))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_goes_before_the_code() {
        for (variable, is_denied, is_allowed) in [
            (None, false, true),
            (None, true, false),
            (Some(""), true, false),
            (Some(""), false, true),
            (Some("1"), true, true),
            (Some("0"), false, false),
            (Some("yes"), false, false),
        ] {
            let decision = decide(variable, is_denied);
            assert_eq!(decision.is_ok(), is_allowed, "{variable:?} {is_denied}: {decision:?}");
        }
    }
}
