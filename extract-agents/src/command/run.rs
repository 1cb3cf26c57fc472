//! One run of a program.

use std::{
    future::poll_fn,
    io,
    pin::pin,
    process::{ExitStatus, Stdio},
    task::Poll,
    time::Duration,
};

use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop};
use tokio::{process::Command, time::timeout};

use super::pipes::{Stop, Streams, drain, feed, keep_tail};

/// How long the output may stay open after the program has ended. Its own output arrives at once; a
/// pipe that stays open longer belongs to a process that it left behind.
const GRACE: Duration = Duration::from_millis(500);

/// How a run ended.
pub(super) enum Outcome {
    Exited(ExitStatus),
    TimedOut,
    Stopped(Stop),
}

/// A running program with all processes it started. Dropping it kills them.
struct RunningCommand(Box<dyn ChildWrapper>);

impl Drop for RunningCommand {
    fn drop(&mut self) {
        // Killing fails if no process is left.
        let _ = self.0.start_kill();
    }
}

/// Starts the program, writes `prompt` to its input if there is one, and collects its output.
///
/// # Errors
///
/// If the program cannot be started.
pub(super) async fn run(
    mut command: Command,
    prompt: Option<&[u8]>,
    limit: Duration,
    max_output: usize,
) -> io::Result<(Outcome, Streams)> {
    command.stdin(if prompt.is_some() { Stdio::piped() } else { Stdio::null() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = RunningCommand(in_group(command).spawn()?);
    let mut streams = Streams::default();
    let session = session(&mut *running.0, prompt.unwrap_or_default(), max_output, &mut streams);
    let end = match timeout(limit, session).await {
        Ok(Ok(status)) => Outcome::Exited(status),
        Ok(Err(stop)) => Outcome::Stopped(stop),
        Err(_) => Outcome::TimedOut,
    };
    Ok((end, streams))
}

/// In a process group of its own, or a job object on Windows.
fn in_group(command: Command) -> CommandWrap {
    let mut command = CommandWrap::from(command);
    #[cfg(unix)]
    command.wrap(process_wrap::tokio::ProcessGroup::leader());
    #[cfg(windows)]
    command.wrap(process_wrap::tokio::JobObject);
    command.wrap(KillOnDrop);
    command
}

/// Writes and reads until the program has ended and its output is closed, within [`GRACE`].
async fn session(
    child: &mut dyn ChildWrapper,
    prompt: &[u8],
    max_output: usize,
    streams: &mut Streams,
) -> Result<ExitStatus, Stop> {
    let (stdin, stdout, stderr) = (child.stdin().take(), child.stdout().take(), child.stderr().take());
    let Streams { taken, output, errors } = streams;
    let mut pumps = pin!(async {
        tokio::try_join!(
            feed(stdin, prompt, taken),
            drain(stdout, output, max_output),
            keep_tail(stderr, errors),
        )
    });
    let mut is_pumped = false;
    // Waits for the program only: its group may contain processes that it leaves behind.
    let mut exit = child.inner_mut().wait();
    let status = poll_fn(|context| {
        if !is_pumped && let Poll::Ready(pumped) = pumps.as_mut().poll(context) {
            is_pumped = true;
            if let Err(stop) = pumped {
                return Poll::Ready(Err(stop));
            }
        }
        exit.as_mut().poll(context).map_err(Stop::Broken)
    })
    .await?;
    if !is_pumped {
        timeout(GRACE, pumps).await.unwrap_or(Ok(((), (), ())))?;
    }
    Ok(status)
}
