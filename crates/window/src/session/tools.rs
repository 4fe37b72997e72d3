//! The effects of the tools on a session.

use flock::Parameters;
use flock::parameters::{MAX_SPHERES, Sphere};
use glam::Vec3;

use super::Session;
use super::controls::{CarrotDrag, Tool};
use super::playback::PointerEffect;
use flight::snapped;

/// Number of steps for which the falcon stays after the pointer has left.
const STAYS: u64 = 30;
/// Distance between the spheres of a wall, in radii.
const SPACING: f32 = 1.4;

impl Session {
    /// Selects a tool. The previous tool's carrot is removed.
    pub(super) fn select_tool(&mut self, tool: Tool) {
        self.attract(None);
        if tool != Tool::Carrot
            && let Some(CarrotDrag { before, dragged }) = self.controls.carrot_drag.take()
        {
            let mut new = self.document.parameters;
            let attractor = &mut new.attractor;
            // Values set in the panel stay.
            if attractor.position == dragged.position {
                attractor.position = before.position;
            }
            if attractor.weight == dragged.weight {
                attractor.weight = before.weight;
            }
            self.commit(new);
        }
        self.controls.tool = tool;
    }

    /// The weight at which a request of length 1 has an effect comparable to that of the flock's own rules.
    pub(super) fn noticeable(&self) -> f64 {
        let p = &self.document.parameters;
        let strongest = p.separation.weight.max(p.alignment.weight).max(p.cohesion.weight);
        // If the goal is normalised, only the ratios of the weights matter; otherwise their size relative to the speed.
        let weight = if p.motion.normalize_goal {
            strongest
        } else {
            let share = if p.motion.inertia < 0.5 { 0.5 } else { 0.03 };
            share * p.motion.max_speed / p.motion.gain.abs().max(1e-6)
        };
        weight.clamp(0.0, 1000.0)
    }

    fn add_predator(&self, parameters: &mut Parameters) {
        let (extent, speed) = (self.document.extent(), parameters.motion.max_speed);
        let predators = &mut parameters.predators;
        predators.count = 1;
        predators.radius = 0.15 * extent;
        predators.sight = 0.1 * extent;
        predators.max_speed = 1.2 * speed;
        if predators.weight == 0.0 {
            predators.weight = 1.0;
        }
    }

    /// True if predators hunt the flock.
    pub fn hunting(&self) -> bool {
        self.document.parameters.predators.count > 0 && self.document.parameters.predators.attack_weight > 0.0
    }

    /// Makes predators hunt, or restores the preset's.
    pub(super) fn hunt(&mut self, hunting: bool) {
        let mut new = self.document.parameters;
        if hunting {
            if new.predators.count == 0 {
                self.add_predator(&mut new);
            }
            // Predators have a speed limit, so only the ratios matter: nearby boids come before the flock's centre.
            new.predators.attack_weight = 1.0;
            new.predators.chase_weight = 0.05;
            new.predators.knot_weight = 0.0;
        } else {
            let base = self.document.base.predators;
            new.predators.attack_weight = 0.0;
            new.predators.chase_weight = base.chase_weight;
            new.predators.knot_weight = base.knot_weight;
            // A predator that was added to hunt is removed; the preset's predators stay.
            if base.count == 0 {
                new.predators.count = 0;
            }
        }
        self.commit(new);
    }

    /// Radius of the next obstacle, in units of length.
    pub fn obstacle_radius(&self) -> f64 {
        self.controls.obstacle_size * self.document.extent()
    }

    /// Places an obstacle. The first one sets margin and weight to effective values, unless they were set before.
    pub(super) fn place_obstacle(&mut self, position: [f32; 3]) {
        let position = snapped(position, &self.document.parameters);
        let (radius, weight) = (self.obstacle_radius(), self.noticeable());
        let sphere = Sphere { position: position.map(f64::from), radius };
        let (usual, mut new) = (self.document.base.obstacles, self.document.parameters);
        let obstacles = &mut new.obstacles;
        if obstacles.spheres.as_slice().is_empty()
            && (obstacles.margin, obstacles.weight) == (usual.margin, usual.weight)
        {
            (obstacles.margin, obstacles.weight) = (radius, weight.max(usual.weight));
        }
        match obstacles.spheres.push(sphere) {
            Err(why) => self.controls.fail(format!("obstacles.spheres: {why}")),
            Ok(()) => self.commit(new),
        }
    }

