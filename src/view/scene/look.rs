//! How a flock is painted: colours, sizes, haze.

use flock::Parameters;

/// What a boid's colour tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colour {
    /// Where it flies to: the compass as a circle of hues, climbing lighter.
    #[default]
    Heading,
    /// Where it is.
    Position,
    /// How fast it is, between the speed limits.
    Speed,
    /// How many others it perceives.
    Density,
    /// Which scouts it belongs to: right amber, left teal.
    Group,
}

impl Colour {
    /// All of them, with the words used on the command line and in the panel.
    pub const ALL: [(Colour, &'static str); 5] = [
        (Colour::Heading, "heading"),
        (Colour::Position, "position"),
        (Colour::Speed, "speed"),
        (Colour::Density, "density"),
        (Colour::Group, "group"),
    ];

    /// Its word.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// How much work a boid is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// A round cone, or a folded paper dart in a flat world.
    Cone,
    /// One triangle with its broad side to the eye: a quarter of the work, and alike from afar.
    Dart,
}

impl Detail {
    /// What draws so many boids well within a frame.
    #[must_use]
    pub fn for_window(boids: u32, hardware: bool) -> Self {
        let most = if hardware { 300_000 } else { 10_000 };
        if boids <= most { Detail::Cone } else { Detail::Dart }
    }
}

/// Boids up to which a software adapter, too, draws smooth edges: with more, speed matters more.
const SMOOTH: u32 = 5_000;

/// Whether a window draws so many boids with smooth edges.
#[must_use]
pub fn smooth_for_window(boids: u32, hardware: bool) -> bool {
    hardware || boids <= SMOOTH
}

/// How a flock is painted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// What a boid's colour tells.
    pub colour: Colour,
    /// How much work a boid is worth, at most.
    pub detail: Detail,
    /// Length of a boid, in units of length.
    pub size: f32,
    /// Length below which no boid is drawn, in pixels, so that far ones do not flicker.
    pub least_pixels: f32,
    /// Haze in space: 0 none, 1 thick.
    pub fog: f32,
    /// Number of neighbours that colour by density takes for typical.
    pub typical_neighbours: f32,
    /// Whether the edges of a bounded world are drawn.
    pub edges: bool,
}

impl Look {
    /// What suits a flock.
    ///
    /// A boid is shorter than the distance it keeps, but not lost in the space that its world has for each
    /// (`(volume / N)^(1/3)`), nor larger than half of that.
    #[must_use]
    pub fn new(parameters: &Parameters) -> Self {
        Look {
            colour: Colour::default(),
            detail: Detail::Cone,
            size: size(parameters) as f32,
            least_pixels: 2.4,
            fog: 0.55,
            typical_neighbours: typical_neighbours(parameters) as f32,
            edges: true,
        }
    }
}

/// The space a boid has for itself at the start: the side of its share of the world.
fn spacing(p: &Parameters) -> f64 {
    let side = |k: usize| p.world.max[k] - p.world.min[k];
    let boids = f64::from(p.flock.boids.max(1));
    if p.flat() { (side(0) * side(1) / boids).sqrt() } else { (side(0) * side(1) * side(2) / boids).cbrt() }
}

fn size(p: &Parameters) -> f64 {
    let room = spacing(p);
    // On a plane nobody is hidden behind others, so there is room for larger ones.
    let (near, least, most) = if p.flat() { (0.75, 0.22, 0.45) } else { (0.6, 0.16, 0.3) };
    (near * p.separation.radius).clamp(least * room, most * room)
}

/// Twice what a uniform start has within the greatest radius: a settled flock is denser.
fn typical_neighbours(p: &Parameters) -> f64 {
    let radius = p.alignment.radius.max(p.cohesion.radius).max(p.separation.radius) / spacing(p);
    let within = if p.flat() { radius.powi(2) } else { 4.0 / 3.0 * radius.powi(3) } * std::f64::consts::PI;
    (2.0 * within).clamp(4.0, 200.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_the_order_of_the_modes() {
        for (index, (colour, name)) in Colour::ALL.into_iter().enumerate() {
            assert_eq!((colour as usize, colour.name()), (index, name));
        }
    }

    #[test]
    fn boids_are_neither_lost_nor_in_each_others_way() {
        let mut p = Parameters::default();
        for (radius, share) in [(1e-3, 0.16), (1e3, 0.3)] {
            p.separation.radius = radius;
            let size = f64::from(Look::new(&p).size);
            assert!((size / spacing(&p) - share).abs() < 1e-6);
        }
        (p.flock.boids, p.flock.dimensions) = (0, 2);
        assert!(Look::new(&p).size > 0.0);
    }
}
