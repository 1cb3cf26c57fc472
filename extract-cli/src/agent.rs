//! Selects the agent.

pub(crate) mod address;
mod unasked;

use std::{env, path::Path, sync::Arc, time::Duration};

use clap::Arg;
use extract::agent::{Agent, AgentError, BatchAgent};
use extract_agents::CommandAgent;
#[cfg(feature = "providers")]
use extract_agents::{DirectoryBatches, Profile, ProviderAgent, ProviderBatches};

use self::unasked::UnaskedAgent;
#[cfg(feature = "local")]
use crate::error::Exit;
#[cfg(not(all(feature = "providers", feature = "local")))]
use crate::install::install;
use crate::{error::Failure, numbers};

/// Seconds that a program may take for one answer, if nothing else is said.
pub(crate) const COMMAND_SECONDS: u64 = 600;

/// A model of a provider, which other agents are alternatives to.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Agent")]
pub(crate) struct ModelArgs {
    /// Model of a provider, such as openai/gpt-6-luna or ollama/gemma3. Without it: EXTRACT_AGENT, or the default model of
    /// the provider whose key is set
    #[arg(short, long, value_name = "AGENT", group = "who")]
    agent: Option<String>,

    /// Address of a server that speaks like the provider, such as http://localhost:8000/v1/
    #[arg(long, value_name = "URL", requires = "agent")]
    base_url: Option<String>,
}

/// Who is asked, and with which limits.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Agent", mut_arg("agent", any_agent))]
pub(crate) struct AgentArgs {
    #[command(flatten)]
    model: ModelArgs,

    /// Program that takes the prompt on its standard input and prints a reply, such as "claude -p"
    #[arg(short, long, value_name = "PROGRAM ARGS", group = "who")]
    command: Option<String>,

    /// Model in this process, on the CPU; its weights are fetched once
    #[arg(long, group = "who")]
    local: bool,

    /// Seconds that a program may take for one reply, before it is ended. Without it: 600
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    command_timeout: Option<u64>,
}

fn any_agent(agent: Arg) -> Arg {
    agent.help(
        "Model of a provider, such as openai/gpt-6-luna or ollama/gemma3; also local, local:MODEL, or command:PROGRAM ARGS. \
         Without it: EXTRACT_AGENT, or the default model of the provider whose key is set",
    )
}

/// Who is asked, and who takes over.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Agent")]
pub(crate) struct AgentsArgs {
    #[command(flatten)]
    pub(crate) first: AgentArgs,

    /// Agent that takes over when an attempt makes no progress, such as a larger model: provider/model, local, local:MODEL,
    /// or command:PROGRAM ARGS. Several take over in their order. One with the provider of `--agent` is asked at the
    /// `--base-url` too; one of another provider then needs a server of its own: provider/model@URL
    #[arg(long, value_name = "AGENT")]
    then: Vec<String>,

    /// Ask the last agent of `--then` about values with a confidence below this number, from 0 to 1
    #[arg(long, value_name = "NUMBER", requires_all = ["confidence", "then"], value_parser = numbers::share)]
    escalate_below: Option<f64>,
}

/// Agents that take over.
#[derive(Default)]
pub(crate) struct Escalation {
    /// In their order.
    pub(crate) agents: Vec<Box<dyn Agent>>,
    /// Why one of them cannot be asked, if that is known.
    missing_key: Option<String>,
    /// The confidence of a value below which the last one is asked about it.
    pub(crate) below: Option<f64>,
}

impl AgentsArgs {
    /// The option with an agent that takes only text, if there is one.
    pub(crate) fn text_only(&self) -> Option<String> {
        let then = || self.then.iter().find(|name| takes_text_only(name));
        self.first.text_only().or_else(|| then().map(|name| format!("--then {name}")))
    }

    /// The agents that take over.
    pub(crate) fn escalation(&self) -> Result<Escalation, Failure> {
        let mut escalation = Escalation { below: self.escalate_below, ..Escalation::default() };
        for name in &self.then {
            let (agent, missing_key) = self.first.next(name)?;
            escalation.agents.push(agent);
            escalation.missing_key = escalation.missing_key.or(missing_key);
        }
        Ok(escalation)
    }
}

