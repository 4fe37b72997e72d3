//! The looks and colourings one after the other, and the legend.

use super::Session;
use super::camera_state::ViewAction;
use scene::{Colour, Look, Scenery, Swatch, drawn_scenery, legend, sceneries};

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

    /// Colours the boids in the next way, and says which; the legend has the meaning of the colours.
    pub(super) fn next_colouring(&mut self) {
        let (colour, name) = Colour::ALL[(self.eye.look.colour as usize + 1) % Colour::ALL.len()];
        self.eye.apply(ViewAction::Look(Look { colour, ..self.eye.look }), &self.document);
        let dusk = self.eye.look.dusk(self.eye.camera.flat);
        let hint = if dusk { ".  The look dusk has no colours; L chooses another" } else { "" };
        self.controls.say(format!("colour by {name}{hint}"));
    }

    /// The meaning of the boids' colours.
    pub fn legend(&self) -> Vec<Swatch> {
        legend(&self.eye.look, &self.document.parameters, &self.document.view)
    }
}
