//! What `cargo xtask web` runs once the page's program is compiled: `page bind FILE.wasm FOLDER` writes the functions by
//! which JavaScript calls it, and `page serve FOLDER [PORT]` serves a folder on this machine.

mod serve;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["bind", program, folder] => bind(Path::new(program), Path::new(folder)),
        ["serve", folder] => serve::serve(Path::new(folder), 0),
        ["serve", folder, port] => match port.parse() {
            Ok(port) => serve::serve(Path::new(folder), port),
            Err(_) => Err(format!("{port}: allowed is a port from 0 to 65535, 0 for any that is free")),
        },
        _ => Err("a call is `bind FILE.wasm FOLDER` or `serve FOLDER [PORT]`".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn bind(program: &Path, folder: &Path) -> Result<(), String> {
    let mut bindgen = wasm_bindgen_cli_support::Bindgen::new();
    bindgen.input_path(program).out_name("murmuration").typescript(false);
    bindgen.remove_name_section(true).remove_producers_section(true);
    let bound = bindgen.web(true).and_then(|bindgen| bindgen.generate(folder));
    bound.map_err(|why| format!("{}: {why:#}", program.display()))
}
