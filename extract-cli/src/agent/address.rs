//! At which server an agent of a provider is asked, and with which key.

use std::env;

#[cfg(feature = "providers")]
use extract::Agent as _;
#[cfg(feature = "providers")]
use extract_agents::{Profile, ProviderAgent};

#[cfg(feature = "providers")]
use crate::error::Failure;

fn provider(model: &str) -> &str {
    model.split('/').next().unwrap_or_default().trim()
}

/// Returns a variable of this process; `None` if it is empty.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// The address that the environment has for the provider of `model`.
#[cfg(feature = "providers")]
fn of_environment(model: &str) -> Option<String> {
    Profile::find(provider(model))?.address_of_environment()
}

#[cfg(not(feature = "providers"))]
fn of_environment(_: &str) -> Option<String> {
    None
}

/// The address that is given for `model`, or else that of the environment; `None` for the one in the profile.
pub(crate) fn of(model: &str, base_url: Option<&str>) -> Option<String> {
    base_url.map(str::to_owned).or_else(|| of_environment(model))
}

/// Separates the address from `provider/model@https://…`.
#[cfg(feature = "providers")]
fn separated(name: &str) -> (&str, Option<&str>) {
    let at = ["@http://", "@https://"].into_iter().filter_map(|start| name.find(start)).min();
    at.map_or((name, None), |at| (&name[..at], Some(&name[at + 1..])))
}

/// Returns model and address of an agent of `--then`. `first` has those of `--agent`, if there is a `--base-url`:
/// whoever names a server for one agent must not find the documents at another one by surprise.
#[cfg(feature = "providers")]
pub(super) fn of_next<'n>(
    name: &'n str,
    first: Option<(&str, &'n str)>,
) -> Result<(&'n str, Option<&'n str>), Failure> {
    let (model, address) = separated(name);
    let (Some((first, base_url)), None) = (first, address) else { return Ok((model, address)) };
    let (Some(profile), Some(of_first)) = (Profile::find(provider(model)), Profile::find(provider(first)))
    else {
        return Ok((model, None));
    };
    if profile.address == of_first.address {
        return Ok((model, Some(base_url)));
    }
    if of_environment(model).is_some() {
        return Ok((model, None));
    }
    let address = if profile.address.contains('{') { "http://…" } else { profile.address };
    Err(Failure::usage(format!("`--base-url` is for `{first}`, and `--then {model}` has another provider"))
        .help(format!("name its server too: `--then {model}@{address}`")))
}

/// Returns why an agent cannot be asked for want of a key.
#[cfg(feature = "providers")]
pub(super) fn missing_key(agent: &ProviderAgent) -> Option<String> {
    let Profile { needs_key, key_variables, .. } = agent.profile();
    let is_missing = *needs_key && key_variables.iter().all(|name| variable(name).is_none());
    let names = || key_variables.join("` or `");
    is_missing.then(|| format!("no key for `{}`: `{}` is not set", agent.name(), names()))
}
