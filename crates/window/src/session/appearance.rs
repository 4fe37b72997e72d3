//! The looks and colourings one after the other, and what the colours mean.

use flock::parameters::Value;

use super::Session;
use super::camera_state::ViewAction;
use scene::{Colour, Look, Scenery, drawn_scenery, one_speed, sceneries};

impl Session {
    /// Shows the flock in the next look, and says which.
    pub(super) fn next_look(&mut self) {
        let flat = self.eye.camera.flat;
        // A flat flock has fewer sceneries.
        let looks: Vec<(Scenery, &str)> = sceneries(flat).collect();
        let now = drawn_scenery(self.eye.look.scenery, flat);
        let index = looks.iter().position(|(look, _)| *look == now).unwrap_or_default();
        if let Some((next, name)) = looks.get((index + 1) % looks.len().max(1)) {
            self.eye.apply(ViewAction::Scenery(*next), &self.document);
            self.controls.say(format!("look: {name}"));
        }
    }

    /// Holds the light of dusk as it is, or lets it move with the steps, and says which.
    pub(super) fn hold_light(&mut self) {
        let Look { scenery, light, .. } = self.eye.look;
        if drawn_scenery(scenery, self.eye.camera.flat) != Scenery::Dusk {
            self.controls.say("only the look dusk has a light that moves; L chooses it".to_owned());
            return;
        }
        let now = self.eye.look.light_at(self.frame().step as f64);
        let held = if light.is_none() { Some(now) } else { None };
        self.eye.apply(ViewAction::Look(Look { light: held, ..self.eye.look }), &self.document);
        self.controls.say(match held {
            Some(now) => format!("the light of dusk is held at {now:.2} (0 gold, 1 blue)"),
            None => "the light of dusk moves: from gold to blue and back in eight minutes".to_owned(),
        });
    }

    /// Colours the boids in the next way, and says what the colours mean.
    pub(super) fn next_colouring(&mut self) {
        let (colour, name) = Colour::ALL[(self.eye.look.colour as usize + 1) % Colour::ALL.len()];
        self.eye.apply(ViewAction::Look(Look { colour, ..self.eye.look }), &self.document);
        let legend = if drawn_scenery(self.eye.look.scenery, self.eye.camera.flat) == Scenery::Dusk {
            "the look dusk has no colours; L chooses another".to_owned()
        } else {
            self.legend()
        };
        self.controls.say(format!("colour by {name}.  {legend}"));
    }

    /// The legend of the colours.
    pub fn legend(&self) -> String {
        let (parameters, flat) = (&self.document.parameters, self.eye.camera.flat);
        let [slow, fast] = [parameters.motion.min_speed, parameters.motion.max_speed].map(Value::Real);
        let higher = |what: &str| if flat { String::new() } else { format!("; {what} is lighter") };
        match self.eye.look.colour {
            Colour::Heading => format!("Hue: direction on the compass{}.", higher("climbing")),
            Colour::Position => format!("Hue: position about the world's centre{}.", higher("higher")),
            Colour::Speed | Colour::Cividis if one_speed(parameters) => {
                format!("All at one speed, {fast}: one colour.")
            }
            Colour::Speed => {
                format!("Blue at {slow}, teal, orange at {fast}: the speed limits.")
            }
            Colour::Density => {
                let middle = self.eye.look.typical_neighbours;
                format!("Blue with no neighbours, teal with {middle:.0}, orange with very many.")
            }
            Colour::Group if !parameters.flock.groups.as_slice().is_empty() => {
                let names = ["grey", "amber", "teal", "rose", "lime", "blue", "brick", "violet"];
                let named = parameters.flock.groups.as_slice().iter().zip(names).enumerate();
                let all =
                    named.filter(|(_, (part, _))| **part > 0.0).map(|(k, (_, name))| format!("{k} {name}"));
                let scouts = if parameters.has_scouts() { "; scouts are 1 amber, 2 teal" } else { "" };
                format!("Groups: {}{scouts}.", all.collect::<Vec<_>>().join(", "))
            }
            Colour::Group if parameters.scouts.right + parameters.scouts.left > 0.0 => {
                "Scouts that prefer right are amber, left teal; all others are grey.".to_owned()
            }
            Colour::Group => {
                "All grey: this flock has no scouts and no groups (scouts.right, flock.groups).".to_owned()
            }
            Colour::Twilight => {
                "Direction: blue towards -x, yellow towards +x; lighter towards +y.".to_owned()
            }
            Colour::Cividis => {
                format!("Dark blue at {slow} to light yellow at {fast}: the speed limits.")
            }
        }
    }
}
