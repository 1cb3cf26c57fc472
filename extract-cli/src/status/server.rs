//! The socket of the page. One thread accepts connections, and each connection has its own thread.

use std::{
    io::{self, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use super::{page, request, request::Refusal, state::State};

/// Maximum bytes of a request.
const MAX_HEAD: usize = 8 << 10;

/// How long a request may take to arrive, and its answer to be taken.
const LONGEST: Duration = Duration::from_secs(5);

/// Maximum connections at once; further ones are closed.
const MAX_CONNECTIONS: usize = 32;

/// How long the program waits at its end for an open page to look.
const LAST_LOOK: Duration = Duration::from_millis(2_500);

/// A server that runs until it is dropped.
pub(super) struct Server {
    address: SocketAddr,
    state: Arc<State>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(super) fn start(address: SocketAddr, state: Arc<State>) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let is_over = Arc::new(AtomicBool::new(false));
        let (shared, over) = (Arc::clone(&state), Arc::clone(&is_over));
        let thread = thread::Builder::new().name("extract-status".to_owned());
        let thread = thread.spawn(move || accept(&listener, address, &shared, &over))?;
        Ok(Self { address, state, is_over, thread: Some(thread) })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends it, after open pages have seen the last state.
    pub(super) fn finish(self) {
        self.state.wait_for_look(LAST_LOOK);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        // Wakes the thread.
        let is_woken = TcpStream::connect_timeout(&self.address, Duration::from_secs(1)).is_ok();
        if let Some(thread) = self.thread.take().filter(|_| is_woken) {
            let _ = thread.join();
        }
    }
}

fn accept(listener: &TcpListener, address: SocketAddr, state: &Arc<State>, is_over: &AtomicBool) {
    let open = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        if is_over.load(Ordering::Relaxed) {
            return;
        }
        let Ok(stream) = stream else {
            // For example, if no file descriptors are left.
            thread::sleep(Duration::from_millis(50));
            continue;
        };
        let place = Place::taken(&open);
        let state = Arc::clone(state);
        if let Some(place) = place {
            let answering = move || {
                // A browser that goes away needs no answer.
                let _ = answer(&stream, address, &state);
                drop(place);
            };
            let _ = thread::Builder::new().spawn(answering);
        }
    }
}

/// One of the connections.
struct Place(Arc<AtomicUsize>);

impl Place {
    fn taken(open: &Arc<AtomicUsize>) -> Option<Self> {
        let place = Self(Arc::clone(open));
        (open.fetch_add(1, Ordering::Relaxed) < MAX_CONNECTIONS).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn answer(mut stream: &TcpStream, address: SocketAddr, state: &State) -> io::Result<()> {
    stream.set_write_timeout(Some(LONGEST))?;
    let head = head(stream)?;
    let asked = head.as_deref().ok_or(Refusal::Malformed).and_then(|head| request::asked(head, address));
    let answer = match asked {
        Ok(asked) => page::answer(asked, || state.look()),
        Err(refusal) => page::refused(refusal),
    };
    stream.write_all(&answer)?;
    stream.shutdown(std::net::Shutdown::Write)?;
    // Unread data would reset the connection before the answer is read.
    stream.set_read_timeout(Some(Duration::from_millis(200)))?;
    let _ = io::copy(&mut stream.take(1 << 16), &mut io::sink());
    Ok(())
}

/// Returns the head of a request; `None` if it is too long or not text.
fn head(mut stream: &TcpStream) -> io::Result<Option<String>> {
    let end = Instant::now() + LONGEST;
    let (mut head, mut buffer) = (Vec::new(), [0; 2048]);
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        let size = stream.read(&mut buffer)?;
        if size == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        head.extend_from_slice(&buffer[..size]);
        if let Some(at) = head.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            head.truncate(at);
            return Ok(String::from_utf8(head).ok());
        }
        if head.len() > MAX_HEAD {
            return Ok(None);
        }
    }
}