impl Escalation {
    /// Returns the first agent, which is not asked while the key of another one is missing.
    pub(crate) fn checked(&self, agent: Box<dyn Agent>) -> Box<dyn Agent> {
        match self.missing_key.clone() {
            Some(why) => Box::new(UnaskedAgent { agent, why }),
            None => agent,
        }
    }
}

impl AgentArgs {
    /// The selected agent.
    pub(crate) fn agent(&self) -> Result<Box<dyn Agent>, Failure> {
        self.given()?.ok_or_else(|| Failure::usage(NO_AGENT).help(WAYS))
    }

    /// The selected agent; `None` if neither the command line nor the environment names one.
    pub(crate) fn given(&self) -> Result<Option<Box<dyn Agent>>, Failure> {
        match (&self.model.agent, &self.command) {
            (Some(name), _) => {
                if self.model.base_url.is_some() && takes_text_only(name) {
                    return Err(Failure::usage(format!(
                        "`--agent {name}` has no server, and `--base-url` names one"
                    ))
                    .help("give `--agent provider/model`, or leave `--base-url` away"));
                }
                named("--agent", name, self.model.base_url.as_deref(), self.limit()).map(Some)
            }
            (_, Some(command)) => program("--command", command, self.limit()).map(Some),
            _ if self.local => local("").map(Some),
            _ => default(self.limit()),
        }
    }

    /// The agent that `--then` names, and why it cannot be asked if its key is missing.
    #[cfg(feature = "providers")]
    fn next(&self, name: &str) -> Result<(Box<dyn Agent>, Option<String>), Failure> {
        if takes_text_only(name) {
            return Ok((named(THEN, name, None, self.limit())?, None));
        }
        let first = self.model.agent.as_deref().zip(self.model.base_url.as_deref());
        let (model, address) = address::of_next(name, first)?;
        let agent = provider_agent(THEN, model, address)?;
        let missing_key = address::missing_key(&agent);
        Ok((Box::new(agent), missing_key))
    }

    #[cfg(not(feature = "providers"))]
    fn next(&self, name: &str) -> Result<(Box<dyn Agent>, Option<String>), Failure> {
        Ok((named(THEN, name, None, self.limit())?, None))
    }

    /// The option with the agent, if it takes only text.
    fn text_only(&self) -> Option<String> {
        let program = self.command.as_ref().map(|command| format!("--command {command}"));
        let agent = || self.model.agent.iter().find(|name| takes_text_only(name));
        program
            .or_else(|| self.local.then(|| "--local".to_owned()))
            .or_else(|| agent().map(|name| format!("--agent {name}")))
    }

    fn limit(&self) -> Duration {
        Duration::from_secs(self.command_timeout.unwrap_or(COMMAND_SECONDS))
    }

    /// Where the requests to the selected agent go as files.
    pub(crate) fn batches(&self, folder: Option<&Path>) -> Result<Arc<dyn BatchAgent>, Failure> {
        if self.command.is_some() || self.local { Err(no_files()) } else { self.model.batches(folder) }
    }
}

impl ModelArgs {
    /// Where the requests to the selected agent go as files: to its provider, or to a folder.
    #[cfg(feature = "providers")]
    pub(crate) fn batches(&self, folder: Option<&Path>) -> Result<Arc<dyn BatchAgent>, Failure> {
        let agent = match &self.agent {
            Some(name) if takes_text_only(name) => return Err(no_files()),
            Some(name) => provider_agent("--agent", name, self.base_url.as_deref())?,
            None if variable().is_some_and(|name| takes_text_only(&name)) => return Err(no_files()),
            None => default_agent()?.ok_or_else(|| Failure::usage(NO_AGENT).help(WAYS))?,
        };
        let batches = match folder {
            None => ProviderBatches::new(agent).map(|batches| Arc::new(batches) as _),
            Some(folder) => DirectoryBatches::new(agent, folder).map(|batches| Arc::new(batches) as _),
        };
        batches
            .map_err(|error| unavailable(&error).help("`--batch-folder` is for any server that reads files"))
    }

