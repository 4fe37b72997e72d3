//! A private X server, so that no window opens on the developer's desktop, and what a test does there: it reads the
//! screen, presses keys, resizes, hides and closes.

use std::error::Error;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConfigureWindowAux, ConnectionExt as _, EventMask, ImageFormat, InputFocus,
    KEY_PRESS_EVENT, KEY_RELEASE_EVENT, Window,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::wrapper::ConnectionExt as _;
use x11rb::{CURRENT_TIME, connection::Connection as _, rust_connection::RustConnection};

use crate::scope::{self, Scope};

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// The left Shift key.
const SHIFT: u32 = 0xffe1;
const CONTROL: u32 = 0xffe3;

/// A picture of the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub width: u16,
    /// Red, green and blue of each pixel, row by row.
    pub pixels: Vec<[u8; 3]>,
}

/// A running Xvfb, stopped on drop, and a connection to it.
#[derive(Debug)]
pub struct Server {
    process: Child,
    /// The value for `DISPLAY`.
    pub display: String,
    connection: RustConnection,
    root: Window,
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
        let display = format!(":{}", number.trim());
        let (connection, screen) = RustConnection::connect(Some(&display)).expect("it answers");
        let root = connection.setup().roots[screen].root;
        Some(Server { process, display, connection, root })
    }

    /// Ends it.
    pub fn stop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    /// The window of the program, once it has one.
    pub fn window(&self) -> Result<Option<Window>> {
        for id in self.connection.query_tree(self.root)?.reply()?.children {
            // Others are small helpers of the toolkit.
            if self.connection.get_geometry(id)?.reply()?.width > 200 {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    pub fn title(&self, window: Window) -> Result<String> {
        let (name, any) = (AtomEnum::WM_NAME, AtomEnum::ANY);
        let property = self.connection.get_property(false, window, name, any, 0, 256)?.reply()?;
        Ok(String::from_utf8_lossy(&property.value).into_owned())
    }

    /// The upper left part of the screen.
    pub fn picture(&self, [width, height]: [u16; 2]) -> Result<Picture> {
        let format = ImageFormat::Z_PIXMAP;
        let image = self.connection.get_image(format, self.root, 0, 0, width, height, u32::MAX)?.reply()?;
        let pixels = image.data.chunks_exact(4).map(|pixel| [pixel[2], pixel[1], pixel[0]]);
        Ok(Picture { width, pixels: pixels.collect() })
    }

    pub fn resize(&self, window: Window, [width, height]: [u16; 2]) -> Result {
        let size = ConfigureWindowAux::new().width(u32::from(width)).height(u32::from(height));
        Ok(self.connection.configure_window(window, &size)?.check()?)
    }

    pub fn show(&self, window: Window, is_shown: bool) -> Result {
        let asked = match is_shown {
            true => self.connection.map_window(window)?,
            false => self.connection.unmap_window(window)?,
        };
        Ok(asked.check()?)
    }

    pub fn destroy(&self, window: Window) -> Result {
        Ok(self.connection.destroy_window(window)?.check()?)
    }

    /// Asks a window to close, as its button does.
    pub fn close(&self, window: Window) -> Result {
        let [close, protocols] = ["WM_DELETE_WINDOW", "WM_PROTOCOLS"].map(|name| -> Result<u32> {
            Ok(self.connection.intern_atom(false, name.as_bytes())?.reply()?.atom)
        });
        let event = ClientMessageEvent::new(32, window, protocols?, [close?, CURRENT_TIME, 0, 0, 0]);
        self.connection.send_event(false, window, EventMask::NO_EVENT, event)?;
        Ok(self.connection.sync()?)
    }

    /// Gives a window the keyboard, then presses and releases the key of a symbol: ASCII, an upper-case letter with
    /// Shift, a control character with Ctrl, or an X keysym.
    pub fn press(&self, window: Window, symbol: u32) -> Result {
        self.connection.set_input_focus(InputFocus::NONE, window, CURRENT_TIME)?;
        // ASCII has 32 between the two cases of a letter, and 96 from the control characters to the lower one.
        let (held, alone) = match symbol {
            1..=26 => (Some(CONTROL), symbol + 96),
            65..=90 => (Some(SHIFT), symbol + 32),
            _ => (None, symbol),
        };
        let key = self.key(alone)?;
        let mut events = vec![(KEY_PRESS_EVENT, key), (KEY_RELEASE_EVENT, key)];
        if let Some(held) = held {
            let held = self.key(held)?;
            events.insert(0, (KEY_PRESS_EVENT, held));
            events.push((KEY_RELEASE_EVENT, held));
        }
        for (event, key) in events {
            self.connection.xtest_fake_input(event, key, CURRENT_TIME, x11rb::NONE, 0, 0, 0)?;
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

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}
