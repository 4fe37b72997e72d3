//! A flock in two dimensions as a vector field: one arrow per boid, axes around the world, and the step number above.

mod axes;

use flock::parameters::Edges;
use flock::state::group;
use flock::{Boid, Parameters};
use vello_cpu::kurbo::{BezPath, Circle, Point, Rect, Shape, Vec2};
use vello_cpu::peniko::Color;

use self::axes::Axes;
use super::canvas::{Anchor, Canvas};
use super::error::{Error, Result};
use cpu::state::State;

const PAPER: Color = Color::from_rgb8(0xfb, 0xfa, 0xf6);
const INK: Color = Color::from_rgb8(0x2b, 0x36, 0x44);
const FAINT: Color = Color::from_rgb8(0x8a, 0x92, 0x9c);
const OBSTACLE: Color = Color::from_rgb8(0xdd, 0xda, 0xd2);
const PREDATOR: Color = Color::from_rgb8(0xc8, 0x1d, 0x25);

const BOID: Color = Color::from_rgb8(0x3d, 0x4f, 0x66);

/// The groups of scouts, their names and colours.
const SCOUTS: [(u32, &str, Color); 2] = [
    (group::RIGHT, "scouts to the right", Color::from_rgb8(0xd9, 0x5f, 0x02)),
    (group::LEFT, "scouts to the left", Color::from_rgb8(0x00, 0x8c, 0x8c)),
];

/// Draws the states of one run, all to the same scale: y points down, as on a screen.
pub struct Arrows {
    canvas: Canvas,
    parameters: Parameters,
    /// The part of the plane that is shown: the world, and wherever the flock has been beyond it.
    view: Rect,
}

impl Arrows {
    /// Pictures of `width` × `height` pixels of a flock with these parameters.
    ///
    /// # Errors
    /// [`Error::Encode`] where the built-in font is broken.
    pub fn new(width: u16, height: u16, parameters: &Parameters) -> Result<Self> {
        let broken = |error| Error::encode("the step number".as_ref(), error);
        let canvas = Canvas::new(width, height).map_err(broken)?;
        let [min, max] = [parameters.world.min, parameters.world.max];
        let view = Rect::new(min[0], min[1], max[0], max[1]);
        Ok(Self { canvas, parameters: *parameters, view })
    }

    /// The picture of `state`: width × height × 4 bytes, RGBA, row by row from the top.
    pub fn draw(&mut self, state: &State) -> &[u8] {
        self.widen(state);
        let axes = Axes::new(self.canvas.size(), self.view);
        self.canvas.clear(PAPER);
        self.draw_obstacles(&axes);
        axes.draw(&mut self.canvas, INK, FAINT);
        self.draw_boids(&axes, &state.boids);
        self.draw_others(&axes, state);
        self.draw_label(&axes, state);
        self.canvas.picture()
    }

    /// Extends the view to boids outside the world, with a margin.
    fn widen(&mut self, state: &State) {
        if self.parameters.world.edges == Edges::Wrap {
            return;
        }
        let inside = |boid: &&Boid<f64>| boid.position[0].is_finite() && boid.position[1].is_finite();
        let reach = state
            .boids
            .iter()
            .filter(inside)
            .fold(self.view, |reach, boid| reach.union_pt((boid.position[0], boid.position[1])));
        if reach != self.view {
            let room = 0.1 * reach.width().max(reach.height());
            let extend = |old: f64, new: f64, room: f64| if old == new { old } else { new + room };
            self.view = Rect::new(
                extend(self.view.x0, reach.x0, -room),
                extend(self.view.y0, reach.y0, -room),
                extend(self.view.x1, reach.x1, room),
                extend(self.view.y1, reach.y1, room),
            );
        }
    }

    fn draw_obstacles(&mut self, axes: &Axes) {
        self.canvas.clip(&axes.frame());
        for sphere in self.parameters.obstacles.spheres.as_slice() {
            let circle = Circle::new(axes.place(sphere.position), sphere.radius * axes.scale());
            self.canvas.fill(&circle, OBSTACLE);
        }
        self.canvas.unclip();
    }

