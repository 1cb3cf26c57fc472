//! The socket of a site. One thread accepts connections, and each connection has its own thread.

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

use super::{
    answer::LoopbackAnswer,
    request::{LoopbackRequest, RefusedRequest},
};

/// Maximum bytes of the head of a request.
const MAX_HEAD: usize = 8 << 10;

/// How long a request may take to arrive, and its answer to be taken.
const LONGEST: Duration = Duration::from_secs(5);

/// Maximum connections at once; further ones are closed.
const MAX_CONNECTIONS: usize = 32;

/// What is served.
pub(crate) trait Site: Send + Sync + 'static {
    /// Maximum bytes of the body of a request.
    const MAX_BODY: usize;

    /// Answers a request, whose host and origin were checked.
    fn answer(&self, request: &LoopbackRequest) -> Result<LoopbackAnswer, RefusedRequest>;
}

/// A server that runs until it is dropped. An answer that is on its way then is written first.
pub(crate) struct LoopbackServer {
    address: SocketAddr,
    is_over: Arc<AtomicBool>,
    /// Answers on their way.
    answering: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
}

impl LoopbackServer {
    pub(crate) fn start(address: SocketAddr, site: Arc<impl Site>) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let is_over = Arc::new(AtomicBool::new(false));
        let answering = Arc::default();
        let (over, counted) = (Arc::clone(&is_over), Arc::clone(&answering));
        let thread = thread::Builder::new().name("extract-pages".to_owned());
        let thread = thread.spawn(move || accept(&listener, address, &site, &over, &counted))?;
        Ok(Self { address, is_over, answering, thread: Some(thread) })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for LoopbackServer {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        // Wakes the thread.
        let woken = TcpStream::connect_timeout(&self.address, Duration::from_secs(1)).is_ok();
        if let Some(thread) = self.thread.take().filter(|_| woken) {
            let _ = thread.join();
        }
        let end = Instant::now() + LONGEST;
        while self.answering.load(Ordering::Acquire) > 0 && Instant::now() < end {
            thread::sleep(Duration::from_millis(5));
        }
    }
}

fn accept(
    listener: &TcpListener,
    address: SocketAddr,
    site: &Arc<impl Site>,
    is_over: &AtomicBool,
    answering: &Arc<AtomicUsize>,
) {
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
        let place = CountGuard::taken(&open, MAX_CONNECTIONS);
        let (site, answering) = (Arc::clone(site), Arc::clone(answering));
        if let Some(place) = place {
            let answering = move || {
                // A browser that goes away needs no answer.
                let _ = answer(&stream, address, &*site, &answering);
                drop(place);
            };
            let _ = thread::Builder::new().spawn(answering);
        }
    }
}

/// Counts as one of several at once until it is dropped.
struct CountGuard(Arc<AtomicUsize>);

impl CountGuard {
    /// `None` if there are `max` already.
    fn taken(open: &Arc<AtomicUsize>, max: usize) -> Option<Self> {
        let guard = Self(Arc::clone(open));
        (open.fetch_add(1, Ordering::AcqRel) < max).then_some(guard)
    }
}

impl Drop for CountGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

fn answer<S: Site>(
    mut stream: &TcpStream,
    address: SocketAddr,
    site: &S,
    answering: &Arc<AtomicUsize>,
) -> io::Result<()> {
    stream.set_write_timeout(Some(LONGEST))?;
    let request = request(&mut Arriving::new(stream), address, S::MAX_BODY)?;
    // Before the site is asked: a job ends as soon as it was asked for the end.
    let on_its_way = CountGuard::taken(answering, usize::MAX);
    let answer = request.and_then(|request| site.answer(&request)).unwrap_or_else(LoopbackAnswer::refused);
    stream.write_all(&answer.into_bytes())?;
    stream.shutdown(std::net::Shutdown::Write)?;
    drop(on_its_way);
    // Unread data would reset the connection before the answer is read.
    stream.set_read_timeout(Some(Duration::from_millis(200)))?;
    let _ = io::copy(&mut stream.take(1 << 16), &mut io::sink());
    Ok(())
}

/// Reads a request. The body of one that is refused is not read.
fn request(
    arriving: &mut Arriving<'_>,
    address: SocketAddr,
    max_body: usize,
) -> io::Result<Result<LoopbackRequest, RefusedRequest>> {
    let Some(head) = arriving.head()? else { return Ok(Err(RefusedRequest::Malformed)) };
    let request = LoopbackRequest::of(&head, address).and_then(|request| match request.length()? {
        length if length > max_body => Err(RefusedRequest::TooLarge),
        length => Ok((request, length)),
    });
    Ok(match request {
        Ok((request, length)) => Ok(request.with_body(arriving.body(length)?)),
        Err(refusal) => Err(refusal),
    })
}

/// A request that arrives.
struct Arriving<'s> {
    stream: &'s TcpStream,
    end: Instant,
    /// Bytes that were received and not taken.
    received: Vec<u8>,
}

impl<'s> Arriving<'s> {
    fn new(stream: &'s TcpStream) -> Self {
        Self { stream, end: Instant::now() + LONGEST, received: Vec::new() }
    }

    /// Waits for more bytes.
    fn more(&mut self) -> io::Result<()> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        let mut buffer = [0; 16 << 10];
        let size = self.stream.read(&mut buffer)?;
        if size == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.received.extend_from_slice(&buffer[..size]);
        Ok(())
    }

    /// Returns the head of the request; `None` if it is too long or not text.
    fn head(&mut self) -> io::Result<Option<String>> {
        loop {
            if let Some(at) = self.received.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                let rest = self.received.split_off(at + 4);
                let mut head = std::mem::replace(&mut self.received, rest);
                head.truncate(at);
                return Ok(String::from_utf8(head).ok().filter(|head| head.len() <= MAX_HEAD));
            }
            if self.received.len() > MAX_HEAD {
                return Ok(None);
            }
            self.more()?;
        }
    }

    fn body(&mut self, length: usize) -> io::Result<Vec<u8>> {
        while self.received.len() < length {
            self.more()?;
        }
        self.received.truncate(length);
        Ok(std::mem::take(&mut self.received))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Says when it is asked, and takes its time.
    struct Slow(mpsc::Sender<()>);

    impl Site for Slow {
        const MAX_BODY: usize = 0;

        fn answer(&self, _: &LoopbackRequest) -> Result<LoopbackAnswer, RefusedRequest> {
            self.0.send(()).unwrap();
            thread::sleep(Duration::from_millis(300));
            Ok(LoopbackAnswer::json("{}".to_owned()))
        }
    }

    #[test]
    fn an_answer_on_its_way_is_written_before_the_server_ends() {
        let (asked, was_asked) = mpsc::channel();
        let server = LoopbackServer::start(([127, 0, 0, 1], 0).into(), Arc::new(Slow(asked))).unwrap();
        let mut stream = TcpStream::connect(server.address()).unwrap();
        write!(stream, "GET / HTTP/1.1\r\nHost: {}\r\n\r\n", server.address()).unwrap();
        was_asked.recv().unwrap();
        drop(server);
        stream.set_nonblocking(true).unwrap();
        let mut answer = [0; 15];
        stream.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"HTTP/1.1 200 OK");
    }
}
