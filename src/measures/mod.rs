//! All measures of a flock, from its state.
//!
//! Order, motion and extent come from [`flock::measures`]; this module adds the measures of neighbours. Resting boids
//! count. Work and memory are about N log N at any density.

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
        /// The measures; NaN where one is not defined (an empty flock has no mean).
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Measures { $($(#[$doc])* pub $name: f64),* }

        impl Measures {
            /// The names, as in the columns of a file.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];

            /// The values, in the order of the names.
            pub fn values(&self) -> impl Iterator<Item = f64> + use<> {
                [$(self.$name),*].into_iter()
            }
        }
    };
}

measures! {
    /// |Σ v/|v|| / N, in [0, 1] (Vicsek et al., Phys. Rev. Lett. 75, 1995).
    polarization,
    /// |Σ r̂ × v̂| / N about the centre of mass, in [0, 1] (Tunstrøm et al., PLoS Comput. Biol. 9, 2013); 0 on one point.
    milling,
    /// Mean speed, length per time.
    mean_speed,
    /// The mean heading's angle from the x axis towards y, degrees in (−180, 180].
    heading,
    /// The mean heading's angle out of the x-y plane, degrees in [−90, 90].
    climb,
    /// Radius of gyration, length.
    gyration,
    /// 1 − b/a of the two longest principal half axes, in [0, 1]; 0 on one point, 1 on a line.
    elongation,
    /// Mean distance to the nearest other boid, length.
    nearest_mean,
    /// 10th percentile of these distances.
    nearest_p10,
    /// Median of these distances.
    nearest_p50,
    /// 90th percentile of these distances.
    nearest_p90,
    /// Mean number of other boids within the cohesion radius.
    neighbours_mean,
    /// Largest number of other boids within the cohesion radius.
    neighbours_max,
    /// Number of groups: the connected components of boids within the cohesion radius of each other.
    groups,
    /// Boids in the largest group.
    largest_group,
    /// 1 if the second largest group holds at least a tenth of the flock, else 0.
    split,
    /// Angle between the mean heading and the direction of most scouts (right in a tie), degrees in [0, 180].
    heading_error,
    /// Fraction of the flock with a heading within 45° of the right scouts' direction, +x (Couzin et al., Nature 433, 2005).
    share_right,
    /// Fraction with a heading within 45° of the left scouts' direction, −x.
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

/// The direction of most scouts, +1 or −1 along x; none without scouts.
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
