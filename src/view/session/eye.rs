//! What is seen: the camera, the look, and what moves the camera. It keeps the flock in the picture until a person moves
//! it elsewhere, flies along with a boid where it is asked to, and turns by itself when it is left alone.

use std::time::Duration;

use flock::Parameters;
use flock::parameters::Edges;
use glam::{Vec2, Vec3};

use super::document::Document;
use crate::scene::framing::{self, Framing, Spring};
use crate::scene::{Camera, Look, Scenery, corners, first_pitch, of_view};
use crate::view::detail::Detail;
use crate::view::frame::{Boids, Frame, Watched};
use crate::view::worker::PickRay;
use config::View;

/// In a bounded world in space, the camera's distance over that which shows the whole world.
const HELD: f32 = 0.72;
/// How far beside a boid a click may be, in points.
const BESIDE: f32 = 14.0;
/// The distance from which a boid is followed, in its lengths.
const DISTANCE: f32 = 60.0;
/// How fast the camera comes to the boid: the share of the way that is left after a second is e to the minus this.
const HASTE: f32 = 5.0;
/// The camera has arrived within this share of its distance.
const ARRIVED: f32 = 1e-3;
/// Seconds without input after which the camera begins to turn.
const PATIENCE: f64 = 20.0;
/// How fast it turns, in radians a second, and after how many seconds it has that speed.
const SPEED: f64 = 0.06;
const START: f64 = 3.0;
/// How fast the camera follows the flock, comes near, and heeds how the flock travels, in 1/s: critically damped.
const RATES: [f32; 3] = [2.8, 0.5, 8.0];
/// The greatest step of its spring, in seconds: a slow frame must not throw it.
const LONGEST: f32 = 0.1;
/// The radius of a ball for a flock of which only the radius of gyration is known, over that: with the margin of the framing,
/// the picture holds nearly all of a flock, and shows it about as large as where its boids are known.
const REACH: f32 = 1.0;

/// The boid that the camera flies along with.
#[derive(Clone, Copy, Debug)]
struct Companion {
    watched: Watched,
    /// Where it is by now: it is taken to fly straight on.
    place: Vec3,
    /// True if the camera is on its way to it.
    coming: bool,
}

/// The camera and the look.
#[derive(Debug, Default)]
pub struct Eye {
    pub camera: Camera,
    pub look: Look,
    pub detail: Detail,
    /// True if the camera keeps the flock in the picture.
    pub follows: bool,
    /// Whether it would, where a file says where it is.
    placed: Option<bool>,
    /// Where it has to go for that; none before the flock is known.
    goal: Option<Camera>,
    /// The aspect of the view that this suits.
    framed: f32,
    spring: Spring,
    /// How much nearer than that a person went.
    zoom: f32,
    /// True if what draws is no GPU: at full size, without trails, pictures and films.
    pub plain: bool,
    /// True if the flock's centre is marked.
    pub mark_centre: bool,
    /// True if the camera turns slowly when it is left alone.
    pub orbits: bool,
    /// The last input, in seconds on the window's clock.
    pub touched: f64,
    companion: Option<Companion>,
    /// Where the camera was before it flew along.
    left: Option<Camera>,
    /// Width of the view over its height.
    pub aspect: f32,
    /// True if the camera still has to be fitted, once the aspect of the view is known.
    unseen: bool,
}

impl Eye {
    pub fn new(parameters: &Parameters) -> Self {
        let (camera, look) = of_view(&View::default(), Look::new(parameters), parameters);
        Eye { camera, look, follows: true, zoom: 1.0, aspect: 1.25, unseen: true, ..Eye::default() }
    }

    /// Sets the aspect of the view, width over height; the first time it also fits the camera.
    pub fn set_aspect(&mut self, aspect: f32, document: &Document) {
        if !aspect.is_finite() || aspect <= 0.0 {
            return;
        }
        self.aspect = aspect;
        if std::mem::take(&mut self.unseen) {
            self.camera = self.fitted(document);
            let said = document.view.target.filter(|_| self.placed.is_some());
            let target = said.map(|target| Vec3::from(target.map(|c| c as f32)));
            // A boid that a file names may be known before the view.
            if let Some(target) = target.or(self.companion.map(|companion| companion.place)) {
                let camera = Camera { target, ..self.camera };
                self.camera = camera.at(document.view.distance.map_or(camera.distance, |far| far as f32));
            }
        }
    }

    /// The camera, with the world in the picture.
    fn fitted(&self, document: &Document) -> Camera {
        let (mut camera, [min, max]) = (self.camera, corners(&document.parameters));
        camera.fit(min, max, self.aspect);
        if !camera.flat && document.parameters.world.edges != Edges::Open {
            // The flock fills only the middle of such a world.
            camera.distance *= HELD;
        }
        camera
    }

