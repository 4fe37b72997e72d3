//! A scene that the window saved is rendered as the window showed it.

use std::sync::Arc;

use super::super::*;
use crate::cli::{self, Call};
use engine::HostInstances;
use scene::{Colour, Scenery, of_view};
use window::frame::{Boids, Frame, Watched};
use window::session::camera_state::CameraState;
use window::session::document::Document;

const ASPECT: f32 = 1.6;

/// A flock as the window has it, and its state.
fn flock() -> (Parameters, State, Frame) {
    let mut p = config::presets::PRESETS[0].parameters().expect("built in");
    p.set_boids(700);
    let state = State::start(&p);
    let position = state.boids.iter().map(|boid| {
        let [x, y, z] = boid.position.map(|c| c as f32);
        [x, y, z, 0.0]
    });
    let boids = HostInstances { position: position.collect(), ..HostInstances::default() };
    let boids = Boids::Host(Arc::new(boids));
    (p, state, Frame { boids, ..Frame::empty(0) })
}

/// Opens a view: the eye of a window, and the camera of a still.
fn opened(p: &Parameters, state: &State, frame: &Frame, view: View) -> (CameraState, Document, Camera) {
    let mut document = Document::new(Vec::new(), None, *p, *p);
    document.view = view;
    let mut eye = CameraState::new(p);
    eye.look.scenery = view.look;
    eye.look_at_world(&document);
    eye.set_aspect(ASPECT, &document);
    let frame = Frame {
        watched: view.bird.map(|id| watched(state, id)),
        boids: again(&frame.boids),
        ..Frame::empty(0)
    };
    eye.accompany(&frame, &document);
    let Ok(Call::Render(request)) = cli::parse(["murmuration", "render", "a.png"].map(Into::into)) else {
        panic!("a name is enough");
    };
    let (camera, look) = of_view(&view, Look { scenery: view.look, ..Look::new(p) }, p);
    assert_eq!(look, eye.look);
    let mut path = Path::new(&request.options, CameraPath::default(), p, (camera, &view, &look), ASPECT);
    if path.needs_state() {
        path.observe(state);
    }
    (eye, document, path.next())
}

fn again(boids: &Boids) -> Boids {
    match boids {
        Boids::Host(boids) => Boids::Host(Arc::clone(boids)),
        Boids::Device(_) => panic!("in memory"),
    }
}

fn watched(state: &State, id: u32) -> Watched {
    let position = state.boids[id as usize].position.map(|c| c as f32);
    Watched { id, position, velocity: [0.0; 3], step: 0 }
}

/// The difference of two cameras: angles in radians, lengths as fractions of the distance.
fn apart(a: &Camera, b: &Camera) -> f32 {
    let angles = (a.yaw - b.yaw).abs().max((a.pitch - b.pitch).abs());
    angles.max((a.target - b.target).length() / b.distance).max((a.distance / b.distance).ln().abs())
}

#[test]
fn a_scene_is_rendered_as_the_window_shows_it_and_saved_as_it_is() {
    let (p, state, frame) = flock();
    let plain = View { look: Scenery::Dusk, ..View::default() };
    let side = View { yaw: Some(-70.0), pitch: Some(33.5), zoom: Some(1.75), ..plain };
    let look = View {
        look: Scenery::Cones,
        colour: Some(Colour::Speed),
        trails: Some(40.0),
        fog: Some(0.0),
        light: Some(0.7),
        ..side
    };
    let placed = View {
        zoom: None,
        target: Some([10.0, -20.5, 30.0]),
        distance: Some(99.5),
        length: Some(1.25),
        ..look
    };
    let with_bird = View { target: None, distance: Some(7.25), bird: Some(321), ..placed };
    let mut cameras = Vec::new();
    for view in [plain, side, look, placed, with_bird] {
        let (eye, document, still) = opened(&p, &state, &frame, view);
        assert!(apart(&eye.camera, &still) < 1e-4, "{view:?}: {:?} {still:?}", eye.camera);
        assert_eq!(eye.view(&document), view);
        cameras.push(eye.camera);
    }
    // The controls: views differ, but for the look.
    assert!(apart(&cameras[0], &cameras[1]) > 0.1 && apart(&cameras[1], &cameras[2]) < 0.05);
    assert!(apart(&cameras[2], &cameras[3]) > 0.1 && apart(&cameras[3], &cameras[4]) > 0.1);
}

#[test]
fn a_camera_that_a_person_moved_comes_back_where_it_was() {
    let (p, state, frame) = flock();
    let (mut eye, document, _) = opened(&p, &state, &frame, View::default());
    eye.camera.orbit(0.3, 0.2);
    eye.camera.pan(glam::Vec2::new(0.3, 0.1), ASPECT);
    eye.let_go();
    eye.zoom(0.4, glam::Vec2::ZERO);
    let (again, _, still) = opened(&p, &state, &frame, eye.view(&document));
    assert!(apart(&again.camera, &eye.camera) < 1e-4 && apart(&still, &eye.camera) < 1e-4);
    assert!(!again.follows);
}
