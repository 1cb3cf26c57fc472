//! Programs as agents.

mod failure;
mod output;
mod pipes;
mod run;
#[cfg(all(test, unix))]
mod tests;

use std::{
    borrow::Cow,
    ffi::{OsStr, OsString},
    fmt, io,
    path::{Path, PathBuf},
    time::Duration,
};

use extract::agent::{Agent, AgentError, Capabilities, Reply, ReplyFuture, Request, guard, provider::Keys};
use sha2::{Digest as _, Sha256};
use tokio::process::Command;

use self::{output::OutputPointers, run::Outcome};

/// Any program that takes a prompt and prints a reply. Feature `command`.
///
/// The program is started for each request, without a shell: no argument is split, expanded or
/// executed. It gets the whole conversation as one string
/// ([`Conversation::to_text`](extract::agent::Conversation::to_text)) on its standard input or as an
/// argument, and its standard output is the reply. The rest of a [`Request`] is ignored: set length
/// and temperature with the program's own arguments.
///
/// ```no_run
/// use extract::Contract;
/// use extract_agents::CommandAgent;
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let agent = CommandAgent::new("llm").args(["--model", "gpt-4o-mini", "--no-stream"]);
/// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
/// let (answer, metrics) = contract.extract(&agent, "How many legs has a spider?").await?;
/// println!("{answer} ({metrics})");
/// # Ok(())
/// # }
/// ```
///
/// # Programs
///
/// | program | agent |
/// |---|---|
/// | [Claude Code](https://code.claude.com/docs/en/headless) | `CommandAgent::new("claude").arg("-p")` |
/// | the same, with usage and failures | `.args(["-p", "--output-format", "json"]).reply_at("/result").failure_at("/is_error")`, `.input_tokens_at("/usage/input_tokens").output_tokens_at("/usage/output_tokens")`; tokens from its cache are counted apart, so add `.input_tokens_at("/usage/cache_read_input_tokens")` and `.input_tokens_at("/usage/cache_creation_input_tokens")` |
/// | [Codex](https://developers.openai.com/codex/noninteractive) | `CommandAgent::new("codex").args(["exec", "-"])`: prints the final message alone to its standard output |
/// | [llm](https://llm.datasette.io) | `CommandAgent::new("llm").arg("--no-stream")` |
/// | [Ollama](https://docs.ollama.com/cli) | `CommandAgent::new("ollama").args(["run", "gemma3"])` |
///
/// Such programs may read files and run tools on their own. If the prompt is not trusted, restrict
/// them with their own arguments.
///
/// An example, with a program that always gives the same reply:
///
/// ```
/// # #[cfg(unix)]
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use extract::Extractable as _;
/// use extract_agents::CommandAgent;
///
/// let agent = CommandAgent::new("echo").arg("Eight, of course: [8]");
/// let (legs, _) = Vec::<u8>::extract(&agent, "How many legs has a spider?").await?;
/// assert_eq!(legs, [8]);
/// # Ok(())
/// # }
/// # #[cfg(not(unix))]
/// # fn main() {}
/// ```
///
/// A reply is complete only when the program has ended, so a [streamed](Agent::stream) reply
/// arrives as one delta.
///
/// # End of a run
///
/// The program and every process of its group (on Windows: of its job) are killed when the time
/// limit passes, when it prints too much, and when the future is dropped. When the program ends by
/// itself, the rest of its group is killed too, after half a second for its output. A process that
/// leaves the group (`setsid`) is out of reach, but it cannot make a request wait.
///
/// Because the program has its own group, Ctrl-C in a terminal ends this process and not the
/// program. If that matters, wait for Ctrl-C beside the extraction (`tokio::signal::ctrl_c`), and
/// then drop the extraction.
///
/// # Errors
///
/// | what happened | kind | transient |
/// |---|---|---|
/// | not found, not executable, no such folder | [`Unavailable`](extract::agent::AgentErrorKind::Unavailable) | no |
/// | no process, memory or file descriptor available | [`Transport`](extract::agent::AgentErrorKind::Transport) | yes |
/// | the prompt is too long for an argument | [`TooLong`](extract::agent::AgentErrorKind::TooLong) | no |
/// | an exit code that [`permanent_exits`](Self::permanent_exits) names | [`Refused`](extract::agent::AgentErrorKind::Refused) | no |
/// | any other code that is not accepted, or a signal | [`Transport`](extract::agent::AgentErrorKind::Transport) | yes: the cause is unknown, and the number of tries is bounded |
/// | no end within the time limit | [`Timeout`](extract::agent::AgentErrorKind::Timeout) | yes |
/// | it closed its input before it had read all of a prompt longer than 64 KiB | [`Refused`](extract::agent::AgentErrorKind::Refused) | no: it would reply to a part of the prompt |
/// | too much output, none, not UTF-8, or not the JSON that was announced | [`Garbled`](extract::agent::AgentErrorKind::Garbled) | yes: the next reply differs |
/// | a failure that it reports at [`failure_at`](Self::failure_at) | [`Transport`](extract::agent::AgentErrorKind::Transport) | yes |
/// | [`deny_real_agents`](extract::testing::deny_real_agents) | [`Refused`](extract::agent::AgentErrorKind::Refused) | no |
///
/// A program that succeeds without reading its prompt goes unnoticed if the prompt has at most 64
/// KiB, because that much fits into a pipe. Messages show the end of its standard error, otherwise
/// of its output; keys, and the values given to [`env`](Self::env), are removed.
///
/// # Runtime
///
/// Must be awaited inside a tokio runtime with IO and time enabled, such as `#[tokio::main]` starts.
/// Outside any runtime it is an error; a tokio runtime without IO or time panics and says so.
#[derive(Clone)]
pub struct CommandAgent {
    program: OsString,
    args: Vec<OsString>,
    variables: Vec<(OsString, Option<OsString>)>,
    is_env_cleared: bool,
    folder: Option<PathBuf>,
    prompt: PromptPosition,
    limit: Duration,
    accepted_exits: Vec<i32>,
    permanent_exits: Vec<i32>,
    max_output_bytes: usize,
    pointers: OutputPointers,
    secrets: Keys,
}

