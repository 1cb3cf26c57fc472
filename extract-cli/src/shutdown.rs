//! Ctrl-C, and the signal with which a system ends a program.

use std::io;

/// Resolves each time the user or the system asks the program to end.
pub(crate) struct Shutdown {
    #[cfg(unix)]
    signals: [tokio::signal::unix::Signal; 2],
    #[cfg(windows)]
    signal: tokio::signal::windows::CtrlC,
}

impl Shutdown {
    /// Replaces the default handlers. Must be called on a runtime.
    #[cfg(unix)]
    pub(crate) fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};

        Ok(Self { signals: [signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?] })
    }

    /// Replaces the default handler. Must be called on a runtime.
    #[cfg(windows)]
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { signal: tokio::signal::windows::ctrl_c()? })
    }

    /// Waits for the next request to end.
    pub(crate) async fn wanted(&mut self) {
        #[cfg(unix)]
        {
            let [interrupt, terminate] = &mut self.signals;
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        }
        #[cfg(windows)]
        let _ = self.signal.recv().await;
    }
}

/// The output of `work`; `None` if the program is asked to end before. Must be called on a runtime.
pub(crate) async fn unless_ended<T>(work: impl Future<Output = T>) -> io::Result<Option<T>> {
    let mut shutdown = Shutdown::new()?;
    tokio::select! {
        output = work => Ok(Some(output)),
        () = shutdown.wanted() => Ok(None),
    }
}
