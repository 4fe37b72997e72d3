//! All measures of a flock, from its state.
//!
//! Order, motion and extent come from [`flock::measures`]; this module adds the measures of neighbours. Resting boids
//! count. Work and memory are about N log N at any density: what compares pairs takes a sample of bounded size
//! (`sample_ids`).

mod correlation;
mod groups;
mod neighbours;
mod shape;
mod tree;

use std::cell::LazyCell;

use flock::measures::{Order, mean_preferred_direction, order};
use flock::random::{draw, stream};
use flock::{Parameters, Rule, Vec3};
use tree::{Space, Tree};

use crate::State;

pub use neighbours::{Pairs, nearest_others, within};

/// Measures that are computed together: `Order` and `Shape` by sums over the boids, the others by comparing boids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    Order,
    Nearest,
    Neighbours,
    Groups,
    Correlation,
    Ranks,
    Shape,
}

const INFINITY: f64 = f64::INFINITY;

macro_rules! measures {
    ($($(#[$doc:meta])* $name:ident: $family:ident $range:expr,)*) => {
        /// The measures; NaN where one is not defined (an empty flock has no mean).
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Measures { $($(#[$doc])* pub $name: f64),* }

        impl Measures {
            /// The names, as in the columns of a file.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];

            /// The family of each, in the same order.
            pub const FAMILIES: &'static [Family] = &[$(Family::$family),*];
            /// The least and the greatest value of each.
            pub const RANGES: &'static [[f64; 2]] = &[$($range),*];

            /// All measures undefined.
            const UNDEFINED: Measures = Measures { $($name: f64::NAN),* };

            /// The values, in the order of the names.
            pub fn values(&self) -> impl Iterator<Item = f64> + use<> {
                [$(self.$name),*].into_iter()
            }
        }
    };
}

measures! {
    /// |Σ v/|v|| / N, in [0, 1] (Vicsek et al., Phys. Rev. Lett. 75, 1995).
    polarization: Order [0.0, 1.0],
    /// |Σ r̂ × v̂| / N about the centre of mass, in [0, 1] (Tunstrøm et al., PLoS Comput. Biol. 9, 2013); 0 on a point.
    milling: Order [0.0, 1.0],
    /// Mean speed, length per time.
    mean_speed: Order [0.0, INFINITY],
    /// The mean heading's angle from the x axis towards y, degrees in (−180, 180].
    heading: Order [-180.0, 180.0],
    /// The mean heading's angle out of the x-y plane, degrees in [−90, 90].
    climb: Order [-90.0, 90.0],
    /// Radius of gyration, length.
    gyration: Order [0.0, INFINITY],
    /// 1 − b/a of the two longest principal half axes, in [0, 1]; 0 on one point, 1 on a line.
    elongation: Order [0.0, 1.0],
    /// Mean distance to the nearest other boid, length.
    nearest_mean: Nearest [0.0, INFINITY],
    /// 10th percentile of these distances.
    nearest_p10: Nearest [0.0, INFINITY],
    /// Median of these distances.
    nearest_p50: Nearest [0.0, INFINITY],
    /// 90th percentile of these distances.
    nearest_p90: Nearest [0.0, INFINITY],
    /// Mean number of other boids within the cohesion radius.
    neighbours_mean: Neighbours [0.0, INFINITY],
    /// Largest number of other boids within the cohesion radius.
    neighbours_max: Neighbours [0.0, INFINITY],
    /// Number of groups: the connected components of boids within the cohesion radius of each other.
    groups: Groups [0.0, INFINITY],
    /// Boids in the largest group.
    largest_group: Groups [0.0, INFINITY],
    /// 1 if the second largest group holds at least a tenth of the flock, else 0.
    split: Groups [0.0, 1.0],
    /// Angle between the mean heading and the mean of the scouts' preferred directions (that of the right ones where
    /// they balance), degrees in [0, 180].
    heading_error: Order [0.0, 180.0],
    /// Fraction of the flock with a heading within 45° of the right scouts' direction (Couzin et al., Nature 433,
    /// 2005): `scouts.right_direction` where `scouts.pull` draws them there, else +x.
    share_right: Order [0.0, 1.0],
    /// Fraction with a heading within 45° of the left scouts' direction.
    share_left: Order [0.0, 1.0],
    /// Polarization of the largest group, in [0, 1] (p_group of Couzin et al., J. theor. Biol. 218, 2002).
    group_polarization: Groups [0.0, 1.0],
    /// Milling of the largest group about its own centre, in [0, 1] (m_group of the same).
    group_milling: Groups [0.0, 1.0],
    /// |Σ r × v| / N about the centre of mass, area per time: the mean angular momentum of boids of mass 1.
    angular_momentum: Order [0.0, INFINITY],
    /// Correlation length of the headings, length: where the connected correlation of their fluctuations about the mean
    /// first reaches zero (Cavagna et al., PNAS 107, 2010). NaN where all headings are equal. Computed from a sample:
    /// see `correlation` for its size, its bins and its cost.
    correlation_length: Correlation [0.0, INFINITY],
    /// Correlation length of the speeds; NaN where all speeds are equal.
    speed_correlation_length: Correlation [0.0, INFINITY],
    /// Anisotropy γ of the nearest neighbours, in [0, 1] (Ballerini et al., PNAS 105, 2008): the squared cosine between
    /// the flock's heading and the direction in which the fewest nearest neighbours lie. Isotropic neighbours have 1/3
    /// (in two dimensions 1/2) in the mean; 1 if all are at the sides. See `neighbours::anisotropy`.
    anisotropy: Ranks [0.0, 1.0],
    /// The number of nearest neighbours, 0 to 16, that lie anisotropically (n_c of the same): the ranks before the
    /// first whose γ is no longer above that of isotropic ones. See `neighbours::anisotropy`.
    anisotropy_ranks: Ranks [0.0, INFINITY],
    /// Boids per volume (in two dimensions area) in the core, the inner half of the ellipsoid that has the flock's
    /// gyration tensor. See `shape`.
    density: Shape [0.0, INFINITY],
    /// Density in the edge, the outer quarter of the ellipsoid's axes (borders of starling flocks are denser: Ballerini
    /// et al., Animal Behaviour 76, 2008).
    density_edge: Shape [0.0, INFINITY],
    /// Ratio of the middle to the shortest principal half axis, at least 1 (I2/I1 of the same); in two dimensions of
    /// the longest to the shortest.
    aspect_1: Shape [0.0, INFINITY],
    /// Ratio of the longest to the shortest principal half axis, at least 1 (I3/I1 of the same); NaN in two dimensions.
    aspect_2: Shape [0.0, INFINITY],
    /// Angle between the shortest principal axis and z, degrees in [0, 90]; 0 for a level layer, NaN in two dimensions.
    tilt: Shape [0.0, 90.0],
}

/// Measures a state.
pub fn measure(parameters: &Parameters, state: &State) -> Measures {
    measure_only(parameters, state, Measures::FAMILIES)
}

/// The measures of some families; NaN for the others.
pub fn measure_only(parameters: &Parameters, state: &State, families: &[Family]) -> Measures {
    let wanted = |family| families.contains(&family);
    let rule = Rule::<f64>::new(parameters);
    let boids = &state.boids;
    let points: Vec<[f64; 3]> = boids.iter().map(|boid| boid.position).collect();
    let tree = LazyCell::new(|| Tree::new(&points, Space::new(&rule)));
    let radius = parameters.cohesion.radius;
    let sample = sample_ids(points.len());
    let order = order(&rule, boids);
    let mut m = Measures::UNDEFINED;
    if let Some(order) = order.filter(|_| wanted(Family::Order)) {
        fill_order(&mut m, &order, preferred(&rule, state));
        m.elongation = shape::elongation(&order, rule.flat);
    }
    if wanted(Family::Nearest) {
        let nearest = neighbours::nearest(&tree);
        m.nearest_mean = nearest.iter().sum::<f64>() / nearest.len() as f64;
        let quantile = |share| neighbours::quantile(&nearest, share);
        (m.nearest_p10, m.nearest_p50, m.nearest_p90) = (quantile(0.1), quantile(0.5), quantile(0.9));
    }
    if wanted(Family::Neighbours) {
        (m.neighbours_mean, m.neighbours_max) = neighbours::count(&tree, radius);
    }
    if wanted(Family::Groups) {
        let groups::Groups { sizes, largest } = groups::find(&tree, radius);
        m.groups = sizes.len() as f64;
        m.largest_group = sizes.first().copied().unwrap_or(0) as f64;
        m.split = f64::from(sizes.get(1).is_some_and(|second| 10 * second >= points.len()));
        let in_group = match largest.len() == points.len() {
            true => order,
            false => flock::measures::order(&rule, &largest.iter().map(|id| boids[*id]).collect::<Vec<_>>()),
        };
        if let Some(order) = in_group {
            (m.group_polarization, m.group_milling) = (order.polarization, order.milling);
        }
    }
    if wanted(Family::Correlation) {
        (m.correlation_length, m.speed_correlation_length) =
            correlation::lengths(&tree.space, boids, &sample);
    }
    if wanted(Family::Ranks) {
        let heading = order.map_or([0.0; 3], |order| order.heading);
        (m.anisotropy, m.anisotropy_ranks) = neighbours::anisotropy(&tree, &rule, &sample, heading.into());
    }
    if let Some(order) = order.filter(|_| wanted(Family::Shape)) {
        shape::fill(&mut m, &rule, boids, &order);
    }
    m
}

/// Order, motion and extent; `preferred` is the mean of the scouts' directions.
fn fill_order(m: &mut Measures, order: &Order, preferred: Option<[f64; 3]>) {
    m.polarization = order.polarization;
    m.milling = order.milling;
    m.mean_speed = order.mean_speed;
    m.gyration = order.gyration;
    m.share_right = order.share_right;
    m.share_left = order.share_left;
    m.angular_momentum = order.angular_momentum;
    let heading = order.heading;
    if heading == [0.0; 3] {
        return;
    }
    m.heading = heading[1].atan2(heading[0]).to_degrees();
    m.climb = heading[2].clamp(-1.0, 1.0).asin().to_degrees();
    if let Some(way) = preferred {
        m.heading_error = Vec3::from(heading).dot(way.into()).clamp(-1.0, 1.0).acos().to_degrees();
    }
}

/// The mean of the scouts' directions; none without scouts.
fn preferred(rule: &Rule<f64>, state: &State) -> Option<[f64; 3]> {
    use flock::state::group;
    let count = |which| state.boids.iter().filter(|boid| boid.group == which).count() as f64;
    mean_preferred_direction(rule, count(group::RIGHT), count(group::LEFT))
}

/// The most boids of a sample: their half a million pairs take a few milliseconds.
const SAMPLE: usize = 1024;

/// The ids of a sample in ascending order: all ids up to 1024, else one drawn from each of 1024 blocks of ids. The draw
/// depends only on the number of boids, so that equal states have equal measures.
fn sample_ids(boids: usize) -> Vec<usize> {
    if boids <= SAMPLE {
        return (0..boids).collect();
    }
    // In 64 bits: a usize of 32 bits would overflow.
    let start = |block: usize| (block as u64 * boids as u64 / SAMPLE as u64) as usize;
    let drawn = |block: usize| {
        let [word, ..] = draw(boids as u32, 0, block as u32, stream::MEASURES);
        let (first, next) = (start(block), start(block + 1));
        first + ((u64::from(word) * (next - first) as u64) >> 32) as usize
    };
    (0..SAMPLE).map(drawn).collect()
}

#[cfg(test)]
mod tests;
