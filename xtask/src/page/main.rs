//! `page FILE.wasm FOLDER` writes the JavaScript bindings of the page's program. `cargo xtask web` runs it after the
//! compilation.

use std::path::Path;

fn main() -> Result<(), String> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match &words[..] {
        [program, folder] => bind(Path::new(program), Path::new(folder)),
        _ => Err("usage: page FILE.wasm FOLDER".to_owned()),
    }
}

fn bind(program: &Path, folder: &Path) -> Result<(), String> {
    let mut bindgen = wasm_bindgen_cli_support::Bindgen::new();
    bindgen.input_path(program).out_name("murmuration").typescript(false);
    bindgen.remove_name_section(true).remove_producers_section(true);
    let bound = bindgen.web(true).and_then(|bindgen| bindgen.generate(folder));
    bound.map_err(|why| format!("{}: {why:#}", program.display()))
}
