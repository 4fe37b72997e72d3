//! Serves a folder of files on this machine.

use std::fs::File;
use std::path::{Component, Path, PathBuf};

use tiny_http::{Header, Method, Request, Response, Server};

/// Serves a folder until the process ends. Prints the address once it listens; port 0 takes one that is free.
pub fn serve(folder: &Path, port: u16) -> Result<(), String> {
    let server = Server::http(("127.0.0.1", port)).map_err(|why| format!("port {port}: {why}"))?;
    println!("http://{}/", server.server_addr());
    loop {
        let request = server.recv().map_err(|why| format!("the server has ended: {why}"))?;
        // A reader that has left is no failure.
        let _ = answer(request, folder);
    }
}

fn answer(request: Request, folder: &Path) -> std::io::Result<()> {
    if !matches!(request.method(), Method::Get | Method::Head) {
        return request.respond(Response::from_string("405: allowed is GET").with_status_code(405));
    }
    let file = path(request.url()).map(|path| folder.join(path));
    match file.and_then(|file| Some((File::open(&file).ok()?, kind(&file)))) {
        Some((file, kind)) => {
            let mut response = Response::from_file(file);
            if let Ok(header) = Header::from_bytes("Content-Type", kind) {
                response.add_header(header);
            }
            request.respond(response)
        }
        None => request.respond(Response::from_string("404: no such file").with_status_code(404)),
    }
}

/// The file that an address means; none that lies outside of the folder.
fn path(url: &str) -> Option<PathBuf> {
    let name = url.split(['?', '#']).next().unwrap_or_default().trim_start_matches('/');
    let path = PathBuf::from(if name.is_empty() { "index.html" } else { name });
    let inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    inside.then_some(path)
}

/// What a file holds, by the end of its name.
fn kind(file: &Path) -> &'static str {
    match file.extension().and_then(|end| end.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_files_inside_the_folder() {
        assert_eq!(path("/?preset=yabi"), Some("index.html".into()));
        assert_eq!(path("/murmuration.js"), Some("murmuration.js".into()));
        for outside in ["/../Cargo.toml", "//etc/passwd", "/a/../../b"] {
            assert!(
                path(outside).is_none_or(|path| path.is_relative() && !path.starts_with("..")),
                "{outside}"
            );
        }
        assert_eq!(path("/../Cargo.toml"), None);
    }
}
