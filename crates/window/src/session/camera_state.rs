//! The camera, the appearance, and the camera's automatic motion. The camera keeps the flock in the picture until the
//! user moves it, flies along with a boid on request, and turns slowly without input.

use std::time::Duration;

use flock::Parameters;
use flock::parameters::Edges;
use glam::{Vec2, Vec3};

use super::document::Document;
use crate::detail::Detail;
use crate::frame::{Boids, Frame, Watched};
use crate::worker::PickRay;
use config::View;
use scene::framing::{self, Framing, Spring};
use scene::{Camera, Look, Scenery, corners, first_pitch, near_distance, of_view};

/// In a bounded world in space, ratio of the camera's distance to the one that shows the whole world.
const HELD: f32 = 0.72;
/// Maximum distance of a click from its boid, in points.
const BESIDE: f32 = 14.0;
/// Distance at which a boid is followed, in its lengths.
const DISTANCE: f32 = 60.0;
/// Rate at which the camera approaches the boid, in 1/s: after a second e to the minus this of the way remains.
const HASTE: f32 = 5.0;
/// Share of its distance within which the camera has arrived.
const ARRIVED: f32 = 1e-3;
/// Seconds without input after which the camera begins to turn.
const PATIENCE: f64 = 20.0;
/// Rate of the turn, in radians per second, and seconds to reach it.
const SPEED: f64 = 0.06;
const START: f64 = 3.0;
/// Rates of following, of approaching, and of the estimate of the flock's velocity, in 1/s: critically damped.
const RATES: [f32; 3] = [2.8, 0.5, 8.0];
/// Maximum time step of the spring, in seconds: a slow frame must not destabilise it.
const LONGEST: f32 = 0.1;
/// Steps per second of a film, and the most steps since the last frame for which the camera moves while time stands.
const FILM: f32 = 60.0;
const MOST_STEPS: u64 = 600;
/// Ratio of an ellipsoid's radii to the standard deviations of the positions, for a flock of which only those are known:
/// nearly all boids of a flock are within.
const REACH: f32 = 2.0;

/// A change of the camera or the appearance.
#[derive(Clone, Copy, Debug)]
pub enum ViewAction {
    /// Shows the whole flock, and keeps it in the picture.
    Fit,
    /// Keeps the flock in the picture, or stops it.
    Follow(bool),
    /// Moves the camera by a factor of its distance, towards a point of the view in device coordinates.
    Zoom(f32, Vec2),
    /// Shifts the camera across the view, in device coordinates.
    Pan(Vec2),
    /// Turns the camera about its target, in radians.
    Orbit(Vec2),
    /// Turns the camera about itself, in radians.
    LookRound(Vec2),
    /// Moves the camera to the right, up and forward, in distances to its target.
    Fly(Vec3),
    /// Holds the camera while a tool draws.
    Hold(bool),
    Scenery(Scenery),
    Look(Look),
    HalfSize(bool),
    MarkCentre(bool),
    /// Shows the legend of the colours, or not.
    Legend(bool),
    /// Explains the boid that the camera flies along with, or not.
    Explain(bool),
}

/// The boid that the camera flies along with.
#[derive(Clone, Copy, Debug)]
struct Companion {
    watched: Watched,
    /// Its extrapolated position: a boid is assumed to fly straight on.
    place: Vec3,
    /// True if the camera is still approaching it.
    coming: bool,
    /// The distance from which all that it perceives is in the picture, while it is explained.
    distance: Option<f32>,
}

/// A camera that stands with its time.
#[derive(Clone, Copy, Debug)]
struct Standing {
    aspect: f32,
    camera: Camera,
    /// Its goal at that aspect.
    goal: Camera,
    /// The camera at the current aspect.
    shown: Camera,
}

