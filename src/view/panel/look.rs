//! The page about the view: look, colours, boids, camera and tools.

use egui::{RichText, Ui};

use super::range::Reach;
use super::widgets::{Figures, caption, heading, slider};
use crate::view::modes::Tool;
use crate::view::scene::{Colour, Scenery, drawn_scenery, sceneries};
use crate::view::session::Session;
use crate::view::theme;

/// From 0 to 1.
const UNIT: Reach = Reach { range: 0.0..=1.0, logarithmic: false, smallest: 0.0 };

/// Lengths of trails, in steps.
const TRAILS: Reach = Reach { range: 0.0..=300.0, logarithmic: false, smallest: 0.0 };

/// Shows the page.
pub fn show(ui: &mut Ui, session: &mut Session) {
    let before = (session.look, session.mark_centre);
    let flat = session.camera.flat;
    part(ui, "Look");
    ui.horizontal(|ui| {
        for (scenery, name) in sceneries(flat) {
            let chosen = drawn_scenery(session.look.scenery, flat) == scenery;
            if ui.selectable_label(chosen, name).on_hover_text("Key L").clicked() {
                session.choose_look(scenery);
            }
        }
    });
    if drawn_scenery(session.look.scenery, flat) != Scenery::Dusk {
        part(ui, "Colour by");
        ui.horizontal_wrapped(|ui| {
            for (colour, name) in Colour::ALL {
                ui.selectable_value(&mut session.look.colour, colour, name);
            }
        });
        ui.label(RichText::new(legend(session)).small().color(theme::FAINT));
    }
    part(ui, "Boids");
    let extent = session.extent();
    let mut size = f64::from(session.look.size);
    let lengths = Reach { range: 1e-4 * extent..=0.1 * extent, logarithmic: true, smallest: 1e-4 * extent };
    line(ui, "length", "Length of a boid, in units of length.", &mut size, &lengths);
    session.look.size = size.clamp(1e-6, 1e6) as f32;
    let mut fog = f64::from(session.look.fog);
    line(ui, "fog", "How much the distance fades; 0 is clear air.", &mut fog, &UNIT);
    session.look.fog = fog.clamp(0.0, 1.0) as f32;

    let mut trails = f64::from(session.look.trails);
    let help = "Steps in which the trail of a boid fades; 0 is none.";
    line(ui, "trails", help, &mut trails, &TRAILS);
    session.look.trails = trails.clamp(0.0, 1000.0) as f32;

    camera(ui, session);
    pointer(ui, session);

    part(ui, "Predators");
    let mut hunting = session.hunting();
    if ui.checkbox(&mut hunting, "hunt the flock").on_hover_text("Key J").changed() {
        session.hunt(hunting);
    }
    if (session.look, session.mark_centre) != before {
        session.touch();
    }
}

/// What the colours mean.
fn legend(session: &Session) -> String {
    let (parameters, flat) = (&session.parameters, session.camera.flat);
    let [slow, fast] = [parameters.motion.min_speed, parameters.motion.max_speed].map(super::widgets::short);
    let higher = |what: &str| if flat { String::new() } else { format!("; {what} is lighter") };
    match session.look.colour {
        Colour::Heading => format!("The hue is the direction on the compass{}.", higher("climbing")),
        Colour::Position => format!("The hue is the place about the world's centre{}.", higher("higher")),
        Colour::Speed => {
            format!("From blue at {slow} over teal to orange at {fast}: the limits of the speed.")
        }
        Colour::Density => {
            let middle = session.look.typical_neighbours;
            format!("From blue with no neighbour over teal with {middle:.0} to orange with very many.")
        }
        Colour::Group if parameters.scouts.right + parameters.scouts.left > 0.0 => {
            "Scouts that prefer the right are amber, the left teal; all others are grey.".to_owned()
        }
        Colour::Group => "All are grey: this flock has no scouts (scouts.right, scouts.left).".to_owned(),
        Colour::Twilight => {
            "The direction: from blue, towards -x, to yellow; towards +y is lighter.".to_owned()
        }
        Colour::Cividis => {
            format!("From dark blue at {slow} to light yellow at {fast}: the limits of the speed.")
        }
    }
}

fn camera(ui: &mut Ui, session: &mut Session) {
    part(ui, "Camera");
    ui.horizontal(|ui| {
        if ui.button("Zoom to fit").on_hover_text("Key F").clicked() {
            session.fit();
        }
        ui.checkbox(&mut session.follows, "follow the flock").on_hover_text("Key T");
    });

    ui.horizontal(|ui| {
        let hint = "Slowly, about the flock, once nothing was touched for 20 seconds.  Key Shift O";
        ui.checkbox(&mut session.orbits, "turn when left alone").on_hover_text(hint);
    });
    ui.label(
        RichText::new("A click on a bird flies along with it; Esc leaves it.").small().color(theme::FAINT),
    );
    ui.horizontal(|ui| {
        ui.checkbox(&mut session.look.edges, "world's edges");
        ui.checkbox(&mut session.mark_centre, "flock's centre");
    });
}

/// The tools of the pointer, and what they place.
fn pointer(ui: &mut Ui, session: &mut Session) {
    part(ui, "Pointer");
    ui.horizontal_wrapped(|ui| {
        for (tool, name, _) in Tool::ALL {
            if ui.selectable_label(session.tool == tool, name).clicked() {
                session.take_up(tool);
            }
        }
    });
    ui.label(RichText::new(session.tool.about()).small().color(theme::FAINT));
    if matches!(session.tool, Tool::Obstacle | Tool::Wall) {
        let sizes = Reach { range: 0.005..=0.3, logarithmic: true, smallest: 0.005 };
        let help = "Radius of the next obstacle, as a share of the world.";
        line(ui, "size", help, &mut session.obstacle_size, &sizes);
        session.obstacle_size = session.obstacle_size.clamp(0.001, 1.0);
        ui.horizontal(|ui| {
            if ui.button("Take the last away").clicked() {
                session.remove_obstacle();
            }
            if ui.button("Clear").clicked() {
                session.parameters.obstacles.spheres.clear();
                session.touch();
            }
        });
    }
}

fn part(ui: &mut Ui, name: &str) {
    ui.add_space(8.0);
    heading(ui, name);
}

/// A caption and a slider.
fn line(ui: &mut Ui, name: &str, help: &str, value: &mut f64, reach: &Reach) {
    ui.horizontal(|ui| {
        caption(ui, 64.0, RichText::new(name).color(theme::FAINT)).on_hover_text(help);
        slider(ui, name, value, reach, Figures::SHORT, 124.0);
    });
}
