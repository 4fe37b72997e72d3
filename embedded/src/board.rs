//! The board: clocks, console channels, cores, video, and the panic handler.

pub mod arithmetic;
pub mod clocks;
pub mod cores;
pub mod failure;
pub mod rtt;
pub mod serial;
pub mod video;