/// The camera and the appearance.
#[derive(Debug, Default)]
pub struct CameraState {
    pub camera: Camera,
    pub look: Look,
    pub detail: Detail,
    /// True if the camera keeps the flock in the picture.
    pub follows: bool,
    /// Value of `follows` before the file placed the camera; `None` if none did.
    placed: Option<bool>,
    /// Goal of a camera that follows the flock; `None` before the flock is known.
    goal: Option<Camera>,
    /// The aspect of the view for which the goal was computed.
    framed: f32,
    spring: Spring,
    /// True while a tool draws: the camera holds.
    pub held: bool,
    /// True while the camera is on its way by the user's request, also while time stands.
    requested: bool,
    /// The camera before the view took another aspect while time stood.
    standing: Option<Standing>,
    /// The last step, and the seconds that the steps since the last move took in a film.
    step: u64,
    passed: f32,
    /// The user's zoom factor on the goal.
    zoom: f32,
    /// True if WebGL2 draws instead of a GPU: at full size, without trails, pictures and films.
    pub plain: bool,
    /// True if the flock's centre is marked.
    pub mark_centre: bool,
    /// True if the colours have a legend.
    pub legend: bool,
    /// True if the boid that the camera flies along with is explained.
    pub explains: bool,
    /// True if the camera turns slowly without input.
    pub orbits: bool,
    /// Time of the last input, in seconds on the window's clock.
    pub touched: f64,
    companion: Option<Companion>,
    /// The camera before it flew along with a boid.
    left: Option<Camera>,
    /// Width of the view over its height.
    pub aspect: f32,
    /// True until the camera is fitted, which requires the aspect of the view.
    unseen: bool,
}

impl CameraState {
    pub fn new(parameters: &Parameters) -> Self {
        let (camera, look) = of_view(&View::default(), Look::new(parameters), parameters);
        CameraState {
            camera,
            look,
            follows: true,
            explains: true,
            legend: true,
            zoom: 1.0,
            aspect: 1.25,
            unseen: true,
            ..CameraState::default()
        }
    }

