//! What the pointer does in the view, besides moving the camera.

use flock::parameters::{Sphere, Value, find};

use super::session::Session;

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
}

impl Tool {
    /// All, in the panel's order.
    pub const ALL: [Tool; 4] = [Tool::Camera, Tool::Carrot, Tool::Predator, Tool::Obstacle];

    /// Name in the panel.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Tool::Camera => "Camera",
            Tool::Carrot => "Carrot",
            Tool::Predator => "Predator",
            Tool::Obstacle => "Obstacle",
        }
    }

    /// One line on how to use it.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Tool::Camera => "Drag to turn, Shift or right drag to pan, wheel to zoom.",
            Tool::Carrot => "Drag the carrot through the view; the flock follows.",
            Tool::Predator => "A predator follows the pointer; the flock flees.",
            Tool::Obstacle => "Click to place a sphere; Backspace takes the last one away.",
        }
    }
}

impl Session {
    /// Takes a tool up. Where the flock would not notice it, the parameters it needs are set: a carrot without a
    /// pull, a predator that nobody fears.
    pub fn take_up(&mut self, tool: Tool) {
        self.tool = tool;
        match tool {
            Tool::Carrot if self.parameters.attractor.weight == 0.0 => {
                self.parameters.attractor.weight = self.noticeable();
            }
            Tool::Predator if self.parameters.predators.count == 0 => self.add_predator(),
            Tool::Obstacle if self.parameters.obstacles.spheres.as_slice().is_empty() => {
                self.parameters.obstacles.margin = self.obstacle_radius();
                self.parameters.obstacles.weight = self.parameters.obstacles.weight.max(self.noticeable());
            }
            _ => {}
        }
        self.touch();
    }

    /// A weight that a request of length 1 needs to count beside the flock's own.
    fn noticeable(&self) -> f64 {
        let p = &self.parameters;
        let strongest = p.separation.weight.max(p.alignment.weight).max(p.cohesion.weight);
        // Where the goal is normalised weights only count against each other; else against the speed that is kept.
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

    /// Whether predators go for the flock.
    #[must_use]
    pub fn hunting(&self) -> bool {
        self.parameters.predators.count > 0 && self.parameters.predators.attack_weight > 0.0
    }

    /// Lets predators hunt, or fly as the preset has them.
    pub fn hunt(&mut self, hunting: bool) {
        if hunting {
            if self.parameters.predators.count == 0 {
                self.add_predator();
            }
            let predators = &mut self.parameters.predators;
            // They are cut to their speed, so only the proportions count: boids in sight before the flock's centre.
            (predators.attack_weight, predators.chase_weight, predators.knot_weight) = (1.0, 0.05, 0.0);
        } else {
            let base = self.base().predators;
            let predators = &mut self.parameters.predators;
            predators.attack_weight = 0.0;
            (predators.chase_weight, predators.knot_weight) = (base.chase_weight, base.knot_weight);
            // One that was added to hunt leaves; one that follows the pointer stays, and so do the preset's.
            if base.count == 0 && self.tool != Tool::Predator {
                predators.count = 0;
            }
        }
    }

    /// Radius of the next obstacle, in units of length.
    #[must_use]
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

    /// Takes the last obstacle away.
    pub fn remove_obstacle(&mut self) {
        self.parameters.obstacles.spheres.pop();
        self.touch();
    }

    /// Puts the attractor somewhere.
    pub fn move_carrot(&mut self, position: [f32; 3]) {
        if let Some(parameter) = find("attractor.position") {
            self.set(parameter, Value::Vector(position.map(f64::from)));
        }
        self.touch();
    }
}
