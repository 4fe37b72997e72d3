//! The end of the display server while the window is open.

use crate::failure::Failure;

/// The failure of a window whose server has ended.
pub(super) fn ended() -> Failure {
    Failure::work("the window was lost: its display server has ended")
}

/// From now on the program says so when the X server ends. Xlib ends the process itself then, after a line of its own.
#[cfg(target_os = "linux")]
pub(super) fn report_its_end() {
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
    // SAFETY: the type is that of Xlib.h, where a display and a handler are pointers.
    let set = unsafe { std::mem::transmute::<*mut libc::c_void, Setter>(set) };
    // SAFETY: the handler lives as long as the program, and so does the library: its handle is not closed.
    unsafe { set(Some(server_ended)) };
}

#[cfg(not(target_os = "linux"))]
pub(super) fn report_its_end() {}

/// What Xlib calls when its connection breaks; it may not return.
#[cfg(target_os = "linux")]
unsafe extern "C" fn server_ended(_display: *mut libc::c_void) -> libc::c_int {
    use std::io::Write as _;
    let failure = ended();
    let _ = writeln!(std::io::stderr(), "{failure}");
    // SAFETY: ends the process, with none of the functions that `exit` calls: other threads still use the driver.
    unsafe { libc::_exit(failure.kind as libc::c_int) }
}