    /// Carries out an action on the flock of a document.
    pub fn apply(&mut self, action: ViewAction, document: &Document) {
        if matches!(action, ViewAction::Pan(_) | ViewAction::LookRound(_) | ViewAction::Fly(_)) {
            self.let_go();
        }
        match action {
            ViewAction::Fit => {
                (self.follows, self.placed, self.zoom) = (true, None, 1.0);
                self.show_world(document);
            }
            ViewAction::Follow(follows) => self.follow(follows),
            ViewAction::Zoom(factor, pointer) => self.zoom(factor, pointer),
            ViewAction::Pan(by) => self.camera.pan(by, self.aspect),
            ViewAction::Orbit(by) => self.camera.orbit(by.x, by.y),
            ViewAction::LookRound(by) => self.camera.look(by.x, by.y),
            ViewAction::Fly(way) => {
                let [right, up, forward] = (way * self.camera.distance).to_array();
                if self.camera.flat {
                    self.camera.fly(right, forward + up, 0.0);
                } else {
                    self.camera.fly(right, up, forward);
                }
            }
            ViewAction::Hold(held) => self.held = held,
            ViewAction::Scenery(scenery) => self.choose_look(scenery),
            ViewAction::Look(look) => self.look = look,
            ViewAction::HalfSize(half) => self.detail.choose(half),
            ViewAction::MarkCentre(marked) => self.mark_centre = marked,
            ViewAction::Legend(shown) => self.legend = shown,
            ViewAction::Explain(explains) => self.explains = explains,
        }
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
            // The boid that a file names may be known before the view's size.
            if let Some(target) = target.or(self.companion.map(|companion| companion.place)) {
                let camera = Camera { target, ..self.camera };
                self.camera = camera.at(document.view.distance.map_or(camera.distance, |far| far as f32));
            }
        }
    }

    /// The camera fitted to the world.
    fn fitted(&self, document: &Document) -> Camera {
        let (mut camera, [min, max]) = (self.camera, corners(&document.parameters));
        camera.fit(min, max, self.aspect);
        if !camera.flat && document.parameters.world.edges != Edges::Open {
            // The flock fills only the middle of such a world.
            camera.distance *= HELD;
        }
        camera
    }

    /// Sets the scenery. A camera that has not moved yet takes the first pitch of the scenery.
    pub fn choose_look(&mut self, scenery: Scenery) {
        if self.camera.pitch == first_pitch(self.look.scenery) {
            self.camera.pitch = first_pitch(scenery);
        }
        self.look.scenery = scenery;
    }

    /// Shows the whole world from the camera's current direction, until the flock is known.
    pub fn show_world(&mut self, document: &Document) {
        (self.unseen, self.goal) = (true, None);
        self.set_aspect(self.aspect, document);
    }

    /// Shows the world from the direction of the preset or file, otherwise from the default one, with the default size
    /// of boids; the view's unset fields of appearance, colour and fog stay.
    pub fn look_at_world(&mut self, document: &Document) {
        (self.camera, self.look) = of_view(&document.view, self.look, &document.parameters);
        let View { target, zoom, .. } = document.view;
        // A camera that was placed by a file follows the next flock again.
        let follows = self.placed.take().unwrap_or(self.follows);
        self.placed = target.map(|_| follows);
        self.follows = follows && target.is_none();
        // The view's size is unknown before the first picture.
        if !self.unseen {
            self.show_world(document);
        }
        self.zoom = zoom.map_or(1.0, |zoom| zoom as f32);
    }

    /// The view for a file or a link: the differences from the default view, and the settings of the opened view.
    pub fn view(&self, document: &Document) -> View {
        let (said, camera) = (&document.view, &self.camera);
        let Look { scenery, colour, size, fog, light, trails, .. } = self.look;
        let first = Look { scenery, ..Look::new(&document.parameters) };
        let (usual_camera, usual) = of_view(&View::default(), first, &document.parameters);
        let shown = |now: f32, usual, said: Option<f64>| (now != usual || said.is_some()).then_some(now);
        let other = |now, usual, said| shown(now, usual, said).map(short);
        let angle = |now, usual, said| shown(now, usual, said).map(|now| short(now.to_degrees()));
        let bird = self.companion.map(|companion| companion.watched.id);
        let fitted = self.fitted(document);
        // The initial view of a world is nearer than a film's.
        let moved = !camera.flat || (camera.target, camera.distance) != (fitted.target, fitted.distance);
        // The term whose parameter a shape names may have been removed.
        let drawable = said.shapes.iter().all(|shape| shape.outline(&document.parameters).is_ok());
        let free = bird.is_none() && (!self.follows || self.goal.is_none() && moved);
        View {
            look: scenery,
            skip: said.skip,
            colour: (colour != usual.colour || said.colour.is_some()).then_some(colour),
            length: other(size, usual.size, said.length),
            fog: other(fog, usual.fog, said.fog),
            light: light.map(short),
            trails: other(trails, usual.trails, said.trails),
            yaw: angle(camera.yaw, usual_camera.yaw, said.yaw),
            pitch: angle(camera.pitch, usual_camera.pitch, said.pitch),
            zoom: other(self.zoom, 1.0, said.zoom).filter(|_| self.follows),
            target: free.then(|| camera.target.to_array().map(short)),
            distance: (free || bird.is_some()).then(|| short(camera.distance)),
            bird,
            shapes: if drawable { said.shapes } else { &[] },
            names: said.names,
        }
    }

    /// Forgets the goal: a camera that follows jumps to that of the next frame.
    pub fn forget_goal(&mut self) {
        if self.follows {
            self.goal = None;
        }
    }

    /// Recomputes the goal for a frame that came before the size of the view was known or the world was shown, and
    /// after a change of aspect. True if the camera's goal may have changed.
    pub fn catch_up(&mut self, frame: &Frame, document: &Document, plays: bool) -> bool {
        let (aspect, goal) = (self.framed, self.goal);
        let reshaped = aspect != self.aspect;
        let due = (goal.is_none() || reshaped) && !self.unseen && self.placed.is_none();
        if due {
            self.frame(frame, document);
            if let (true, Some(goal)) = (self.follows && self.companion.is_none() && !plays, goal) {
                self.reshape(aspect, goal);
            }
        }
        due && reshaped
    }

    /// Shows at another aspect what the camera shows while time stands: as far from its goal as it is from the one
    /// before. Back at the first aspect it is exactly where it was.
    fn reshape(&mut self, aspect: f32, goal: Camera) {
        let here = Standing { aspect, camera: self.camera, goal, shown: self.camera };
        let mut standing = self.standing.filter(|standing| standing.shown == self.camera).unwrap_or(here);
        let Standing { camera, goal: before, .. } = standing;
        if let (false, Some(goal)) = (standing.aspect == self.aspect, self.goal) {
            let target = goal.target + (camera.target - before.target);
            self.camera = Camera { target, ..camera }.at(goal.distance * (camera.distance / before.distance));
        } else {
            self.camera = camera;
        }
        standing.shown = self.camera;
        self.standing = Some(standing);
    }

    /// Computes the goal from a frame. The camera jumps there if there was no goal.
    fn frame(&mut self, frame: &Frame, document: &Document) {
        self.framed = self.aspect;
        let framing = Framing::new(&document.parameters, &self.look);
        if !framing.follows {
            self.goal = None;
            return;
        }
        let boids = match &frame.boids {
            Boids::Host(boids) => framing::sample(boids.position.iter().map(|[x, y, z, _]| [*x, *y, *z])),
            Boids::Device(instances) => frame
                .summary
                .filter(|_| instances.count > 0)
                .map_or(Vec::new(), |summary| self.ellipsoid(&summary, &framing)),
        };
        let goal = framing.goal(&self.camera, &boids, self.look.size, self.aspect);
        let goal = goal.map(|goal| goal.at(goal.distance / self.zoom));
        if let (None, Some(goal), None) = (self.goal, goal, self.companion) {
            (self.camera, self.spring) = (goal, Spring::default());
        }
        self.goal = goal;
    }

    /// The extent along the camera's axes of an ellipsoid around a flock on a device, of which only the centre and the
    /// deviations are known. If the world is kept in the picture, it contains the flock.
    fn ellipsoid(&self, summary: &gpu::Measures, framing: &Framing) -> Vec<Vec3> {
        let radii = if framing.keeps_world() { 0.0 } else { REACH } * Vec3::from(summary.deviation);
        let middle = Vec3::from(summary.centre);
        let ways = [self.camera.right(), self.camera.up(), self.camera.forward()];
        let reach = ways.map(|way| (radii * way).length() * way);
        let points = reach.into_iter().flat_map(|reach| [middle - reach, middle + reach]);
        points.filter(|point| point.is_finite()).collect()
    }

    /// Moves the camera nearer (factor below 1) or away: relative to the flock if the camera follows it, otherwise to
    /// the point under the pointer.
    pub fn zoom(&mut self, factor: f32, pointer: Vec2) {
        let kept = self.follows && self.goal.is_some();
        if kept {
            self.zoom /= factor;
            self.goal = self.goal.map(|goal| goal.at(goal.distance * factor));
        }
        self.camera.zoom(factor, if kept { Vec2::ZERO } else { pointer }, self.aspect);
    }

    /// Stops following the flock: the user moves the camera.
    pub fn let_go(&mut self) {
        self.follows = false;
        self.spring = Spring::default();
    }

    /// Follows the flock at its current size in the picture, or stops following it.
    fn follow(&mut self, follows: bool) {
        (self.follows, self.placed, self.spring) = (follows, None, Spring::default());
        self.requested = follows;
        if let (true, Some(goal)) = (follows, self.goal) {
            let nearer = goal.distance / self.camera.distance;
            self.zoom *= nearer;
            self.goal = Some(goal.at(self.camera.distance));
        }
    }

    /// The ray that selects a boid at a point of a picture of this height in points.
    pub fn pick(&self, pointer: Vec2, height: f32) -> PickRay {
        let ray = self.camera.ray(pointer, self.aspect);
        let pixel = self.camera.pixel(height.max(1.0) as u32);
        PickRay { ray, flat: self.camera.flat, tolerance: BESIDE * pixel }
    }

    /// True if a part of the flock is in the picture, or none is known.
    pub fn sees(&self, frame: &Frame) -> bool {
        match (&frame.boids, frame.summary) {
            (Boids::Host(boids), _) if !boids.position.is_empty() => {
                let places = framing::sample(boids.position.iter().map(|[x, y, z, _]| [*x, *y, *z]));
                places.iter().any(|place| self.camera.sees(*place, 0.0, self.aspect))
            }
            (Boids::Device(_), Some(summary)) => {
                // Nearly all of a flock is within this distance of its centre.
                let reach = 2.0 * summary.gyration;
                self.camera.sees(Vec3::from(summary.centre), reach, self.aspect)
            }
            _ => true,
        }
    }

    /// Id and position of the boid that the camera flies along with.
    pub fn companion(&self) -> Option<(u32, Vec3)> {
        self.companion.map(|companion| (companion.watched.id, companion.place))
    }

    /// Stops flying along with a boid, and restores the camera; false if there is none. A camera that follows the flock
    /// moves back by itself.
    pub fn leave_companion(&mut self) -> bool {
        if let Some(left) = self.left.take().filter(|_| !self.follows) {
            self.camera = left;
        }
        self.requested = self.companion.is_some();
        self.companion.take().is_some()
    }

    /// Applies a new frame: moves the camera along with the boid, otherwise updates the goal.
    pub fn accompany(&mut self, next: &Frame, document: &Document) {
        let time_step = document.parameters.motion.time_step as f32;
        self.passed += next.step.abs_diff(self.step).min(MOST_STEPS) as f32 / FILM;
        self.step = next.step;
        if next.watched.is_none() && !self.unseen && self.follows {
            self.frame(next, document);
        }
        let before = self.companion.take();
        self.companion = next.watched.map(|watched| {
            let steps = next.step.saturating_sub(watched.step).min(1000) as f32;
            let place = Vec3::from(watched.position) + Vec3::from(watched.velocity) * (steps * time_step);
            let same = before.filter(|before| before.watched.id == watched.id);
            let explanation = next.explanation.as_ref().filter(|_| self.explains);
            let distance = explanation.map(|found| near_distance(&found.senses, self.look.size));
            // Its neighbours are seen from nearby, unless the file says from where.
            let nears = distance.is_some() && document.view.distance.is_none();
            let coming = same.is_none_or(|before| before.coming || nears && before.distance.is_none());
            Companion { watched, place, coming, distance }
        });
        match (before, &mut self.companion) {
            (None, Some(companion)) => {
                self.left.get_or_insert(self.camera);
                if document.view.bird == Some(companion.watched.id) {
                    // A file names the boid: the camera jumps there.
                    let far = document.view.distance.map_or(self.camera.distance, |far| far as f32);
                    self.camera = Camera { target: companion.place, ..self.camera }.at(far);
                    companion.coming = false;
                }
            }
            (Some(before), Some(after)) if before.watched.id == after.watched.id => {
                if self.held {
                    // The camera catches up once the tool is let go.
                    after.coming = true;
                    return;
                }
                // This includes a boid that crosses a periodic boundary, and several steps at once.
                let by = after.place - before.place;
                if by.is_finite() {
                    self.camera.target += by;
                }
            }
            _ => {}
        }
    }

    /// Moves the camera without input: towards its boid, its flock, or in a slow turn. It holds while a tool draws. While
    /// time stands, if not `plays`, it follows the flock only at the user's request and by single steps. Returns the time
    /// until the next call is due; `now` and `since`, the time since the last frame, are in seconds.
    pub fn drift(&mut self, now: f64, since: f64, plays: bool) -> Option<Duration> {
        let passed = std::mem::take(&mut self.passed);
        if self.held {
            self.spring = Spring::default();
            return None;
        }
        if let Some(companion) = &mut self.companion {
            let way = companion.place - self.camera.target;
            let far =
                (self.camera.distance - companion.distance.unwrap_or(DISTANCE * self.look.size)).max(0.0);
            companion.coming &= way.length() + far > ARRIVED * self.camera.distance;
            if companion.coming {
                let share = 1.0 - (-HASTE * since as f32).exp();
                self.camera.target += way * share;
                self.camera.distance -= far * share;
                return Some(Duration::ZERO);
            }
        }
        self.requested &= !plays;
        let framed = self.keep_flock(if plays || self.requested { since as f32 } else { passed });
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

    /// Moves a following camera towards its goal for `time` in seconds; returns the time until the next call if it has
    /// not arrived.
    fn keep_flock(&mut self, mut time: f32) -> Option<Duration> {
        if time <= 0.0 {
            return None;
        }
        let goal = self.goal.filter(|_| self.follows && self.companion.is_none())?;
        let way = (goal.target - self.camera.target).length() / goal.distance;
        let near = way + (goal.distance / self.camera.distance).ln().abs() < ARRIVED;
        if near && self.spring.rests(ARRIVED * goal.distance) {
            // The end position does not depend on the way.
            let there = (self.camera.target, self.camera.distance) == (goal.target, goal.distance);
            (self.camera.target, self.camera.distance) = (goal.target, goal.distance);
            (self.spring, self.requested) = (Spring::default(), false);
            return (!there).then_some(Duration::ZERO);
        }
        while time > 0.0 {
            let goal = framing::drawn_back(&goal, &self.camera, self.zoom);
            self.spring.approach(&mut self.camera, &goal, time.min(LONGEST), RATES);
            time -= LONGEST;
        }
        Some(Duration::ZERO)
    }
}