    #[cfg(not(feature = "providers"))]
    #[allow(clippy::unused_self, reason = "as with the feature")]
    pub(crate) fn batches(&self, _: Option<&Path>) -> Result<Arc<dyn BatchAgent>, Failure> {
        Err(without_providers())
    }
}

/// The failure of batches of an agent that does not take files of requests.
fn no_files() -> Failure {
    Failure::usage("batches are for models of providers")
        .help("give `--agent provider/model` instead of a program or the local model")
}

/// Returns the agent that an option names: provider/model, local, local:MODEL, or command:PROGRAM ARGS.
pub(crate) fn named(
    option: &str,
    name: &str,
    base_url: Option<&str>,
    limit: Duration,
) -> Result<Box<dyn Agent>, Failure> {
    match (name.strip_prefix(PROGRAM), local_model(name)) {
        (Some(command), _) => program(&format!("{option} {PROGRAM}"), command, limit),
        (None, Some(model)) => local(model),
        (None, None) => provider(option, name, base_url),
    }
}

/// Returns whether the agent with this name takes only text: a program, or the model in the process.
fn takes_text_only(name: &str) -> bool {
    name.starts_with(PROGRAM) || local_model(name).is_some()
}

/// Returns the model that `local:MODEL` names, empty for `local`; `None` for any other agent.
fn local_model(name: &str) -> Option<&str> {
    let model = name.strip_prefix(LOCAL)?;
    if model.is_empty() { Some(model) } else { model.strip_prefix(':') }
}

fn program(option: &str, command: &str, limit: Duration) -> Result<Box<dyn Agent>, Failure> {
    let words = shlex::split(command)
        .ok_or_else(|| Failure::usage(format!("`{option} {command}` has a quote that does not end")))?;
    let Some((program, args)) = words.split_first() else {
        // What follows `command:` is in the same word.
        let example = match option.strip_suffix(PROGRAM) {
            Some(option) => format!("{option}'{PROGRAM}claude -p'"),
            None => format!("{option} 'claude -p'"),
        };
        let failure = Failure::usage(format!("`{option}` names no program"));
        return Err(failure.help(format!("for example: {example}")));
    };
    Ok(Box::new(CommandAgent::new(program).args(args).timeout(limit)))
}

/// The option of the agents that take over.
const THEN: &str = "--then";

/// How `--then` names a program, and the model in the process.
const PROGRAM: &str = "command:";
const LOCAL: &str = "local";

/// An agent for runs that ask nobody.
pub(crate) fn nobody() -> Box<dyn Agent> {
    Box::new(|_: String| async { Err::<String, _>(AgentError::unavailable(NO_AGENT)) })
}

const NO_AGENT: &str = "no agent is given";

/// The ways to name an agent.
const WAYS: &str = "give `--agent provider/model` with the key of the provider in the environment (OPENAI_API_KEY, \
                    ANTHROPIC_API_KEY, GEMINI_API_KEY, OLLAMA_HOST), or `--command 'program args'`, or `--local`";

#[cfg(feature = "providers")]
fn provider(option: &str, model: &str, base_url: Option<&str>) -> Result<Box<dyn Agent>, Failure> {
    provider_agent(option, model, base_url).map(|agent| Box::new(agent) as _)
}

#[cfg(feature = "providers")]
fn provider_agent(option: &str, model: &str, base_url: Option<&str>) -> Result<ProviderAgent, Failure> {
    if !model.contains('/') {
        return Err(without_provider(option, model));
    }
    let agent = match base_url {
        None => ProviderAgent::new(model),
        Some(url) => ProviderAgent::at(url, model),
    };
    agent.map_err(|error| match meant(model) {
        Some(name) => unavailable(&error).help(format!("did you mean `{name}`?")),
        None => unavailable(&error),
    })
}

