//! Where an agent's requests go, and the secrets that they carry.

use extract::{
    agent::{
        AgentErrorKind, FinishReason,
        provider::{Keys, ProviderFailure},
    },
    metrics::ReplyOrigin,
};
use serde_json::Value;

use super::provider::ProviderAgent;
use crate::{format::ReplyTransfer, http::Target, profile::KeyHeader, wire::Answer};

/// Shorter values are not looked for, because `Keys` does not redact them.
const SHORTEST_SECRET: usize = 4;

impl ProviderAgent {
    /// Where requests go.
    pub(super) fn target(&self, transfer: ReplyTransfer) -> Result<&Target, ProviderFailure> {
        let kept = match transfer {
            ReplyTransfer::Streamed => &self.kept.stream_target,
            ReplyTransfer::Whole => &self.kept.target,
        };
        if let Some(target) = kept.get() {
            return Ok(target);
        }
        let target = self.target_at(|address| self.profile.wire.url(address, &self.model, transfer))?;
        Ok(kept.get_or_init(|| target))
    }

    /// Returns the target at the URL that `url` makes of the server's address, with the headers of
    /// every request.
    pub(crate) fn target_at(&self, url: impl FnOnce(&str) -> String) -> Result<Target, ProviderFailure> {
        let profile = &self.profile;
        let address = self.address.as_deref().map_err(|name| {
            let message = format!("no address for `{}`: `{name}` is not set", self.name);
            ProviderFailure::new(AgentErrorKind::Unavailable, message)
        })?;
        let mut target = Target::new(&url(address))?;
        match (&self.key, profile.key_header) {
            (Some(key), KeyHeader::Bearer) => {
                target = target.header("authorization", &format!("Bearer {key}"))?;
            }
            (Some(key), KeyHeader::Named(name)) => target = target.header(name, key)?,
            (None, _) if profile.needs_key => {
                let names = profile.key_variables.join("` or `");
                let message = format!("no key for `{}`: `{names}` is not set", self.name);
                return Err(ProviderFailure::new(AgentErrorKind::Unavailable, message));
            }
            (None, _) => {}
        }
        for (name, value) in profile.headers {
            target = target.header(name, value)?;
        }
        for (name, value) in &self.headers {
            target = target.header(name, value)?;
        }
        Ok(target)
    }

    /// Returns the secrets that errors must not show: the key, the values of headers, and those in
    /// the addresses of the server and of proxies.
    pub(crate) fn keys(&self) -> Keys {
        let mut keys = Keys::of_environment();
        self.secrets().for_each(|secret| keys.insert_key(&secret));
        keys
    }

    fn secrets(&self) -> impl Iterator<Item = String> {
        // A key may be repeated without its scheme, as in `Bearer sk-1234`.
        let headers = self.headers.iter().flat_map(|(_, value)| {
            let key = value.split_once(' ').map(|(_, key)| key.trim().to_owned());
            std::iter::once(value.clone()).chain(key)
        });
        let address = self.address.as_deref().ok();
        let addresses = address.into_iter().chain(self.http.proxies().iter().map(String::as_str));
        let addresses = addresses.flat_map(secrets_in_url);
        let all = self.key.iter().map(|key| String::from(&**key)).chain(headers).chain(addresses);
        all.filter(|secret| secret.len() >= SHORTEST_SECRET)
    }

    /// Redacts keys that the server repeats in what it says about the reply. The text and the arguments
    /// of calls are what the caller asked for.
    pub(super) fn redact(&self, answer: &mut Answer) {
        let is_unknown =
            |stop: &&mut String| matches!(self.profile.finish_reason(stop), FinishReason::Interrupted(_));
        let Answer { refusal, note, stops, origin, calls, provider_data, .. } = answer;
        let stops = stops.iter_mut().filter(is_unknown);
        let mut words: Vec<_> = refusal.iter_mut().chain(note).chain(stops).collect();
        let ReplyOrigin { model, response_id, request_id, .. } = origin;
        let mut names: Vec<_> = [model, response_id, request_id].into_iter().flatten().collect();
        names.extend(calls.iter_mut().flat_map(|call| [&mut call.id, &mut call.name]));
        if let Some(data) = provider_data {
            add_strings(data, &mut names);
        }
        // They are in every reply, so the search for all that looks like a key would take too long.
        let secrets: Vec<_> = self.secrets().collect();
        words.extend(names.into_iter().filter(|name| secrets.iter().any(|secret| name.contains(&**secret))));
        if words.is_empty() {
            return;
        }
        let keys = self.keys();
        for text in words {
            *text = keys.redact(text).into_owned();
        }
    }
}

fn add_strings<'v>(value: &'v mut Value, strings: &mut Vec<&'v mut String>) {
    match value {
        Value::String(text) => strings.push(text),
        Value::Array(list) => list.iter_mut().for_each(|item| add_strings(item, strings)),
        Value::Object(members) => members.values_mut().for_each(|member| add_strings(member, strings)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The values of the query, and the login before the `@`. The scheme of a proxy may be missing.
fn secrets_in_url(url: &str) -> Vec<String> {
    let (before, query) = url.split_once('?').unwrap_or((url, ""));
    let values = query.split('&').filter_map(|pair| pair.split_once('=')).map(|(_, value)| value.to_owned());
    let rest = before.split_once("://").map_or(before, |(_, rest)| rest);
    let authority = rest.split('/').next().unwrap_or("");
    let login = authority.rsplit_once('@').map(|(login, _)| login);
    let password = login.and_then(|login| login.split_once(':')).map(|(_, password)| password);
    values.chain(login.map(str::to_owned)).chain(password.map(str::to_owned)).collect()
}