/// Where the prompt goes.
#[derive(Debug, Clone)]
enum PromptPosition {
    Input,
    LastArgument,
    Placeholder(String),
}

impl CommandAgent {
    /// Creates an agent that runs `program`: a name to look up in `PATH`, or a path. Nothing is
    /// looked up before the first request. On Windows a script needs its extension, as in
    /// `claude.cmd`.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            variables: Vec::new(),
            is_env_cleared: false,
            folder: None,
            prompt: PromptPosition::Input,
            limit: Duration::from_secs(600),
            accepted_exits: vec![0],
            permanent_exits: failure::PERMANENT.to_vec(),
            max_output_bytes: 8 * 1024 * 1024,
            pointers: OutputPointers::default(),
            secrets: Keys::of_environment(),
        }
    }

    /// Adds one argument.
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds several arguments.
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets an environment variable of the program. `Debug` omits the value, and a value of 6 bytes
    /// or more is removed from errors.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        let value = value.into();
        // Shorter values are words, and removing them would garble the message.
        if value.len() >= 6 {
            self.secrets.insert(&value.to_string_lossy());
        }
        self.variables.push((name.into(), Some(value)));
        self
    }

    /// Removes an environment variable that the program would inherit.
    pub fn env_remove(mut self, name: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), None));
        self
    }

    /// Lets the program inherit no variable, not even `PATH`; those set with [`env`](Self::env)
    /// stay.
    pub fn env_clear(mut self) -> Self {
        self.is_env_cleared = true;
        self
    }

    /// Sets the folder in which the program runs; by default the folder of this process.
    pub fn current_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Passes the prompt as the last argument instead of on the standard input, which is then
    /// empty.
    ///
    /// Systems limit the length of an argument (128 KiB on Linux, 32 KiB for all together on
    /// Windows), and other users of the machine can see it. A prompt that starts with `-` can be
    /// taken for an option; add `--` before it, if the program knows that.
    pub fn prompt_as_argument(mut self) -> Self {
        self.prompt = PromptPosition::LastArgument;
        self
    }

    /// Passes the prompt instead of `placeholder`, wherever that occurs in an argument, and nothing
    /// on the standard input. Limited and visible as with
    /// [`prompt_as_argument`](Self::prompt_as_argument).
    ///
    /// ```
    /// use extract_agents::CommandAgent;
    ///
    /// let agent = CommandAgent::new("ask").args(["--question={prompt}", "--json"]).prompt_at("{prompt}");
    /// # let _ = agent;
    /// ```
    pub fn prompt_at(mut self, placeholder: impl Into<String>) -> Self {
        self.prompt = PromptPosition::Placeholder(placeholder.into());
        self
    }

    /// Sets the maximum time of one run; 10 minutes by default. The program is then killed, with
    /// its children.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Sets the exit codes after which the output is a reply; only 0 by default.
    pub fn accepted_exits(mut self, codes: impl IntoIterator<Item = i32>) -> Self {
        self.accepted_exits = codes.into_iter().collect();
        self
    }

    /// Sets the exit codes after which asking again is pointless. By default 2, 64, 66, 77 and 78
    /// (usage, missing input, permission and configuration, as in `sysexits.h`), 126 and 127 (of
    /// shells: not executable, not found).
    pub fn permanent_exits(mut self, codes: impl IntoIterator<Item = i32>) -> Self {
        self.permanent_exits = codes.into_iter().collect();
        self
    }

    /// Sets the maximum number of bytes that the program may print; 8 MiB by default. It is then
    /// killed. Its standard error is not limited, but only its end is kept.
    pub fn max_output_bytes(mut self, bytes: usize) -> Self {
        self.max_output_bytes = bytes;
        self
    }

    /// Reads the output as JSON, with the reply at `pointer` (RFC 6901): the content of a string,
    /// otherwise the JSON itself.
    ///
    /// ```
    /// use extract_agents::CommandAgent;
    ///
    /// let agent = CommandAgent::new("claude")
    ///     .args(["-p", "--output-format", "json"])
    ///     .reply_at("/result")
    ///     .failure_at("/is_error")
    ///     .input_tokens_at("/usage/input_tokens")
    ///     .output_tokens_at("/usage/output_tokens");
    /// # let _ = agent;
    /// ```
    pub fn reply_at(mut self, pointer: impl Into<String>) -> Self {
        self.pointers.reply = Some(pointer.into());
        self
    }

    /// Reads the output as JSON that reports a failure at `pointer`: `true`, an error text or an
    /// error object.
    pub fn failure_at(mut self, pointer: impl Into<String>) -> Self {
        self.pointers.failed = Some(pointer.into());
        self
    }

    /// Reads the output as JSON that reports at `pointer` whether the model refused to answer: its
    /// words, or `true`. Such a reply is a [refusal](Reply::is_refusal). Absent, `null`, `false`
    /// and `""` mean no refusal. Without this setting, a refusal is a text like any other.
    ///
    /// ```
    /// use extract_agents::CommandAgent;
    ///
    /// // A program that prints the message of the Chat Completions API.
    /// let agent = CommandAgent::new("ask").reply_at("/content").refusal_at("/refusal");
    /// # let _ = agent;
    /// ```
    pub fn refusal_at(mut self, pointer: impl Into<String>) -> Self {
        self.pointers.refusal = Some(pointer.into());
        self
    }

    /// Reads the output as JSON with a number of input tokens at `pointer`. Several calls add up
    /// their numbers; a pointer without a number counts nothing. The sum of several should have all
    /// tokens: far fewer than were sent mean that [the prompt was
    /// cut](extract::agent::provider::check_whole_prompt).
    pub fn input_tokens_at(mut self, pointer: impl Into<String>) -> Self {
        self.pointers.input_tokens.push(pointer.into());
        self
    }

    /// Reads the output as JSON with a number of output tokens at `pointer`. Several calls add up
    /// their numbers; a pointer without a number counts nothing.
    pub fn output_tokens_at(mut self, pointer: impl Into<String>) -> Self {
        self.pointers.output_tokens.push(pointer.into());
        self
    }

    async fn ask(&self, prompt: &str) -> Result<Reply, AgentError> {
        let input = matches!(self.prompt, PromptPosition::Input).then_some(prompt.as_bytes());
        if input.is_none() && prompt.contains('\0') {
            return Err(AgentError::refused(
                "the prompt holds NUL, which no argument can; give it on the input",
            ));
        }
        let command = self.command(prompt).map_err(|error| self.not_started(error))?;
        let run = run::run(command, input, self.limit, self.max_output_bytes);
        let (end, mut streams) = run.await.map_err(|error| self.not_started(error))?;
        let status = match end {
            Outcome::TimedOut => return Err(self.timed_out(&mut streams)),
            Outcome::Stopped(stop) => return Err(self.stopped(stop, &mut streams)),
            Outcome::Exited(status) => status,
        };
        if !status.code().is_some_and(|code| self.accepted_exits.contains(&code)) {
            return Err(self.exited(status, &mut streams));
        }
        if let Some(input) = input.filter(|input| streams.has_left(input.len())) {
            return Err(self.not_taken(input.len(), &mut streams));
        }
        let output = std::mem::take(&mut streams.output);
        self.pointers.read(output).map_err(|error| self.unreadable(&error, &mut streams))
    }

    fn command(&self, prompt: &str) -> io::Result<Command> {
        let mut command = Command::new(&self.program);
        match &self.prompt {
            PromptPosition::Input => command.args(&self.args),
            PromptPosition::LastArgument => command.args(&self.args).arg(prompt),
            PromptPosition::Placeholder(placeholder) => {
                command.args(filled(&self.args, placeholder, prompt)?)
            }
        };
        if self.is_env_cleared {
            command.env_clear();
        }
        for (name, value) in &self.variables {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        Ok(command)
    }

    /// The name of the program without its folder.
    fn shown_name(&self) -> Cow<'_, str> {
        Path::new(&self.program).file_stem().unwrap_or(&self.program).to_string_lossy()
    }

    fn shown_program(&self) -> Cow<'_, str> {
        self.program.to_string_lossy()
    }
}