    fn draw_boids(&mut self, axes: &Axes, boids: &[Boid<f64>]) {
        let longest = self.arrow_length(axes, boids.len());
        let fastest = self.parameters.motion.max_speed.max(f64::MIN_POSITIVE);
        // The few scouts come last, on top of the others.
        let scouts = SCOUTS.map(|(group, _, colour)| (group, colour));
        for (group, colour) in [(group::NONE, BOID)].into_iter().chain(scouts) {
            let mut path = BezPath::new();
            for boid in boids.iter().filter(|boid| boid.group == group) {
                let velocity = Vec2::new(boid.velocity[0], boid.velocity[1]);
                // A slow boid keeps a visible arrow.
                let share = (velocity.hypot() / fastest).clamp(0.4, 1.0);
                arrow(&mut path, axes.place(boid.position), velocity, longest * share);
            }
            self.canvas.fill(&path, colour);
        }
    }

    /// The length of the longest arrow in pixels, shorter in large flocks.
    fn arrow_length(&self, axes: &Axes, boids: usize) -> f64 {
        let frame = axes.frame();
        let spacing = (frame.area() / boids.max(1) as f64).sqrt();
        spacing.clamp(5.0 * axes.unit(), 17.0 * axes.unit())
    }

    /// The attractor as a cross, and the predators.
    fn draw_others(&mut self, axes: &Axes, state: &State) {
        let attractor = self.parameters.attractor;
        let size = 6.0 * axes.unit();
        if attractor.weight != 0.0 {
            let centre = axes.place(attractor.position);
            let mut cross = BezPath::new();
            for (x, y) in [(size, 0.0), (0.0, size)] {
                cross.move_to(centre - Vec2::new(x, y));
                cross.line_to(centre + Vec2::new(x, y));
            }
            self.canvas.stroke(&cross, 2.0 * axes.unit(), PREDATOR);
        }
        let mut path = BezPath::new();
        for predator in &state.predators {
            let velocity = Vec2::new(predator.velocity[0], predator.velocity[1]);
            arrow(&mut path, axes.place(predator.position), velocity, 24.0 * axes.unit());
        }
        self.canvas.fill(&path, PREDATOR);
    }

    /// The step at the left and the legend at the right, above the axes.
    fn draw_label(&mut self, axes: &Axes, state: &State) {
        let unit = axes.unit();
        let baseline = axes.frame().y0 - 9.0 * unit;
        let step = format!("step {}", state.step);
        self.canvas.text(&step, (axes.frame().x0, baseline), 19.0 * unit, Anchor::Start, INK);
        let mut right = axes.frame().x1;
        for (group, name, colour) in SCOUTS.into_iter().rev() {
            if state.boids.iter().all(|boid| boid.group != group) {
                continue;
            }
            right -= self.canvas.text(name, (right, baseline), 13.0 * unit, Anchor::End, INK) + 9.0 * unit;
            self.canvas.fill(&Circle::new((right, baseline - 4.5 * unit), 3.6 * unit), colour);
            right -= 14.0 * unit;
        }
    }
}

impl std::fmt::Debug for Arrows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Arrows").field("view", &self.view).finish_non_exhaustive()
    }
}

