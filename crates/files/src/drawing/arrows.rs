//! A flock in two dimensions as a vector field: one arrow per boid, axes around the world, and the step number above.

use flock::parameters::{Edges, MAX_GROUPS};
use flock::{Boid, Parameters};
use vello_cpu::kurbo::{BezPath, Circle, Line, ParamCurve as _, Point, Rect, Shape, Vec2};
use vello_cpu::peniko::Color;

use super::axis::PlotAxis;
use super::{Drawing, END, INK, MIDDLE, PAPER, START, outline, paint, polyline, rgb, round_step};
use config::{Outline, View};
use engine::State;

const FAINT: Color = paint(rgb(0x8a929c));
const OBSTACLE: Color = paint(rgb(0xdddad2));
const SHAPE: Color = paint(rgb(0x9a6a2f));
const PREDATOR: Color = paint(rgb(0xc81d25));

/// The colours of the groups. The few scouts come after group 0, on top of the others.
const GROUPS: [u32; MAX_GROUPS] =
    [0x3d4f66, 0xd95f02, 0x008c8c, 0xc23b8f, 0x6aa01c, 0x2b62d9, 0x80491c, 0x9b6fe8];

/// Minimum mean distance of arrows, in units of the picture: closer arrows cover half of it and cannot be told apart.
const ROOM: f64 = 3.0;

/// Draws the states of one run, all to the same scale: y points down, as on a screen.
#[derive(Debug)]
pub struct Arrows {
    size: [u16; 2],
    parameters: Parameters,
    /// The shapes and names of the flock.
    shown: View,
    /// The visible part of the plane: the world, extended to all positions that the flock has reached.
    view: Rect,
}

impl Arrows {
    /// Pictures of `size` pixels of a flock with these parameters.
    pub fn new(size: [u16; 2], parameters: &Parameters, shown: &View) -> Self {
        let [min, max] = [parameters.world.min, parameters.world.max];
        let view = Rect::new(min[0], min[1], max[0], max[1]);
        Self { size, parameters: *parameters, shown: *shown, view }
    }

    /// True if the arrows would overlap so much that the picture were one colour.
    pub fn crowded(&self) -> bool {
        let plane = Plane::new(self.size, self.view);
        spacing(&plane, self.parameters.flock.boids as usize) < ROOM * plane.unit
    }

    /// The picture of `state`: width × height × 4 bytes, RGBA, row by row from the top.
    pub fn draw(&mut self, state: &State) -> Vec<u8> {
        self.widen(state);
        let plane = Plane::new(self.size, self.view);
        let mut drawing = Drawing::new(self.size);
        self.draw_obstacles(&mut drawing, &plane);
        self.draw_shapes(&mut drawing, &plane);
        plane.draw_axes(&mut drawing);
        self.draw_boids(&mut drawing, &plane, &state.boids);
        self.draw_others(&mut drawing, &plane, state);
        self.draw_label(&mut drawing, &plane, state);
        drawing.pixels()
    }

    /// Extends the view to boids outside the world, with a margin.
    fn widen(&mut self, state: &State) {
        if self.parameters.world.edges == Edges::Wrap {
            return;
        }
        let places = state.boids.iter().map(|boid| Point::new(boid.position[0], boid.position[1]));
        let inside = places.filter(|place| place.is_finite());
        let (old, new) = (self.view, inside.fold(self.view, |reach, place| reach.union_pt(place)));
        let room = 0.1 * new.width().max(new.height());
        let extend = |old: f64, new: f64, room: f64| if old == new { old } else { new + room };
        self.view = Rect::new(
            extend(old.x0, new.x0, -room),
            extend(old.y0, new.y0, -room),
            extend(old.x1, new.x1, room),
            extend(old.y1, new.y1, room),
        );
    }

