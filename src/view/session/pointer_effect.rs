//! What the pointer does to the flock for a while: a point that attracts it, or a hawk that scares it. Neither is in the
//! parameters that the panel shows; the engine has it on top of them.

use flock::Parameters;

use super::Session;

/// Steps for which a hawk stays.
const STAYS: u64 = 90;

/// What is at a point for a while.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PointerEffect {
    /// The flock is drawn there while the pointer holds it.
    Attract([f32; 3]),
    /// A hawk is there until a step.
    Scare([f32; 3], u64),
}

impl Session {
    /// Draws the flock to a point for as long as it is held; `None` lets go.
    pub fn attract(&mut self, position: Option<[f32; 3]>) {
        if position.is_some() || matches!(self.pointer_effect, Some(PointerEffect::Attract(_))) {
            self.pointer_effect = position.map(PointerEffect::Attract);
        }
    }

    /// Lets a hawk appear at a point, and leave after some steps.
    pub fn scare(&mut self, position: [f32; 3]) {
        self.pointer_effect = Some(PointerEffect::Scare(position, self.frame.step + STAYS));
        self.keep_hawk();
    }

    /// Keeps the hawk where it is; takes it away when its time is over.
    pub(super) fn keep_hawk(&mut self) {
        let Some(PointerEffect::Scare(position, until)) = self.pointer_effect else { return };
        if self.frame.step >= until {
            self.pointer_effect = None;
            self.commit();
            return;
        }
        // Done with the next order: that of the parameters, where the hawk is new.
        self.worker.steer_predator(self.parameters.predators.count as usize, position);
        self.commit();
    }

    /// The parameters with what is there for a while; they may not be allowed.
    pub(super) fn lured(&self) -> Parameters {
        let mut p = self.parameters;
        match self.pointer_effect {
            None => {}
            Some(PointerEffect::Attract(position)) => {
                p.attractor.weight = p.attractor.weight.max(2.0 * self.noticeable());
                p.attractor.position = position.map(f64::from);
            }
            Some(PointerEffect::Scare(..)) => {
                let none = p.predators.count == 0;
                let predators = &mut p.predators;
                predators.count += 1;
                predators.radius = predators.radius.max(self.scare_radius());
                if none {
                    (predators.attack_weight, predators.chase_weight, predators.knot_weight) =
                        (0.0, 0.0, 0.0);
                    predators.max_speed = 0.0;
                }
                if predators.weight <= 0.0 {
                    predators.weight = 1.0;
                }
            }
        }
        p
    }

    /// How far a hawk is feared, in units of length.
    #[must_use]
    pub fn scare_radius(&self) -> f64 {
        0.15 * self.extent()
    }
}
