//! The board: clocks, the two channels of the console, the second core, and how the firmware ends when it has to.

pub mod arithmetic;
pub mod clocks;
pub mod cores;
pub mod failure;
pub mod rtt;
pub mod serial;
pub mod video;
