//! The differences between a computer and a browser: how a program waits, and how it works in the background.
//!
//! A browser has one thread, which may not block. There a task is suspended while it waits (JavaScript Promise
//! Integration), so that the same code runs in both. If a browser cannot suspend tasks, nothing waits and no GPU is
//! used.

#[cfg(not(target_arch = "wasm32"))]
mod native;
#[cfg(target_arch = "wasm32")]
mod web;

#[cfg(not(target_arch = "wasm32"))]
pub use native::{
    NoThreads, Receiver, Sender, Task, Threads, block_on, channel, serve, share_work, spawn, waits,
};
#[cfg(target_arch = "wasm32")]
pub use web::{
    Receiver, Sender, Task, Threads, block_on, channel, run_tasks, serve, share_work, spawn, waits,
};
