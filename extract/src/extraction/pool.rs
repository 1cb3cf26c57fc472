//! Several futures at once, without a runtime.

use std::{collections::VecDeque, future::poll_fn, pin::Pin, task::Poll};

/// Maximum number of futures that are polled together: each is polled whenever one of them is woken.
const MAX_AT_ONCE: usize = 64;

type PooledTask<'t, O> = Pin<Box<dyn Future<Output = O> + Send + 't>>;

/// Runs `tasks` in order, up to `at_once` at the same time. `done` gets each output as it arrives
/// and returns whether more tasks may start; running tasks are finished in any case.
pub(super) async fn run_all<'t, O>(
    at_once: usize,
    tasks: impl IntoIterator<Item = PooledTask<'t, O>>,
    mut done: impl FnMut(O) -> bool,
) {
    let mut waiting: VecDeque<_> = tasks.into_iter().collect();
    let mut running: Vec<PooledTask<'t, O>> = Vec::new();
    poll_fn(|context| {
        let free = at_once.clamp(1, MAX_AT_ONCE) - running.len();
        running.extend(waiting.drain(..free.min(waiting.len())));
        let mut has_finished = false;
        running.retain_mut(|task| match task.as_mut().poll(context) {
            Poll::Pending => true,
            Poll::Ready(output) => {
                has_finished = true;
                if !done(output) {
                    waiting.clear();
                }
                false
            }
        });
        if running.is_empty() && waiting.is_empty() {
            return Poll::Ready(());
        }
        // The next tasks start with the next poll, so that tasks that never wait can be interrupted.
        if has_finished {
            context.waker().wake_by_ref();
        }
        Poll::Pending
    })
    .await;
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
        task::{Context, Waker},
    };

    use super::*;

    /// Pending `turns` times; counts how many run at once.
    async fn task(number: usize, turns: usize, running: Arc<AtomicUsize>, most: Arc<AtomicUsize>) -> usize {
        most.fetch_max(running.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
        let mut left = turns;
        poll_fn(|context| {
            if left == 0 {
                return Poll::Ready(());
            }
            left -= 1;
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
        running.fetch_sub(1, Ordering::Relaxed);
        number
    }

    fn finished(at_once: usize, turns: &[usize], stop_at: usize) -> (Vec<usize>, usize) {
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let tasks = turns.iter().enumerate().map(|(number, turns)| -> PooledTask<'_, usize> {
            Box::pin(task(number, *turns, Arc::clone(&running), Arc::clone(&most)))
        });
        let mut order = Vec::new();
        {
            let mut all = std::pin::pin!(run_all(at_once, tasks, |number| {
                order.push(number);
                number != stop_at
            }));
            let mut context = Context::from_waker(Waker::noop());
            while all.as_mut().poll(&mut context).is_pending() {}
        }
        (order, most.load(Ordering::Relaxed))
    }

    #[test]
    fn so_many_run_at_once_and_each_is_finished() {
        assert_eq!(finished(1, &[2, 0, 1], 9), (vec![0, 1, 2], 1));
        assert_eq!(finished(2, &[5, 1, 1], 9), (vec![1, 2, 0], 2));
        let (order, most) = finished(1000, &[3; 200], 999);
        assert_eq!((order.len(), most), (200, MAX_AT_ONCE));
        assert_eq!(finished(4, &[], 9), (vec![], 0));
    }

    #[test]
    fn after_a_stop_those_that_run_are_finished_and_none_is_started() {
        assert_eq!(finished(2, &[1, 3, 0, 0], 0), (vec![0, 1], 2));
    }
}
