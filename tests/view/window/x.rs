//! A private X server, so that no window opens on the developer's desktop, and the test's client of it: reads the screen and
//! window titles, presses keys, and resizes, hides and shows windows.

use std::error::Error;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConfigureWindowAux, ConnectionExt as _, EventMask, ImageFormat, InputFocus,
    KEY_PRESS_EVENT, KEY_RELEASE_EVENT, MapState, Window,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::wrapper::ConnectionExt as _;
use x11rb::{CURRENT_TIME, connection::Connection as _, rust_connection::RustConnection};

use crate::scope::{self, Scope};

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// A connection to an X server.
#[derive(Debug)]
pub struct Client {
    connection: RustConnection,
    root: Window,
}

/// A rectangle of the screen: blue, green, red and one unused byte per pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub width: u16,
    pub bytes: Vec<u8>,
}

impl Picture {
    /// The column, and red, green and blue, of each pixel, row by row.
    pub fn pixels(&self) -> impl Iterator<Item = (u16, [u8; 3])> {
        let colours = self.bytes.chunks_exact(4).map(|pixel| [pixel[2], pixel[1], pixel[0]]);
        (0..self.width).cycle().zip(colours)
    }
}

impl Client {
    /// Connects to a display.
    pub fn connect(display: &str) -> Result<Self> {
        let (connection, screen) = RustConnection::connect(Some(display))?;
        let root = connection.setup().roots[screen].root;
        Ok(Client { connection, root })
    }

    /// The visible windows from bottom to top, with their sizes.
    pub fn windows(&self) -> Result<Vec<(Window, [u16; 2])>> {
        let mut windows = Vec::new();
        for id in self.connection.query_tree(self.root)?.reply()?.children {
            let attributes = self.connection.get_window_attributes(id)?.reply()?;
            let geometry = self.connection.get_geometry(id)?.reply()?;
            if attributes.map_state == MapState::VIEWABLE {
                windows.push((id, [geometry.width, geometry.height]));
            }
        }
        Ok(windows)
    }

    /// The title of a window.
    pub fn title(&self, window: Window) -> Result<String> {
        let (name, any) = (AtomEnum::WM_NAME, AtomEnum::ANY);
        let property = self.connection.get_property(false, window, name, any, 0, 256)?.reply()?;
        Ok(String::from_utf8_lossy(&property.value).into_owned())
    }

    /// The upper left part of the screen.
    pub fn picture(&self, [width, height]: [u16; 2]) -> Result<Picture> {
        let format = ImageFormat::Z_PIXMAP;
        let image = self.connection.get_image(format, self.root, 0, 0, width, height, u32::MAX)?.reply()?;
        Ok(Picture { width, bytes: image.data })
    }

    pub fn resize(&self, window: Window, [width, height]: [u16; 2]) -> Result {
        let size = ConfigureWindowAux::new().width(u32::from(width)).height(u32::from(height));
        Ok(self.connection.configure_window(window, &size)?.check()?)
    }

    pub fn show(&self, window: Window) -> Result {
        Ok(self.connection.map_window(window)?.check()?)
    }

    pub fn hide(&self, window: Window) -> Result {
        Ok(self.connection.unmap_window(window)?.check()?)
    }

    pub fn destroy(&self, window: Window) -> Result {
        Ok(self.connection.destroy_window(window)?.check()?)
    }

    /// Asks a window to close, as its button does.
    pub fn close(&self, window: Window) -> Result {
        let atom = |name: &str| -> Result<u32> {
            Ok(self.connection.intern_atom(false, name.as_bytes())?.reply()?.atom)
        };
        let data = [atom("WM_DELETE_WINDOW")?, CURRENT_TIME, 0, 0, 0];
        let event = ClientMessageEvent::new(32, window, atom("WM_PROTOCOLS")?, data);
        self.connection.send_event(false, window, EventMask::NO_EVENT, event)?;
        Ok(self.connection.sync()?)
    }

    /// Gives a window the keyboard, then presses and releases the key of a symbol (ASCII, or an X keysym).
    pub fn press(&self, window: Window, symbol: u32) -> Result {
        self.press_with(window, None, symbol)
    }

    /// The same, while another key is held.
    pub fn press_with(&self, window: Window, held: Option<u32>, symbol: u32) -> Result {
        self.connection.set_input_focus(InputFocus::NONE, window, CURRENT_TIME)?;
        let held = held.map(|held| self.key(held)).transpose()?;
        let key = self.key(symbol)?;
        let presses = [(KEY_PRESS_EVENT, held), (KEY_PRESS_EVENT, Some(key))];
        let releases = [(KEY_RELEASE_EVENT, Some(key)), (KEY_RELEASE_EVENT, held)];
        for (event, key) in presses.into_iter().chain(releases) {
            if let Some(key) = key {
                self.connection.xtest_fake_input(event, key, CURRENT_TIME, x11rb::NONE, 0, 0, 0)?;
            }
        }
        Ok(self.connection.sync()?)
    }

    /// The key that gives a symbol without Shift.
    fn key(&self, symbol: u32) -> Result<u8> {
        let (first, last) = (self.connection.setup().min_keycode, self.connection.setup().max_keycode);
        let map = self.connection.get_keyboard_mapping(first, last - first + 1)?.reply()?;
        let symbols = map.keysyms.chunks(map.keysyms_per_keycode.into());
        let key = (first..=last).zip(symbols).find(|(_, symbols)| symbols[0] == symbol);
        Ok(key.ok_or_else(|| format!("no key gives {symbol:#x}"))?.0)
    }
}

/// A running Xvfb, stopped on drop.
#[derive(Debug)]
pub struct Server {
    process: Child,
    /// The value for `DISPLAY`.
    pub display: String,
}

impl Server {
    /// Starts Xvfb with a screen of this size. Where it is not installed, returns `None` with a note on standard error.
    ///
    /// # Panics
    /// Without Xvfb under `cargo xtask test`.
    pub fn start([width, height]: [u16; 2]) -> Option<Self> {
        let process = Command::new("Xvfb")
            // Xvfb writes its display number to standard output when it is ready.
            .args(["-displayfd", "1", "-screen", "0", &format!("{width}x{height}x24")])
            .args(["-nolisten", "tcp", "-noreset"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut process = match process {
            Ok(process) => process,
            Err(why) => {
                scope::missing(Scope::Most, &format!("the window: Xvfb does not start ({why})"));
                return None;
            }
        };
        let mut number = String::new();
        let output = process.stdout.take().expect("its output is piped");
        BufReader::new(output).read_line(&mut number).expect("it names its display");
        Some(Server { process, display: format!(":{}", number.trim()) })
    }

    /// Ends it.
    pub fn stop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}