/// A number rounded to six digits, as written to a file or a link.
fn short(value: f32) -> f64 {
    format!("{value:.5e}").parse().unwrap_or_else(|_| value.into())
}

/// Radians that the camera turns in `seconds` after `idle` seconds without input.
fn turn(idle: f64, seconds: f64) -> f32 {
    let share = ((idle - PATIENCE) / START).clamp(0.0, 1.0);
    (SPEED * share * seconds) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::HostInstances;

    #[test]
    fn the_camera_flies_along_with_a_boid_that_leaves_on_one_side_and_enters_on_the_other() {
        let p = Parameters::default();
        let mut document = Document::new(Vec::new(), None, p, p);
        (document.view.bird, document.view.distance) = (Some(5), Some(30.0));
        let mut eye = CameraState::new(&p);
        let [min, max] = corners(&p);
        for position in [max, min, max] {
            let watched = Watched { id: 5, position: position.to_array(), velocity: [0.0; 3], step: 0 };
            let one = HostInstances { position: vec![[0.0; 4]], ..HostInstances::default() };
            let boids = Boids::Host(one.into());
            let frame = Frame { watched: Some(watched), boids, ..Frame::empty(0) };
            eye.accompany(&frame, &document);
            // The size of the view is known after the first frame.
            eye.set_aspect(1.6, &document);
            eye.catch_up(&frame, &document, true);
            eye.drift(0.0, 0.02, true);
            assert!((eye.camera.target - position).length() < 1e-3 * eye.camera.distance);
            assert_eq!(eye.camera.distance, 30.0);
        }
    }

    #[test]
    fn the_camera_keeps_up_with_a_flock_that_travels_without_a_halt() {
        let mut eye = CameraState::new(&Parameters::default());
        let (mut goal, by) = (eye.camera, 0.01 * eye.camera.distance);
        for frame in 0..600 {
            goal.target.x += by;
            eye.goal = Some(goal);
            let before = eye.camera.target.x;
            eye.drift(0.0, 1.0 / 60.0, true);
            let (moved, behind) = (eye.camera.target.x - before, goal.target.x - eye.camera.target.x);
            assert!(frame < 300 || (moved - by).abs() < 0.1 * by && behind.abs() < by, "{moved} {behind}");
        }
    }

    #[test]
    fn the_camera_begins_to_turn_gently_and_only_when_it_is_left_alone() {
        let mut eye =
            CameraState { orbits: true, touched: 100.0, ..CameraState::new(&Parameters::default()) };
        eye.camera.flat = false;
        let yaw = eye.camera.yaw;
        assert_eq!((eye.drift(101.0, 1.0, true), eye.camera.yaw), (Some(Duration::from_secs(19)), yaw));
        assert_eq!((turn(1.0, 1.0), turn(PATIENCE, 1.0)), (0.0, 0.0));
        assert!(turn(PATIENCE + 1.0, 1.0) < turn(PATIENCE + 2.0, 1.0));
        assert_eq!(turn(PATIENCE + 60.0, 0.5), (0.5 * SPEED) as f32);
        assert_eq!(eye.drift(101.0 + PATIENCE, 1.0, true), Some(Duration::ZERO));
        assert_ne!(eye.camera.yaw, yaw);
    }
}