    /// Changes the look. A camera that has not moved yet turns to the side from which the look is seen best.
    pub fn choose_look(&mut self, scenery: Scenery) {
        if self.camera.pitch == first_pitch(self.look.scenery) {
            self.camera.pitch = first_pitch(scenery);
        }
        self.look.scenery = scenery;
    }

    /// Shows the whole world from the side that the camera is on, until the flock is known.
    pub fn show_world(&mut self, document: &Document) {
        (self.unseen, self.goal) = (true, None);
        self.set_aspect(self.aspect, document);
    }

    /// Shows the world from the side that the preset or file says, else from the usual one, with the size that suits the
    /// flock; of look, colouring and fog stays what it does not say.
    pub fn look_at_world(&mut self, document: &Document) {
        (self.camera, self.look) = of_view(&document.view, self.look, &document.parameters);
        let View { target, zoom, .. } = document.view;
        // A camera that was placed by a file follows the next flock again.
        let follows = self.placed.take().unwrap_or(self.follows);
        self.placed = target.map(|_| follows);
        self.follows = follows && target.is_none();
        // Before the first picture its size is not known.
        if !self.unseen {
            self.show_world(document);
        }
        self.zoom = zoom.map_or(1.0, |zoom| zoom as f32);
    }

    /// What the file or a link says of the picture: what differs from the usual one, and what the flock was opened with.
    pub fn view(&self, document: &Document) -> View {
        let (said, camera) = (&document.view, &self.camera);
        let Look { scenery, colour, size, fog, trails, .. } = self.look;
        let first = Look { scenery, ..Look::new(&document.parameters) };
        let (usual_camera, usual) = of_view(&View::default(), first, &document.parameters);
        let shown = |now: f32, usual, said: Option<f64>| (now != usual || said.is_some()).then_some(now);
        let other = |now, usual, said| shown(now, usual, said).map(short);
        let angle = |now, usual, said| shown(now, usual, said).map(|now| short(now.to_degrees()));
        let bird = self.companion.map(|companion| companion.watched.id);
        let fitted = self.fitted(document);
        // The whole of a world is shown from nearer than a film shows it.
        let moved = !camera.flat || (camera.target, camera.distance) != (fitted.target, fitted.distance);
        let free = bird.is_none() && (!self.follows || self.goal.is_none() && moved);
        View {
            look: scenery,
            skip: said.skip,
            colour: (colour != usual.colour || said.colour.is_some()).then_some(colour),
            length: other(size, usual.size, said.length),
            fog: other(fog, usual.fog, said.fog),
            trails: other(trails, usual.trails, said.trails),
            yaw: angle(camera.yaw, usual_camera.yaw, said.yaw),
            pitch: angle(camera.pitch, usual_camera.pitch, said.pitch),
            zoom: other(self.zoom, 1.0, said.zoom).filter(|_| self.follows),
            target: free.then(|| camera.target.to_array().map(short)),
            distance: (free || bird.is_some()).then(|| short(camera.distance)),
            bird,
        }
    }

    /// Shows the flock as a whole, and keeps it in the picture.
    pub fn fit(&mut self, document: &Document) {
        (self.follows, self.placed, self.zoom) = (true, None, 1.0);
        self.show_world(document);
    }

    /// Forgets where the flock was: where the camera keeps it in the picture, it is at the next frame's at once.
    pub fn forget_goal(&mut self) {
        if self.follows {
            self.goal = None;
        }
    }

    /// Takes up the flock of a frame that came before the size of the view was known, or from before the world was shown,
    /// and where the view has another shape. True if the camera may have another way to go.
    pub fn catch_up(&mut self, frame: &Frame, document: &Document) -> bool {
        let reshaped = self.framed != self.aspect;
        let due = (self.goal.is_none() || reshaped) && !self.unseen && self.placed.is_none();
        if due {
            self.frame(frame, document);
        }
        due && reshaped
    }

    /// Takes the place of the flock as what is to be in the picture. The camera is there at once if it was not known.
    fn frame(&mut self, frame: &Frame, document: &Document) {
        self.framed = self.aspect;
        let framing = Framing::new(&document.parameters, self.look.scenery);
        if !framing.follows {
            self.goal = None;
            return;
        }
        let boids = match &frame.boids {
            Boids::Host(boids) => framing::sample(boids.position.iter().map(|[x, y, z, _]| [*x, *y, *z])),
            Boids::Device(instances) => frame
                .summary
                .filter(|_| instances.count > 0)
                .map_or(Vec::new(), |summary| self.ball(&summary, &framing)),
        };
        let goal = framing.goal(&self.camera, &boids, self.look.size, self.aspect);
        let goal = goal.map(|goal| goal.at(goal.distance / self.zoom));
        if let (None, Some(goal), None) = (self.goal, goal, self.companion) {
            (self.camera, self.spring) = (goal, Spring::default());
        }
        self.goal = goal;
    }

