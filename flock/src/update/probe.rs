//! Probes see the requests and velocities of an update. The step itself passes [`Unobserved`], which compiles to nothing.

use crate::number::{Requests, Vec3};

/// A request of the rule, in the rule's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The three rules.
    Separation,
    /// See [`Part::Separation`].
    Alignment,
    /// See [`Part::Separation`].
    Cohesion,
    /// The way to the home.
    Home,
    /// The attractor.
    Attractor,
    /// Flight from predators.
    Predators,
    /// The random request.
    Noise,
    /// A clear line of sight.
    LineOfSight,
    /// Away from obstacles.
    Obstacles,
    /// The preferred direction of a scout.
    Scouts,
    /// The velocity added beyond a margin of the world, which no gain scales.
    Edges,
}

impl Part {
    /// Number of parts.
    pub const COUNT: usize = Part::Edges as usize + 1;
}

/// A velocity on its way to the next one, in the rule's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// With all requests, wind and edges.
    Requested,
    /// Blended with a scout's side.
    Blended,
    /// Turned by the errors of headings.
    Erred,
    /// After the limit of the turn.
    TurnLimited,
    /// Turned by angular noise.
    Scattered,
    /// After the limits of the speed: the next velocity.
    SpeedLimited,
}

impl Stage {
    /// Number of stages.
    pub const COUNT: usize = Stage::SpeedLimited as usize + 1;
}

/// Sees the parts of an update.
pub trait Probe<L: Requests> {
    /// A weighted request, before the gain. Parts that the rule does not have may be left out.
    #[inline(always)]
    fn request(&mut self, _part: Part, _request: L::Wide) {}

    /// The velocity at a stage.
    #[inline(always)]
    fn velocity(&mut self, _stage: Stage, _velocity: Vec3<L>) {}
}

/// Sees nothing.
#[derive(Clone, Copy, Debug)]
pub struct Unobserved;

impl<L: Requests> Probe<L> for Unobserved {}
