//! The end of the display server while the window is open.

/// Installs the report of the end of the X server. Either Xlib notices it first and ends the process after a line of
/// its own, or winit, which panics when a request fails.
pub(super) fn report_its_end() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let file = panic.location().map_or("", std::panic::Location::file);
        if broken_connection(file, panic.payload_as_str().unwrap_or_default()) {
            end();
        }
        before(panic);
    }));
    take_over_from_xlib();
}

/// True if winit panicked because its connection to the X server is broken: other panics are not changed.
fn broken_connection(file: &str, said: &str) -> bool {
    file.contains("/winit-")
        && file.contains("/x11/")
        && ["Connection(", "ConnectionError(", "IoError(", "UnknownError"]
            .iter()
            .any(|word| said.contains(word))
}

fn take_over_from_xlib() {
    type Handler = unsafe extern "C" fn(*mut libc::c_void) -> libc::c_int;
    type Setter = unsafe extern "C" fn(Option<Handler>) -> Option<Handler>;
    // SAFETY: the name ends with a zero. The library is not loaded here: winit has it where it draws on X.
    let library = unsafe { libc::dlopen(c"libX11.so.6".as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    if library.is_null() {
        return;
    }
    // SAFETY: the library is open, and the name ends with a zero.
    let set = unsafe { libc::dlsym(library, c"XSetIOErrorHandler".as_ptr()) };
    if set.is_null() {
        return;
    }
    // SAFETY: the type is that of Xlib.h, where display and handler are pointers.
    let set = unsafe { std::mem::transmute::<*mut libc::c_void, Setter>(set) };
    // SAFETY: the handler lives as long as the program, and so does the library: its handle is not closed.
    unsafe { set(Some(connection_ended)) };
}

/// Called by Xlib when its connection breaks; must not return.
unsafe extern "C" fn connection_ended(_display: *mut libc::c_void) -> libc::c_int {
    end()
}

fn end() -> ! {
    use std::io::Write as _;
    let failure = super::server_ended();
    let _ = writeln!(std::io::stderr(), "{failure}");
    // SAFETY: ends the process without the functions that `exit` calls: other threads still use the driver.
    unsafe { libc::_exit(failure.kind as libc::c_int) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_broken_connection_is_taken_for_the_end_of_the_server() {
        let file = "/crates/winit-0.30.13/src/platform_impl/linux/x11/window.rs";
        let said = "called `Result::unwrap()` on an `Err` value: Connection(IoError(Custom { kind: Other, error: UnknownError }))";
        assert!(broken_connection(file, said));
        assert!(!broken_connection(file, "index out of bounds"));
        assert!(!broken_connection("crates/window/src/window/host.rs", said));
    }
}