    /// Points about a flock on a device, of which only the middle and the radius of gyration are known. Where the world is
    /// kept in the picture, it holds the flock.
    fn ball(&self, summary: &gpu::Measures, framing: &Framing) -> Vec<Vec3> {
        let reach = if framing.keeps_world() { 0.0 } else { REACH * summary.gyration };
        let middle = Vec3::from(summary.centre);
        let ways = [self.camera.right(), self.camera.up(), self.camera.forward()];
        let points = ways.into_iter().flat_map(|way| [middle - reach * way, middle + reach * way]);
        points.filter(|point| point.is_finite()).collect()
    }

    /// Moves the camera nearer (factor below 1) or away: from the flock where it keeps that in the picture, else from the
    /// point under the pointer.
    pub fn zoom(&mut self, factor: f32, pointer: Vec2) {
        let kept = self.follows && self.goal.is_some();
        if kept {
            self.zoom /= factor;
            self.goal = self.goal.map(|goal| goal.at(goal.distance * factor));
        }
        self.camera.zoom(factor, if kept { Vec2::ZERO } else { pointer }, self.aspect);
    }

    /// Lets go of the flock: a person moves the camera elsewhere.
    pub fn let_go(&mut self) {
        self.follows = false;
        self.spring = Spring::default();
    }

    /// Keeps the flock in the picture from now on, as large as it is now, or lets go of it.
    pub fn follow(&mut self, follows: bool) {
        (self.follows, self.placed, self.spring) = (follows, None, Spring::default());
        if let (true, Some(goal)) = (follows, self.goal) {
            let nearer = goal.distance / self.camera.distance;
            self.zoom *= nearer;
            self.goal = Some(goal.at(self.camera.distance));
        }
    }

    /// Where a boid is looked for that is at a point of a picture so many points high.
    pub fn pick(&self, pointer: Vec2, height: f32) -> PickRay {
        let ray = self.camera.ray(pointer, self.aspect);
        let pixel = self.camera.pixel(height.max(1.0) as u32);
        PickRay { ray, flat: self.camera.flat, tolerance: BESIDE * pixel }
    }

    /// The number of the boid that the camera flies along with, and where it is.
    pub fn companion(&self) -> Option<(u32, Vec3)> {
        self.companion.map(|companion| (companion.watched.id, companion.place))
    }

    /// Leaves the boid that the camera flies along with, and returns to where it was; false where there is none. A camera
    /// that keeps the flock in the picture finds its own way.
    pub fn leave_companion(&mut self) -> bool {
        if let Some(left) = self.left.take().filter(|_| !self.follows) {
            self.camera = left;
        }
        self.companion.take().is_some()
    }

    /// Takes a new frame: moves the camera along with the boid, else sets where it has to go to keep the flock.
    pub fn accompany(&mut self, next: &Frame, document: &Document) {
        let time_step = document.parameters.motion.time_step as f32;
        if next.watched.is_none() && !self.unseen && self.follows {
            self.frame(next, document);
        }
        let before = self.companion.take();
        self.companion = next.watched.map(|watched| {
            let steps = next.step.saturating_sub(watched.step).min(1000) as f32;
            let place = Vec3::from(watched.position) + Vec3::from(watched.velocity) * (steps * time_step);
            let same = before.filter(|before| before.watched.id == watched.id);
            Companion { watched, place, coming: same.is_none_or(|before| before.coming) }
        });
        match (before, &mut self.companion) {
            (None, Some(companion)) => {
                self.left.get_or_insert(self.camera);
                if document.view.bird == Some(companion.watched.id) {
                    // A file names it: the camera is there at once.
                    let far = document.view.distance.map_or(self.camera.distance, |far| far as f32);
                    self.camera = Camera { target: companion.place, ..self.camera }.at(far);
                    companion.coming = false;
                }
            }
            (Some(before), Some(after)) if before.watched.id == after.watched.id => {
                // Also where it leaves on one side and enters on the other, or many steps were done at once.
                let by = after.place - before.place;
                if by.is_finite() {
                    self.camera.target += by;
                }
            }
            _ => {}
        }
    }