/// `#` and the first eight digits of a hash of the arguments.
fn digest(args: &[OsString]) -> String {
    let mut hash = Sha256::new();
    for arg in args {
        let bytes = arg.as_encoded_bytes();
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    }
    let [first, second, third, fourth, ..]: [u8; 32] = hash.finalize().into();
    format!("#{:08x}", u32::from_be_bytes([first, second, third, fourth]))
}

/// The arguments with the prompt in them.
fn filled(args: &[OsString], placeholder: &str, prompt: &str) -> io::Result<Vec<OsString>> {
    let holds =
        |arg: &OsStr| !placeholder.is_empty() && arg.to_str().is_some_and(|arg| arg.contains(placeholder));
    if !args.iter().any(|arg| holds(arg)) {
        let message = format!("no argument holds the placeholder `{placeholder}`");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let fill = |arg: &OsString| match arg.to_str() {
        Some(arg) => OsString::from(arg.replace(placeholder, prompt)),
        None => arg.clone(),
    };
    Ok(args.iter().map(fill).collect())
}

#[diagnostic::do_not_recommend]
impl Agent for CommandAgent {
    fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a> {
        Box::pin(async move {
            guard::check(&self.name())?;
            // Without this tokio would panic.
            if tokio::runtime::Handle::try_current().is_err() {
                return Err(AgentError::unavailable(
                    "no tokio runtime here; await the extraction inside one, such as `#[tokio::main]`",
                ));
            }
            self.ask(&request.conversation.text_only(&self.name())?).await
        })
    }

    /// `command/ollama`, with a digest of the arguments if there are any: they may choose the model, so
    /// what another one replied must not be taken for this one's. They are not in it as they are, because a key
    /// may be among them.
    fn name(&self) -> Cow<'_, str> {
        let program = self.shown_name();
        let digest = if self.args.is_empty() { String::new() } else { digest(&self.args) };
        Cow::Owned(format!("command/{program}{digest}"))
    }

    /// One number may leave out what was cached, as the one of Claude Code does.
    fn capabilities(&self) -> Capabilities {
        match self.pointers.input_tokens.len() {
            0 | 1 => Capabilities::default().omitting_cached_input(),
            _ => Capabilities::default(),
        }
    }
}

/// Omits the values of variables, and redacts keys in arguments.
impl fmt::Debug for CommandAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let args: Vec<String> =
            self.args.iter().map(|arg| self.secrets.redact(&arg.to_string_lossy()).into_owned()).collect();
        let variables: Vec<_> = self.variables.iter().map(|(name, _)| name).collect();
        f.debug_struct("CommandAgent")
            .field("program", &self.program)
            .field("args", &args)
            .field("env", &variables)
            .field("current_dir", &self.folder)
            .field("prompt", &self.prompt)
            .field("timeout", &self.limit)
            .field("accepted_exits", &self.accepted_exits)
            .field("permanent_exits", &self.permanent_exits)
            .field("max_output_bytes", &self.max_output_bytes)
            .field("output", &self.pointers)
            .finish_non_exhaustive()
    }
}