    /// Draws the obstacles, then paper over their parts outside the frame.
    fn draw_obstacles(&self, drawing: &mut Drawing, plane: &Plane) {
        for sphere in self.parameters.obstacles.spheres.as_slice() {
            let circle = Circle::new(plane.place(sphere.position), sphere.radius * plane.scale);
            drawing.fill(&circle, OBSTACLE);
        }
        let mut outside = drawing.sheet().to_path(0.1);
        outside.extend(plane.frame.to_path(0.1).reverse_subpaths());
        drawing.fill(&outside, PAPER);
    }

    fn draw_boids(&self, drawing: &mut Drawing, plane: &Plane, boids: &[Boid<f64>]) {
        // Arrows are shorter in large flocks.
        let longest = spacing(plane, boids.len()).clamp(5.0 * plane.unit, 17.0 * plane.unit);
        let fastest = self.parameters.motion.max_speed.max(f64::MIN_POSITIVE);
        // A slow boid keeps a visible arrow.
        let length = |velocity: Vec2| longest * (velocity.hypot() / fastest).clamp(0.4, 1.0);
        for (group, colour) in (0..).zip(GROUPS.map(|hex| paint(rgb(hex)))) {
            let mine = boids.iter().filter(|boid| boid.group == group);
            plane.arrows(drawing, mine.map(|boid| [boid.position, boid.velocity]), length, colour);
        }
    }

    /// Draws the parts of the shapes inside the frame, and their words.
    fn draw_shapes(&self, drawing: &mut Drawing, plane: &Plane) {
        let width = 2.5 * plane.unit;
        for shape in self.shown.shapes {
            let Ok(outline) = shape.outline(&self.parameters) else { continue };
            let (path, mut at) = match outline {
                Outline::Line(ends) => {
                    let [from, to] = ends.map(|end| plane.place(end));
                    let Some(line) = clipped(Line::new(from, to), plane.frame) else { continue };
                    (line.to_path(0.1), line.midpoint())
                }
                Outline::Box(corners) => {
                    let [min, max] = corners.map(|corner| plane.place(corner));
                    let inside = Rect::from_points(min, max).intersect(plane.frame);
                    (inside.to_path(0.1), inside.center())
                }
                Outline::Disc(centre, radius) => {
                    let centre = plane.place(centre);
                    (Circle::new(centre, radius * plane.scale).to_path(0.1), centre)
                }
            };
            drawing.stroke(&path, width, SHAPE);
            let Rect { x0, y0, x1, y1 } = plane.frame;
            at = Point::new(at.x.clamp(x0, x1) + 4.0 * plane.unit, at.y.clamp(y0, y1));
            drawing.text(&shape.word, at, 13.0 * plane.unit, START, SHAPE);
        }
    }

    /// Draws the step at the left and the legend at the right, above the axes, or beyond them if both do not fit.
    fn draw_label(&self, drawing: &mut Drawing, plane: &Plane, state: &State) {
        let Plane { frame, unit, .. } = *plane;
        let baseline = frame.y0 - 9.0 * unit;
        let step = format!("step {}", state.step);
        drawing.text(&step, (frame.x0, baseline), 19.0 * unit, START, INK);
        let mut legend = Vec::new();
        let mut right = frame.x0 + outline(&step, 19.0 * unit).1;
        // Boids that are no scouts need no name.
        let first = usize::from(self.parameters.has_scouts() && self.shown.names.is_empty());
        for (group, colour) in GROUPS.iter().enumerate().skip(first) {
            if state.boids.iter().any(|boid| boid.group as usize == group) {
                let name = self.shown.group_name(group, &self.parameters);
                let width = outline(&name, 13.0 * unit).1;
                right += width + 23.0 * unit;
                legend.push((name, width, paint(rgb(*colour))));
            }
        }
        right = right.max(frame.x1);
        for (name, width, colour) in legend.into_iter().rev() {
            drawing.text(&name, (right, baseline), 13.0 * unit, END, INK);
            right -= width + 9.0 * unit;
            drawing.fill(&Circle::new((right, baseline - 4.5 * unit), 3.6 * unit), colour);
            right -= 14.0 * unit;
        }
    }

