//! The measures of a flock, all of them, from its state.
//!
//! Order, motion and extent are [`flock::measures`]'; here are those that look at neighbours. All boids count, those
//! on their perch too. Work and memory stay near N log N however dense the flock is.

mod groups;
mod neighbours;
mod space;
mod tree;

use flock::measures::order;
use flock::{Parameters, Rule};

use crate::state::State;
use space::Space;
use tree::Tree;

macro_rules! measures {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// What is measured; NaN where a flock has no such thing (a flock of none has no mean).
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Measures { $($(#[$doc])* pub $name: f64),* }

        impl Measures {
            /// The names, as columns of a file have them.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];

            /// The values, in the order of the names.
            pub fn values(&self) -> impl Iterator<Item = f64> + use<> {
                [$(self.$name),*].into_iter()
            }
        }
    };
}

measures! {
    /// |Σ v/|v|| / N, in [0, 1].
    polarization,
    /// |Σ r̂ × v̂| / N about the centre of mass, in [0, 1].
    milling,
    /// Mean speed, length a unit of time.
    mean_speed,
    /// The mean heading's angle from the x axis towards y, degrees in (−180, 180].
    heading,
    /// The mean heading's angle out of the x-y plane, degrees in [−90, 90].
    climb,
    /// Radius of gyration, length.
    gyration,
    /// 1 − b/a of the two longest principal half axes, in [0, 1].
    elongation,
    /// Mean distance to the nearest other boid, length.
    nearest_mean,
    /// What a tenth of these distances are at most.
    nearest_p10,
    /// What half of them are at most.
    nearest_p50,
    /// What nine tenths of them are at most.
    nearest_p90,
    /// Mean number of other boids within the cohesion radius.
    neighbours_mean,
    /// Most of them.
    neighbours_max,
    /// Number of groups: boids within the cohesion radius of each other are of one group.
    groups,
    /// Boids in the largest group.
    largest_group,
    /// 1 where the flock has split, a second group holding at least a tenth of it; else 0.
    split,
    /// Angle between the mean heading and what most scouts prefer (right in a tie), degrees in [0, 180].
    heading_error,
    /// Fraction of the flock within 45° of what the right scouts prefer, larger x.
    share_right,
    /// Fraction within 45° of what the left scouts prefer, smaller x.
    share_left,
}

/// Measures a state.
#[must_use]
pub fn measure(parameters: &Parameters, state: &State) -> Measures {
    let rule = Rule::<f64>::new(parameters);
    let points: Vec<[f64; 3]> = state.boids.iter().map(|boid| boid.position).collect();
    let tree = Tree::new(&points, Space::new(&rule));
    let radius = parameters.cohesion.radius;
    let nearest = neighbours::nearest(&tree);
    let count = neighbours::count(&tree, radius);
    let groups = groups::sizes(&tree, radius);
    let order = order(&rule, &state.boids);
    let of = |get: fn(&flock::measures::Order) -> f64| order.as_ref().map_or(f64::NAN, get);
    let heading = order.map_or([0.0; 3], |order| order.heading);
    let known = |angle: f64| if heading == [0.0; 3] { f64::NAN } else { angle.to_degrees() };
    Measures {
        polarization: of(|o| o.polarization),
        milling: of(|o| o.milling),
        mean_speed: of(|o| o.mean_speed),
        heading: known(heading[1].atan2(heading[0])),
        climb: known(heading[2].clamp(-1.0, 1.0).asin()),
        gyration: of(|o| o.gyration),
        elongation: of(|o| o.elongation),
        nearest_mean: nearest.mean,
        nearest_p10: nearest.quantile(0.1),
        nearest_p50: nearest.quantile(0.5),
        nearest_p90: nearest.quantile(0.9),
        neighbours_mean: count.mean,
        neighbours_max: count.most,
        groups: groups.len() as f64,
        largest_group: groups.first().copied().unwrap_or(0) as f64,
        split: f64::from(groups.get(1).is_some_and(|second| 10 * second >= points.len())),
        heading_error: known(
            preferred(state).map_or(f64::NAN, |side| (side * heading[0]).clamp(-1.0, 1.0).acos()),
        ),
        share_right: of(|o| o.share_right),
        share_left: of(|o| o.share_left),
    }
}

/// The side that most scouts prefer: +1 or −1 along x; none without scouts.
fn preferred(state: &State) -> Option<f64> {
    use flock::state::group;
    let count = |which| state.boids.iter().filter(|boid| boid.group == which).count();
    match (count(group::RIGHT), count(group::LEFT)) {
        (0, 0) => None,
        (right, left) => Some(if right >= left { 1.0 } else { -1.0 }),
    }
}

#[cfg(test)]
mod tests;