/// The name of a model whose provider is misspelled by one or two letters, as it may be meant.
#[cfg(feature = "providers")]
fn meant(model: &str) -> Option<String> {
    let (provider, model) = model.split_once('/')?;
    let distance = |profile: &Profile| strsim::damerau_levenshtein(provider, profile.name);
    let nearest = Profile::ALL.into_iter().min_by_key(|profile| distance(profile))?;
    (1..=2).contains(&distance(&nearest)).then(|| format!("{}/{model}", nearest.name))
}

/// The agent that the environment names.
#[cfg(feature = "providers")]
fn default(limit: Duration) -> Result<Option<Box<dyn Agent>>, Failure> {
    match variable().filter(|name| takes_text_only(name)) {
        Some(name) => named(VARIABLE, &name, None, limit).map(Some),
        None => Ok(default_agent()?.map(|agent| Box::new(agent) as _)),
    }
}

#[cfg(feature = "providers")]
fn default_agent() -> Result<Option<ProviderAgent>, Failure> {
    match variable() {
        Some(model) => provider_agent(VARIABLE, &model, None).map(Some),
        None => match ProviderAgent::from_env().map_err(|error| unavailable(&error))? {
            Some(agent) => provider_agent(VARIABLE, &agent.name(), None).map(Some),
            None => Ok(None),
        },
    }
}

fn variable() -> Option<String> {
    env::var(VARIABLE).ok().filter(|name| !name.trim().is_empty())
}

/// The variable that names the agent where the command line does not.
const VARIABLE: &str = "EXTRACT_AGENT";

/// How the models of some providers begin, whose names say whose they are.
#[cfg(feature = "providers")]
const BEGINNINGS: [(&str, &str); 7] = [
    ("gpt-", "openai"),
    ("claude-", "anthropic"),
    ("gemini-", "gemini"),
    ("grok-", "xai"),
    ("command-", "cohere"),
    ("deepseek-", "deepseek"),
    ("kimi-", "kimi"),
];

/// The failure of a model without its provider, with the names that may be meant. To guess one would
/// send documents to whoever has a model of that name.
#[cfg(feature = "providers")]
fn without_provider(option: &str, model: &str) -> Failure {
    let names = match BEGINNINGS.iter().find(|(start, _)| model.starts_with(start)) {
        Some((_, provider)) => format!("`{provider}/{model}`"),
        None => format!("`openai/{model}` or `ollama/{model}`"),
    };
    let known = Profile::ALL.map(|profile| profile.name).join(", ");
    Failure::usage(format!("`{option} {model}` names no provider"))
        .help(format!("write it as provider/model, such as {names}; the providers are {known}"))
}

#[cfg(not(feature = "providers"))]
fn provider(_: &str, _: &str, _: Option<&str>) -> Result<Box<dyn Agent>, Failure> {
    Err(without_providers())
}

#[cfg(not(feature = "providers"))]
fn without_providers() -> Failure {
    Failure::usage("this program was built without providers").help(concat!(
        "install it with `",
        install!("providers"),
        "`, or give `--command`"
    ))
}

/// The agent that the environment names.
#[cfg(not(feature = "providers"))]
fn default(limit: Duration) -> Result<Option<Box<dyn Agent>>, Failure> {
    variable().map(|name| named(VARIABLE, &name, None, limit)).transpose()
}

/// The model of this name or path; without a name, the usual one.
#[cfg(feature = "local")]
fn local(model: &str) -> Result<Box<dyn Agent>, Failure> {
    let builder = extract_local::LocalModel::builder();
    match if model.is_empty() { builder } else { builder.model(model) }.build() {
        Ok(model) => Ok(Box::new(model)),
        Err(error) => Err(Failure::new(Exit::Agent, format!("the local model cannot be used: {error}"))),
    }
}

#[cfg(not(feature = "local"))]
fn local(_: &str) -> Result<Box<dyn Agent>, Failure> {
    Err(Failure::usage("this program was built without the local model")
        .help(concat!("install it with: ", install!("local"))))
}

/// The failure of a model or server that does not exist.
#[cfg(feature = "providers")]
fn unavailable(error: &AgentError) -> Failure {
    Failure::usage(error.message())
}
