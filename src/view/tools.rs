//! What the tools do to a session.

use flock::parameters::{MAX_SPHERES, Sphere, Value, find};
use glam::Vec3;

use super::modes::Tool;
use super::session::Session;

/// From sphere to sphere of a wall, in radii.
const SPACING: f32 = 1.4;

impl Session {
    /// Chooses a tool. Where it would have no effect, the parameters it needs are set: the number of predators, the weight
    /// of obstacles. The carrot of the tool before goes with it.
    pub fn take_up(&mut self, tool: Tool) {
        self.attract(None);
        if tool != Tool::Carrot
            && let Some(before) = self.no_carrot.take()
        {
            self.parameters.attractor = before;
            self.retract();
        }
        self.tool = tool;
        match tool {
            Tool::Predator if self.parameters.predators.count == 0 => self.add_predator(),
            Tool::Obstacle | Tool::Wall if self.parameters.obstacles.spheres.as_slice().is_empty() => {
                self.parameters.obstacles.margin = self.obstacle_radius();
                self.parameters.obstacles.weight = self.parameters.obstacles.weight.max(self.noticeable());
            }
            _ => {}
        }
        self.touch();
    }

    /// The weight with which a request of length 1 has an effect comparable to that of the flock's own rules.
    pub(super) fn noticeable(&self) -> f64 {
        let p = &self.parameters;
        let strongest = p.separation.weight.max(p.alignment.weight).max(p.cohesion.weight);
        // Where the goal is normalised only the proportions of the weights count; else their size beside the speed.
        let weight = if p.motion.normalize_goal {
            strongest
        } else {
            let share = if p.motion.inertia < 0.5 { 0.5 } else { 0.03 };
            share * p.motion.max_speed / p.motion.gain.abs().max(1e-6)
        };
        weight.clamp(0.0, 1000.0)
    }

    fn add_predator(&mut self) {
        let (extent, speed) = (self.extent(), self.parameters.motion.max_speed);
        let predators = &mut self.parameters.predators;
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
        self.parameters.predators.count > 0 && self.parameters.predators.attack_weight > 0.0
    }

    /// Lets predators hunt, or fly as in the preset.
    pub fn hunt(&mut self, hunting: bool) {
        if hunting {
            if self.parameters.predators.count == 0 {
                self.add_predator();
            }
            let predators = &mut self.parameters.predators;
            // Predators are limited to their speed, so only the proportions count: nearby boids before the flock's centre.
            (predators.attack_weight, predators.chase_weight, predators.knot_weight) = (1.0, 0.05, 0.0);
        } else {
            let base = self.base().predators;
            let predators = &mut self.parameters.predators;
            predators.attack_weight = 0.0;
            (predators.chase_weight, predators.knot_weight) = (base.chase_weight, base.knot_weight);
            // A predator that was added to hunt is removed; the pointer's and the preset's stay.
            if base.count == 0 && self.tool != Tool::Predator {
                predators.count = 0;
            }
        }
    }

    /// Radius of the next obstacle, in units of length.
    pub fn obstacle_radius(&self) -> f64 {
        self.obstacle_size * self.extent()
    }

    /// Places an obstacle.
    pub fn place_obstacle(&mut self, position: [f32; 3]) {
        let sphere = Sphere { position: position.map(f64::from), radius: self.obstacle_radius() };
        let mut spheres = self.parameters.obstacles.spheres;
        match (spheres.push(sphere), find("obstacles.spheres")) {
            (Err(why), _) => self.fail(format!("obstacles.spheres: {why}")),
            (Ok(()), Some(parameter)) => self.set(parameter, Value::Spheres(spheres)),
            (Ok(()), None) => {}
        }
        self.touch();
    }

    /// Draws a wall to a point: from the last obstacle on, or from here where it begins. It ends where there are no more.
    pub fn build_wall(&mut self, position: [f32; 3], begins: bool) {
        let to = Vec3::from(position);
        loop {
            let spheres = self.parameters.obstacles.spheres;
            let Some(last) = spheres.as_slice().last().filter(|_| !begins) else {
                return self.place_obstacle(position);
            };
            let from = Vec3::from(last.position.map(|c| c as f32));
            let (way, spacing) = (to - from, SPACING * last.radius as f32);
            let full = spheres.as_slice().len() == MAX_SPHERES;
            // A pointer that moves fast leaves no gap.
            let far = way.length() >= spacing && spacing > 0.0;
            if full || !far {
                return;
            }
            self.place_obstacle((from + way.normalize_or_zero() * spacing).to_array());
        }
    }

    /// Takes the last obstacle away.
    pub fn remove_obstacle(&mut self) {
        self.parameters.obstacles.spheres.pop();
        self.touch();
    }

    /// Drags the carrot to a point, for as long as its tool is in hand.
    pub fn drag_carrot(&mut self, position: [f32; 3]) {
        self.no_carrot.get_or_insert(self.parameters.attractor);
        self.set_carrot(position);
    }

    /// Moves the attractor, and gives it a weight.
    pub fn set_carrot(&mut self, position: [f32; 3]) {
        if self.parameters.attractor.weight == 0.0 {
            self.parameters.attractor.weight = self.noticeable();
        }
        if let Some(parameter) = find("attractor.position") {
            self.set(parameter, Value::Vector(position.map(f64::from)));
        }
        self.touch();
    }
}