    /// Draws a wall from the last obstacle to a point. It ends when there is no room.
    pub(super) fn build_wall(&mut self, position: [f32; 3]) {
        let to = Vec3::from(position);
        loop {
            let spheres = self.document.parameters.obstacles.spheres;
            let Some(last) = spheres.as_slice().last() else {
                return self.place_obstacle(position);
            };
            let from = Vec3::from(last.position.map(|c| c as f32));
            let (way, spacing) = (to - from, SPACING * last.radius as f32);
            let full = spheres.as_slice().len() == MAX_SPHERES;
            // A fast pointer leaves no gap.
            let far = way.length() >= spacing && spacing > 0.0;
            if full || !far {
                return;
            }
            self.place_obstacle((from + way.normalize_or_zero() * spacing).to_array());
        }
    }

    /// Drags the carrot to a point, until another tool is selected.
    pub(super) fn drag_carrot(&mut self, position: [f32; 3]) {
        let before = self.document.parameters.attractor;
        self.set_carrot(position);
        let now = self.document.parameters.attractor;
        let drag = self.controls.carrot_drag.get_or_insert(CarrotDrag { before, dragged: now });
        drag.dragged.position = now.position;
    }

    /// Moves the attractor, and gives it a weight if it has none.
    pub(super) fn set_carrot(&mut self, position: [f32; 3]) {
        let position = snapped(position, &self.document.parameters);
        let weight = self.noticeable();
        self.change(|p| {
            if p.attractor.weight == 0.0 {
                p.attractor.weight = weight;
            }
            p.attractor.position = position.map(f64::from);
        });
    }

    /// Attracts the flock to a point while it is pressed; `None` ends it.
    pub(super) fn attract(&mut self, position: Option<[f32; 3]>) {
        if position.is_some() || matches!(self.playback.pointer_effect, Some(PointerEffect::Attract(_))) {
            let position = position.map(|position| snapped(position, &self.document.parameters));
            self.playback.pointer_effect = position.map(PointerEffect::Attract);
            self.send();
        }
    }

    /// Moves the falcon to a point. It disappears some steps after the last move. The past cannot be changed.
    pub(super) fn lead_falcon(&mut self, position: [f32; 3]) {
        if self.playback.looks_back() {
            return;
        }
        let position = snapped(position, &self.document.parameters);
        self.playback.pointer_effect =
            Some(PointerEffect::Falcon(position, self.playback.frame.step + STAYS));
        self.keep_falcon();
    }

    /// Keeps the falcon in its place; removes it after its time.
    pub(super) fn keep_falcon(&mut self) {
        if self.playback.looks_back() {
            self.playback.pointer_effect = None;
        }
        if self.playback.pointer_effect.is_none() && self.playback.playing && self.playback.is_live() {
            // A falcon that a flight has ended with leaves.
            self.send();
        }
        let Some(PointerEffect::Falcon(position, until)) = self.playback.pointer_effect else { return };
        if self.playback.frame.step >= until {
            self.playback.pointer_effect = None;
            self.send();
            return;
        }
        // Sent with the next order: that of the parameters, if the falcon is new.
        self.playback.steer_predator(self.document.parameters.predators.count as usize, position);
        self.send();
    }

    /// The parameters with the pointer's effect; they may be invalid.
    pub(super) fn with_pointer_effect(&self) -> Parameters {
        let mut p = self.document.parameters;
        match self.playback.pointer_effect {
            None => {}
            Some(PointerEffect::Attract(position)) => {
                p.attractor.weight = p.attractor.weight.max(2.0 * self.noticeable());
                p.attractor.position = position.map(f64::from);
            }
            Some(PointerEffect::Falcon(..)) => {
                let predators = &mut p.predators;
                if predators.count == 0 {
                    (predators.attack_weight, predators.chase_weight) = (0.0, 0.0);
                    (predators.knot_weight, predators.max_speed) = (0.0, 0.0);
                }
                predators.count += 1;
                // Radius at which the falcon is perceived, in units of length.
                predators.radius = predators.radius.max(0.09 * self.document.extent());
                if predators.weight <= 0.0 {
                    predators.weight = 1.0;
                }
            }
        }
        p
    }
}