/// Adds an arrow whose middle is at `centre`; a dot where there is no direction.
fn arrow(path: &mut BezPath, centre: Point, velocity: Vec2, length: f64) {
    let speed = velocity.hypot();
    if !centre.is_finite() || !speed.is_finite() {
        return;
    }
    if speed == 0.0 {
        path.extend(Circle::new(centre, 0.13 * length).path_elements(0.05));
        return;
    }
    let along = velocity * (length / speed);
    let across = Vec2::new(-along.y, along.x);
    // Tail, shaft, head and point, along and across, in lengths.
    let outline = [
        (-0.5, 0.045),
        (0.06, 0.055),
        (-0.02, 0.21),
        (0.5, 0.0),
        (-0.02, -0.21),
        (0.06, -0.055),
        (-0.5, -0.045),
    ];
    for (k, (x, y)) in outline.into_iter().enumerate() {
        let point = centre + along * x + across * y;
        if k == 0 { path.move_to(point) } else { path.line_to(point) }
    }
    path.close_path();
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: (usize, usize) = (300, 240);

    fn parameters() -> Parameters {
        let mut parameters = Parameters::default();
        parameters.flock.dimensions = 2;
        (parameters.world.min, parameters.world.max) = ([0.0; 3], [100.0; 3]);
        parameters
    }

    fn boid(position: [f64; 2], velocity: [f64; 2], group: u32) -> Boid<f64> {
        let [x, y] = position;
        let [vx, vy] = velocity;
        Boid { position: [x, y, 0.0], velocity: [vx, vy, 0.0], group, ..Boid::default() }
    }

    fn picture(step: u64, boids: &[Boid<f64>]) -> Vec<[u8; 4]> {
        let mut arrows = Arrows::new(SIZE.0 as u16, SIZE.1 as u16, &parameters()).unwrap();
        let state = State { step, boids: boids.to_vec(), predators: Vec::new() };
        arrows.draw(&state).as_chunks::<4>().0.to_vec()
    }

    /// Where two pictures differ: the smallest rectangle, and how much in all.
    fn difference(a: &[[u8; 4]], b: &[[u8; 4]]) -> (Option<Rect>, u32) {
        let (mut place, mut sum) = (None::<Rect>, 0);
        for (k, (a, b)) in a.iter().zip(b).enumerate().filter(|(_, (a, b))| a != b) {
            let at = Point::new((k % SIZE.0) as f64, (k / SIZE.0) as f64);
            place = Some(place.map_or(Rect::from_points(at, at), |place| place.union_pt(at)));
            sum += (0..3).map(|c| u32::from(a[c].abs_diff(b[c]))).sum::<u32>();
        }
        (place, sum)
    }

    fn frame() -> Rect {
        Axes::new((SIZE.0 as f64, SIZE.1 as f64), Rect::new(0.0, 0.0, 100.0, 100.0)).frame()
    }

    #[test]
    fn the_step_stands_above_the_axes() {
        let (place, _) = difference(&picture(120, &[]), &picture(121, &[]));
        let place = place.expect("another step is another picture");
        assert!(place.y1 < frame().y0 && place.x0 > frame().x0, "{place:?}");
        assert_eq!(difference(&picture(120, &[]), &picture(120, &[])).0, None);
    }

    #[test]
    fn an_arrow_points_along_the_velocity() {
        let empty = picture(0, &[]);
        let speed = parameters().motion.max_speed;
        let arrow = picture(0, &[boid([50.0, 25.0], [speed, 0.0], 0)]);
        let (place, ink) = difference(&empty, &arrow);
        let place = place.unwrap();
        let centre = frame().origin() + Vec2::new(0.5 * frame().width(), 0.25 * frame().height());
        assert!(place.center().distance(centre) < 1.5, "{place:?} around {centre:?}");
        assert!(place.width() > 1.5 * place.height(), "{place:?}");
        let column = |x: f64| {
            (0..SIZE.1).filter(|y| empty[y * SIZE.0 + x as usize] != arrow[y * SIZE.0 + x as usize]).count()
        };
        assert!(column(centre.x + 1.0) > column(place.x0 + 1.0), "the head is ahead");
        let still = picture(0, &[boid([50.0, 25.0], [0.0, 0.0], 0)]);
        let (place, dot) = difference(&empty, &still);
        let place = place.unwrap();
        assert!((place.width() - place.height()).abs() <= 1.0 && dot < ink, "a dot where it rests");
    }

    #[test]
    fn scouts_have_colours_and_a_legend() {
        let plain = picture(0, &[boid([50.0, 50.0], [1.0, 0.0], group::NONE)]);
        let scout = picture(0, &[boid([50.0, 50.0], [1.0, 0.0], group::RIGHT)]);
        let orange = |picture: &[[u8; 4]]| picture.iter().filter(|[r, _, b, _]| *r > 180 && *b < 60).count();
        assert_eq!(orange(&plain), 0);
        assert!(orange(&scout) > 10);
        let (place, _) = difference(&plain, &scout);
        assert!(place.unwrap().y0 < frame().y0, "the legend names it");
    }

    #[test]
    fn shows_boids_beyond_an_open_world_and_survives_any_state() {
        let mut arrows = Arrows::new(300, 240, &parameters()).unwrap();
        let away = boid([150.0, -20.0], [1.0, 0.0], 0);
        let mut state = State { boids: vec![away], ..State::default() };
        arrows.draw(&state);
        let view = arrows.view;
        assert!(view.x1 > 150.0 && view.y0 < -20.0 && view.x0 == 0.0 && view.y1 == 100.0, "{view:?}");
        state.boids = vec![boid([50.0, 50.0], [1.0, 0.0], 0), boid([f64::NAN, 0.0], [1.0, f64::INFINITY], 0)];
        arrows.draw(&state);
        assert_eq!(arrows.view, view, "the scale stays");
    }
}
