//! The program.

use std::process::ExitCode;

use cpu::memory;
use murmuration::commands;

#[global_allocator]
static ALLOCATOR: memory::Allocator = memory::Allocator;

fn main() -> ExitCode {
    ExitCode::from(commands::program(std::env::args_os()))
}
