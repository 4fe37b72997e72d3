//! All measures of a flock, from its state.
//!
//! Order, motion and extent come from [`flock::measures`]; this module adds the measures of neighbours. Resting boids
//! count. Work and memory are about N log N at any density: what compares pairs takes a sample of bounded size
//! ([`sample`]).

mod axes;
mod correlation;
mod groups;
mod neighbours;
mod ranks;
mod sample;
mod shape;
mod space;
mod tree;

use flock::measures::{mean_preferred_direction, order};
use flock::{Parameters, Rule, Vec3};

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
    /// Angle between the mean heading and the mean of the scouts' preferred directions (that of the right ones where they
    /// balance), degrees in [0, 180].
    heading_error,
    /// Fraction of the flock with a heading within 45° of the right scouts' direction (Couzin et al., Nature 433, 2005):
    /// `scouts.right_direction` where `scouts.pull` draws them there, else +x.
    share_right,
    /// Fraction with a heading within 45° of the left scouts' direction.
    share_left,
    /// Polarization of the largest group, in [0, 1] (p_group of Couzin et al., J. theor. Biol. 218, 2002).
    group_polarization,
    /// Milling of the largest group about its own centre, in [0, 1] (m_group of the same).
    group_milling,
    /// |Σ r × v| / N about the centre of mass, area per time: the mean angular momentum of boids of mass 1.
    angular_momentum,
    /// Correlation length of the headings, length: where the connected correlation of their fluctuations about the mean
    /// first reaches zero (Cavagna et al., PNAS 107, 2010). NaN where all headings are equal. Of a sample: see
    /// [`correlation`] for its size, its bins and its cost.
    correlation_length,
    /// The same of the speeds; NaN where all speeds are equal.
    speed_correlation_length,
    /// Anisotropy γ of the nearest neighbours, in [0, 1] (Ballerini et al., PNAS 105, 2008): the squared cosine between
    /// the flock's heading and the direction in which the fewest nearest neighbours lie. Isotropic neighbours have 1/3
    /// (in two dimensions 1/2) in the mean; 1 if all are at the sides. See [`ranks`].
    anisotropy,
    /// The number of nearest neighbours, 0 to 16, that lie anisotropically (n_c of the same): the ranks before the first
    /// whose γ is no longer above that of isotropic ones. See [`ranks`].
    anisotropy_ranks,
    /// Boids per volume (in two dimensions area) in the core, the inner half of the ellipsoid that has the flock's
    /// gyration tensor. See [`shape`].
    density,
    /// The same in the edge, the outer quarter of the ellipsoid's axes (borders of starling flocks are denser: Ballerini
    /// et al., Animal Behaviour 76, 2008).
    density_edge,
    /// Ratio of the middle to the shortest principal half axis, at least 1 (I2/I1 of the same); in two dimensions of the
    /// longest to the shortest.
    aspect_1,
    /// Ratio of the longest to the shortest principal half axis, at least 1 (I3/I1 of the same); NaN in two dimensions.
    aspect_2,
    /// Angle between the shortest principal axis and z, degrees in [0, 90]; 0 for a level layer, NaN in two dimensions.
    tilt,
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
    let groups::Groups { sizes: groups, largest } = groups::find(&tree, radius);
    let sample = sample::of(points.len());
    let lengths = correlation::lengths(&tree.space, &state.boids, &sample);
    let order = order(&rule, &state.boids);
    let in_group = match largest.len() == points.len() {
        true => order,
        false => {
            flock::measures::order(&rule, &largest.iter().map(|id| state.boids[*id]).collect::<Vec<_>>())
        }
    };
    let of_group = |get: fn(&flock::measures::Order) -> f64| in_group.as_ref().map_or(f64::NAN, get);
    let shape = shape::of(&rule, &state.boids, order.as_ref());
    let of = |get: fn(&flock::measures::Order) -> f64| order.as_ref().map_or(f64::NAN, get);
    let heading = order.map_or([0.0; 3], |order| order.heading);
    let ranks = ranks::of(&tree, &rule, &sample, heading.into());
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
            preferred(&rule, state)
                .map_or(f64::NAN, |way| Vec3::from(heading).dot(way.into()).clamp(-1.0, 1.0).acos()),
        ),
        share_right: of(|o| o.share_right),
        share_left: of(|o| o.share_left),
        group_polarization: of_group(|o| o.polarization),
        group_milling: of_group(|o| o.milling),
        angular_momentum: of(|o| o.angular_momentum),
        correlation_length: lengths.headings,
        speed_correlation_length: lengths.speeds,
        anisotropy: ranks.anisotropy,
        anisotropy_ranks: ranks.anisotropic,
        density: shape.density,
        density_edge: shape.density_edge,
        aspect_1: shape.aspect_1,
        aspect_2: shape.aspect_2,
        tilt: shape.tilt,
    }
}

/// Where the scouts go on the whole; none without scouts.
fn preferred(rule: &Rule<f64>, state: &State) -> Option<[f64; 3]> {
    use flock::state::group;
    let count = |which| state.boids.iter().filter(|boid| boid.group == which).count() as f64;
    mean_preferred_direction(rule, count(group::RIGHT), count(group::LEFT))
}

#[cfg(test)]
mod tests;