    /// What moves without input: the camera that comes to its boid, or turns when it is left alone. Returns when to look
    /// again; `now` is the time in seconds, `since` that from the last frame.
    pub fn drift(&mut self, now: f64, since: f64) -> Option<Duration> {
        if let Some(companion) = &mut self.companion {
            let way = companion.place - self.camera.target;
            let far = (self.camera.distance - DISTANCE * self.look.size).max(0.0);
            companion.coming &= way.length() + far > ARRIVED * self.camera.distance;
            if companion.coming {
                let share = 1.0 - (-HASTE * since as f32).exp();
                self.camera.target += way * share;
                self.camera.distance -= far * share;
                return Some(Duration::ZERO);
            }
        }
        let framed = self.keep_flock(since as f32);
        if !self.orbits || self.camera.flat {
            return framed;
        }
        let idle = now - self.touched;
        if idle < PATIENCE {
            return framed.or(Some(Duration::from_secs_f64(PATIENCE - idle)));
        }
        self.camera.orbit(turn(idle, since), 0.0);
        Some(Duration::ZERO)
    }

    /// Moves the camera to where it has the flock in the picture; returns when to look again, where it is on its way.
    fn keep_flock(&mut self, since: f32) -> Option<Duration> {
        let goal = self.goal.filter(|_| self.follows && self.companion.is_none())?;
        let way = (goal.target - self.camera.target).length() / goal.distance;
        let near = way + (goal.distance / self.camera.distance).ln().abs() < ARRIVED;
        if near && self.spring.rests(ARRIVED * goal.distance) {
            // Wherever it came from, it is at the same place.
            let there = (self.camera.target, self.camera.distance) == (goal.target, goal.distance);
            (self.camera.target, self.camera.distance) = (goal.target, goal.distance);
            self.spring = Spring::default();
            return (!there).then_some(Duration::ZERO);
        }
        let goal = framing::drawn_back(&goal, &self.camera, self.zoom);
        self.spring.approach(&mut self.camera, &goal, since.min(LONGEST), RATES);
        Some(Duration::ZERO)
    }
}

/// A number with six digits, as it is written to a file or a link.
fn short(value: f32) -> f64 {
    format!("{value:.5e}").parse().unwrap_or_else(|_| value.into())
}

/// Radians that the camera turns in so many seconds, after others without input.
fn turn(idle: f64, seconds: f64) -> f32 {
    let share = ((idle - PATIENCE) / START).clamp(0.0, 1.0);
    (SPEED * share * seconds) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpu::HostInstances;

    #[test]
    fn the_camera_flies_along_with_a_boid_that_leaves_on_one_side_and_enters_on_the_other() {
        let p = Parameters::default();
        let mut document = Document::new(Vec::new(), None, p, p);
        (document.view.bird, document.view.distance) = (Some(5), Some(30.0));
        let mut eye = Eye::new(&p);
        let [min, max] = corners(&p);
        for position in [max, min, max] {
            let watched = Watched { id: 5, position: position.to_array(), velocity: [0.0; 3], step: 0 };
            let one = HostInstances { position: vec![[0.0; 4]], ..HostInstances::default() };
            let boids = Boids::Host(one.into());
            let frame = Frame { watched: Some(watched), boids, ..Frame::empty(0) };
            eye.accompany(&frame, &document);
            // The size of the view is known after the first frame.
            eye.set_aspect(1.6, &document);
            eye.catch_up(&frame, &document);
            eye.drift(0.0, 0.02);
            assert!((eye.camera.target - position).length() < 1e-3 * eye.camera.distance);
            assert_eq!(eye.camera.distance, 30.0);
        }
    }

    #[test]
    fn the_camera_keeps_up_with_a_flock_that_travels_without_a_halt() {
        let mut eye = Eye::new(&Parameters::default());
        let (mut goal, by) = (eye.camera, 0.01 * eye.camera.distance);
        for frame in 0..600 {
            goal.target.x += by;
            eye.goal = Some(goal);
            let before = eye.camera.target.x;
            eye.drift(0.0, 1.0 / 60.0);
            let (moved, behind) = (eye.camera.target.x - before, goal.target.x - eye.camera.target.x);
            assert!(frame < 300 || (moved - by).abs() < 0.1 * by && behind.abs() < by, "{moved} {behind}");
        }
    }

    #[test]
    fn the_camera_begins_to_turn_gently_and_only_when_it_is_left_alone() {
        let mut eye = Eye { orbits: true, touched: 100.0, ..Eye::new(&Parameters::default()) };
        eye.camera.flat = false;
        let yaw = eye.camera.yaw;
        assert_eq!((eye.drift(101.0, 1.0), eye.camera.yaw), (Some(Duration::from_secs(19)), yaw));
        assert_eq!((turn(1.0, 1.0), turn(PATIENCE, 1.0)), (0.0, 0.0));
        assert!(turn(PATIENCE + 1.0, 1.0) < turn(PATIENCE + 2.0, 1.0));
        assert_eq!(turn(PATIENCE + 60.0, 0.5), (0.5 * SPEED) as f32);
        assert_eq!(eye.drift(101.0 + PATIENCE, 1.0), Some(Duration::ZERO));
        assert_ne!(eye.camera.yaw, yaw);
    }
}