    /// The attractor as a cross, and the predators.
    fn draw_others(&self, drawing: &mut Drawing, plane: &Plane, state: &State) {
        let attractor = self.parameters.attractor;
        if attractor.weight != 0.0 {
            let (centre, size) = (plane.place(attractor.position), 6.0 * plane.unit);
            for arm in [Vec2::new(size, 0.0), Vec2::new(0.0, size)] {
                drawing.stroke(&Line::new(centre - arm, centre + arm), 2.0 * plane.unit, PREDATOR);
            }
        }
        let predators = state.predators.iter().map(|predator| [predator.position, predator.velocity]);
        plane.arrows(drawing, predators, |_| 24.0 * plane.unit, PREDATOR);
    }
}

/// The part of a line inside a frame.
fn clipped(line: Line, frame: Rect) -> Option<Line> {
    let (mut first, mut last) = (0.0_f64, 1.0_f64);
    let way = line.p1 - line.p0;
    for (from, by, low, high) in
        [(line.p0.x, way.x, frame.x0, frame.x1), (line.p0.y, way.y, frame.y0, frame.y1)]
    {
        if by == 0.0 && !(low..=high).contains(&from) {
            return None;
        }
        if by != 0.0 {
            let (a, b) = ((low - from) / by, (high - from) / by);
            first = first.max(a.min(b));
            last = last.min(a.max(b));
        }
    }
    (first < last).then(|| Line::new(line.eval(first), line.eval(last)))
}

/// The mean distance in pixels of `boids` boids in the picture.
fn spacing(plane: &Plane, boids: usize) -> f64 {
    (plane.frame.area() / boids.max(1) as f64).sqrt()
}

/// The placement of the plane in the picture: a centred frame with one scale for both axes.
struct Plane {
    frame: Rect,
    x: PlotAxis,
    y: PlotAxis,
    /// Pixels per unit of length.
    scale: f64,
    /// The size in pixels of one pixel in a picture of 480 lines.
    unit: f64,
}

impl Plane {
    /// Fits `view` into a picture of `size` pixels, with room for numbers and label.
    fn new(size: [u16; 2], view: Rect) -> Self {
        let [width, height] = size.map(f64::from);
        let unit = width.min(height) / 480.0;
        let room = Rect::new(46.0 * unit, 38.0 * unit, width - 18.0 * unit, height - 30.0 * unit);
        let scale = (room.width() / view.width()).min(room.height() / view.height());
        let frame = Rect::from_center_size(room.center(), view.size() * scale);
        let step = round_step(view.width().max(view.height()) / 7.0);
        let mut x = PlotAxis::exact(false, [view.x0, view.x1], [frame.x0, frame.x1]);
        let mut y = PlotAxis::exact(false, [view.y0, view.y1], [frame.y0, frame.y1]);
        (x.step, y.step) = (step, step);
        Self { frame, x, y, scale, unit }
    }

    fn place(&self, position: [f64; 3]) -> Point {
        Point::new(self.x.place(position[0]), self.y.place(position[1]))
    }

    /// Draws the frame, ticks and numbers.
    fn draw_axes(&self, drawing: &mut Drawing) {
        let Plane { frame, unit, .. } = *self;
        drawing.stroke(&frame, unit, FAINT);
        let mut tick = |at: Point, mark: (f64, f64), name: Option<String>, label: (f64, f64), anchor| {
            drawing.stroke(&Line::new(at, at + Vec2::from(mark) * unit), unit, FAINT);
            let label = at + Vec2::from(label) * unit;
            drawing.text(&name.unwrap_or_default(), label, 11.0 * unit, anchor, INK);
        };
        for (x, name) in self.x.ticks() {
            tick(Point::new(self.x.place(x), frame.y1), (0.0, 4.0), name, (0.0, 17.0), MIDDLE);
        }
        for (y, name) in self.y.ticks() {
            tick(Point::new(frame.x0, self.y.place(y)), (-4.0, 0.0), name, (-8.0, 4.0), END);
        }
    }

