//! What the window is set to: the page of the panel, and what the pointer does in the view.

use super::open_file::OpenFile;

/// The pages of the panel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Page {
    #[default]
    Flock,
    View,
    Charts,
    File,
}

impl Page {
    /// Every page with its name, in the panel's order.
    pub const ALL: [(Page, &'static str); 4] =
        [(Page::Flock, "Flock"), (Page::View, "View"), (Page::Charts, "Charts"), (Page::File, "File")];
}

/// What a press in the view means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Dragging moves the camera.
    #[default]
    Camera,
    /// The attractor follows a drag.
    Carrot,
    /// The first predator follows the pointer.
    Predator,
    /// A click places an obstacle.
    Obstacle,
    /// A drag draws a row of obstacles.
    Wall,
    /// The flock is drawn to the pointer while it is held.
    Attract,
    /// A click lets a hawk appear for a while.
    Scare,
}

impl Tool {
    /// Every tool with its name and how to use it, in the panel's order, which is that of the variants.
    pub const ALL: [(Tool, &'static str, &'static str); 7] = [
        (Tool::Camera, "Camera", "Drag to turn, Shift or right drag to pan, wheel to zoom."),
        (Tool::Carrot, "Carrot", "Drag the carrot through the view; the flock follows."),
        (Tool::Predator, "Predator", "A predator follows the pointer; the flock flees."),
        (Tool::Obstacle, "Obstacle", "Click to place a sphere; Backspace takes the last one away."),
        (Tool::Wall, "Wall", "Drag to draw a wall of spheres; 16 are the most."),
        (Tool::Attract, "Attract", "Hold the button: the flock comes to the pointer, and is let go with it."),
        (Tool::Scare, "Scare", "Click: a hawk appears there for 90 steps, and the flock flees it."),
    ];

    /// How to use it.
    #[must_use]
    pub fn about(self) -> &'static str {
        Self::ALL[self as usize].2
    }
}

/// The files of parameters that a session knows.
#[derive(Clone, Debug, Default)]
pub struct ParameterFiles {
    /// The one that was last loaded or saved here: saving replaces it without asking.
    pub own: Option<String>,
    /// The one that is open: what is written to it is taken over.
    pub open: Option<OpenFile>,
    /// True if a page is to ask for one.
    pub wanted: bool,
    /// The one that exists and that the panel asks whether to replace.
    pub to_replace: Option<String>,
}
