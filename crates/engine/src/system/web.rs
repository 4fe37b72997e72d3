//! Tasks on the one thread of a page. A task that waits is suspended; the page continues meanwhile.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::io;
use std::pin::pin;
use std::sync::mpsc::{self, RecvError, SendError, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use js_sys::{Function, Promise};
use wasm_bindgen::JsValue;
// wasm-bindgen marks it deprecated because it may yet change.
#[allow(deprecated)]
use wasm_bindgen_futures::jspi_block_on_promise;
use wasm_bindgen_futures::spawn_local;

/// Waits for a future, in a task: the task is suspended.
///
/// # Panics
/// Outside of a task, as in a callback of the page, where nothing can be suspended.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    loop {
        let mut resolve = None;
        let promise = Promise::new(&mut |done, _| resolve = Some(done));
        let waker = Waker::from(Arc::new(Resolve(resolve)));
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => {
                // Deprecated as above.
                #[allow(deprecated)]
                let waited = jspi_block_on_promise(&promise);
                assert!(waited.is_ok(), "waited outside of a task");
            }
        }
    }
}

/// Wakes a task by resolving the promise that it waits for.
struct Resolve(Option<Function>);

// SAFETY: a page has one thread.
unsafe impl Send for Resolve {}
// SAFETY: as above.
unsafe impl Sync for Resolve {}

impl Wake for Resolve {
    fn wake(self: Arc<Self>) {
        if let Some(resolve) = &self.0 {
            // A function that resolves a promise does not fail.
            let _ = resolve.call0(&JsValue::NULL);
        }
    }
}

/// The waker of a channel's receiver.
type Bell = Arc<Mutex<Option<Waker>>>;

fn ring(bell: &Bell) {
    let waker = bell.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// Like [`std::sync::mpsc::Sender`].
#[derive(Debug)]
pub struct Sender<T>(mpsc::Sender<T>, Bell);

/// Like [`std::sync::mpsc::Receiver`]; it waits by suspending its task.
#[derive(Debug)]
pub struct Receiver<T>(mpsc::Receiver<T>, Bell);

/// A channel to a task.
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let (send, receive) = mpsc::channel();
    let bell = Bell::default();
    (Sender(send, Arc::clone(&bell)), Receiver(receive, bell))
}

impl<T> Sender<T> {
    /// Sends a value.
    ///
    /// # Errors
    /// When the receiver is gone.
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        self.0.send(value)?;
        ring(&self.1);
        Ok(())
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        // The receiver runs later, and finds the channel closed.
        ring(&self.1);
    }
}

impl<T> Receiver<T> {
    /// The next value, if there is one.
    ///
    /// # Errors
    /// When there is none now, or will be none.
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        self.0.try_recv()
    }

    /// Waits for the next value.
    ///
    /// # Errors
    /// When there will be none.
    pub fn recv(&self) -> Result<T, RecvError> {
        block_on(self.next())
    }

    async fn next(&self) -> Result<T, RecvError> {
        poll_fn(|context| match self.try_recv() {
            Ok(value) => Poll::Ready(Ok(value)),
            Err(TryRecvError::Disconnected) => Poll::Ready(Err(RecvError)),
            Err(TryRecvError::Empty) => {
                let waker = context.waker().clone();
                self.1.lock().unwrap_or_else(PoisonError::into_inner).replace(waker);
                Poll::Pending
            }
        })
        .await
    }
}

type Job = Box<dyn FnOnce()>;

thread_local! {
    static JOBS: RefCell<Option<Sender<Job>>> = const { RefCell::new(None) };
    static WAITS: Cell<bool> = const { Cell::new(false) };
}

/// Starts the tasks that [`spawn`] asks for, as long as the page lives. Call it once, where a task may be suspended if
/// the browser `waits`: tasks inherit that.
pub fn run_tasks(waits: bool) {
    let (send, jobs) = channel::<Job>();
    JOBS.set(Some(send));
    WAITS.set(waits);
    spawn_local(async move {
        while let Ok(job) = jobs.next().await {
            spawn_local(async move { job() });
        }
    });
}

/// Work beside the page.
#[derive(Debug)]
pub struct Task<T>(Receiver<T>);

impl<T> Task<T> {
    /// Waits for its end, in a task.
    pub fn join(self) -> Option<T> {
        self.0.recv().ok()
    }

    /// Detaches the task: a callback of the page must not block, so it cannot wait for the end.
    pub fn detach(self) {}
}

/// Starts work as a task.
///
/// # Errors
/// When called before [`run_tasks`].
pub fn spawn<T: 'static>(_name: &str, work: impl FnOnce() -> T + 'static) -> io::Result<Task<T>> {
    let (send, receive) = channel();
    let job: Job = Box::new(move || drop(send.send(work())));
    let sent = JOBS.with_borrow(|jobs| jobs.as_ref().is_some_and(|jobs| jobs.send(job).is_ok()));
    if sent { Ok(Task(receive)) } else { Err(io::ErrorKind::Unsupported.into()) }
}

/// Starts a task that takes messages, until there are none or `work` ends it; it ends with the state. `work` may take
/// further messages. Between two messages the task is no call that would have to be suspended.
///
/// # Errors
/// When called before [`run_tasks`].
pub fn serve<M: 'static, S: 'static>(
    name: &str,
    inbox: Receiver<M>,
    mut state: S,
    mut work: impl FnMut(&mut S, M, &Receiver<M>) -> bool + 'static,
) -> io::Result<Task<S>> {
    let (send, receive) = channel();
    let served = async move {
        while inbox.next().await.is_ok_and(|message| work(&mut state, message, &inbox)) {}
        drop(send.send(state));
    };
    spawn(name, move || spawn_local(served))?;
    Ok(Task(receive))
}

/// True if a task can wait.
pub fn waits() -> bool {
    WAITS.get()
}

/// The one thread of a page: parallel work is done on it, part by part.
#[derive(Clone, Debug)]
pub struct Threads;

impl Threads {
    /// One thread, for any count.
    ///
    /// # Errors
    /// None.
    pub fn new(_count: Option<usize>) -> crate::Result<Self> {
        Ok(Threads)
    }

    /// One.
    pub fn count(&self) -> usize {
        1
    }

    /// Does the work.
    pub fn install<T>(&self, work: impl FnOnce() -> T) -> T {
        work()
    }
}

/// Nothing: the page shares its work with no thread.
///
/// # Errors
/// None.
pub fn share_work(_asked: Option<usize>) -> crate::Result {
    Ok(())
}