    /// Draws an arrow centred on each position, along the velocity; a dot where the velocity is zero.
    fn arrows(
        &self,
        drawing: &mut Drawing,
        states: impl Iterator<Item = [[f64; 3]; 2]>,
        length: impl Fn(Vec2) -> f64,
        colour: Color,
    ) {
        // Tail, shaft, head and point, along and across, in lengths.
        let half = [(-0.5, 0.045), (0.06, 0.055), (-0.02, 0.21), (0.5, 0.0)];
        let mut path = BezPath::new();
        for [position, [vx, vy, _]] in states {
            let (centre, velocity) = (self.place(position), Vec2::new(vx, vy));
            let (speed, length) = (velocity.hypot(), length(velocity));
            if !centre.is_finite() || !speed.is_finite() {
                continue;
            }
            if speed == 0.0 {
                path.extend(Circle::new(centre, 0.13 * length).path_elements(0.05));
                continue;
            }
            let along = velocity * (length / speed);
            let across = Vec2::new(-along.y, along.x);
            let other = half.into_iter().rev().skip(1).map(|(x, y)| (x, -y));
            path.extend(polyline(
                half.into_iter().chain(other).map(|(x, y)| centre + along * x + across * y),
            ));
            path.close_path();
        }
        drawing.fill(&path, colour);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use flock::state::group;

    const SIZE: [u16; 2] = [300, 240];

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
        let mut arrows = Arrows::new(SIZE, &parameters(), &View::default());
        let state = State { step, boids: boids.to_vec(), predators: Vec::new() };
        arrows.draw(&state).as_chunks::<4>().0.to_vec()
    }

    /// The bounding rectangle of the pixels that differ, and the sum of the differences.
    fn difference(a: &[[u8; 4]], b: &[[u8; 4]]) -> (Option<Rect>, u32) {
        let (mut place, mut sum) = (None::<Rect>, 0);
        for (k, (a, b)) in a.iter().zip(b).enumerate().filter(|(_, (a, b))| a != b) {
            let at = Point::new((k % usize::from(SIZE[0])) as f64, (k / usize::from(SIZE[0])) as f64);
            place = Some(place.map_or(Rect::from_points(at, at), |place| place.union_pt(at)));
            sum += (0..3).map(|c| u32::from(a[c].abs_diff(b[c]))).sum::<u32>();
        }
        (place, sum)
    }

    fn frame() -> Rect {
        Plane::new(SIZE, Rect::new(0.0, 0.0, 100.0, 100.0)).frame
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
            let [width, height] = SIZE.map(usize::from);
            (0..height).filter(|y| empty[y * width + x as usize] != arrow[y * width + x as usize]).count()
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
        let mut arrows = Arrows::new(SIZE, &parameters(), &View::default());
        let away = boid([150.0, -20.0], [1.0, 0.0], 0);
        let mut state = State { boids: vec![away], ..State::default() };
        arrows.draw(&state);
        let view = arrows.view;
        assert!(view.x1 > 150.0 && view.y0 < -20.0 && view.x0 == 0.0 && view.y1 == 100.0, "{view:?}");
        state.boids = vec![boid([50.0, 50.0], [1.0, 0.0], 0), boid([f64::NAN, 0.0], [1.0, f64::INFINITY], 0)];
        arrows.draw(&state);
        assert_eq!(arrows.view, view, "the scale stays");
    }

    #[test]
    fn fits_the_view_to_one_scale() {
        let plane = Plane::new([1280, 720], Rect::new(0.0, 0.0, 640.0, 480.0));
        let corner = plane.place([640.0, 480.0, 0.0]);
        assert_eq!(plane.place([0.0; 3]), plane.frame.origin());
        assert!((corner.x - plane.frame.x1).abs() < 1e-9 && (corner.y - plane.frame.y1).abs() < 1e-9);
        let ratio = plane.frame.width() / plane.frame.height();
        assert!((ratio - 640.0 / 480.0).abs() < 1e-9);
        assert!(plane.frame.x1 < 1280.0 && plane.frame.y1 < 720.0);
    }
}
