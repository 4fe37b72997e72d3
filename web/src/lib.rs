//! The page: opens the window with the options that its address holds, or writes the hashes of a run.

#![cfg(target_arch = "wasm32")]
// wasm-bindgen marks `jspi` as deprecated because it may yet change.
#![allow(deprecated)]

use engine::system::run_tasks;
use murmuration::cli::page::parse;
use murmuration::commands::begin;
use wasm_bindgen::prelude::wasm_bindgen;
use window::page::{self, News};

/// Opens the page. `address` is that of the page from the question mark on; `waits` is true if the browser suspends tasks.
#[wasm_bindgen(jspi)]
pub fn open(address: String, waits: bool) {
    std::panic::set_hook(Box::new(|panic| {
        page::show("error", &format!("error: {panic}"));
        web_sys::console::error_1(&panic.to_string().into());
    }));
    let _ = console_log::init_with_level(log::Level::Error);
    run_tasks(waits);
    if let Err(why) = parse(&address).and_then(begin) {
        page::show_failure(&why);
    }
}

/// Hands the window a file of parameters.
#[wasm_bindgen]
pub fn load(name: String, text: String) {
    page::tell(News::File(name, text));
}

/// Hands the window a text that is pasted.
#[wasm_bindgen]
pub fn paste(text: String) {
    page::tell(News::Pasted(text));
}
