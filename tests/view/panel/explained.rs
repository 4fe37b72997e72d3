//! A followed boid is explained: by keys and clicks, live with the sliders, in the number type of the engine.

use egui::{Key, Modifiers};
use engine::{Explanation, Numeric, State};
use flock::Parameters;
use window::session::{Action, Session};

use super::{Panel, change, session, session_with, step};

/// The state of a session's flock by another engine, at its step.
fn state(parameters: &Parameters, numeric: Numeric, steps: u64) -> State {
    let device = engines::Device::cpu(numeric);
    let start = State::start(parameters);
    let mut engine = device.engine(parameters, &start).expect("it fits").boxed();
    engine.advance(steps as u32).expect("stepped");
    engine.state().expect("finite")
}

/// Steps so often; the frame that the hash asks for has the explanation of its step, however long that takes.
fn steps(session: &mut Session, count: usize) {
    step(session, count);
    session.playback.worker.hash();
    session.settle();
}

fn explanation(session: &Session) -> &Explanation {
    session.explained().expect("explained").explanation
}

#[test]
fn the_card_is_the_explanation_of_the_step_that_is_shown() {
    for numeric in [Numeric::F32, Numeric::Fixed, Numeric::F64] {
        let mut session = session_with("cornell", numeric, |source| source);
        let parameters = session.document.parameters;
        session.apply(Action::FollowNext);
        session.settle();
        session.end_frame(false);
        session.settle();
        steps(&mut session, 25);
        let expected = Explanation::new(numeric, &parameters, &state(&parameters, numeric, 25), 0);
        assert_eq!(*explanation(&session), expected.expect("a boid"), "{numeric:?}");
        // The next step is the one that it names.
        let next = explanation(&session).next_velocity;
        steps(&mut session, 1);
        assert_eq!(explanation(&session).velocity, next);
        // While time stands it follows the sliders.
        let seen = explanation(&session).neighbours.len();
        change(&mut session, |p| (p.alignment.radius, p.cohesion.radius) = (200.0, 200.0));
        session.settle();
        assert!(explanation(&session).neighbours.len() > seen);
        let mut wide = parameters;
        (wide.alignment.radius, wide.cohesion.radius) = (200.0, 200.0);
        let expected = Explanation::new(numeric, &wide, &state(&parameters, numeric, 26), 0);
        assert_eq!(*explanation(&session), expected.expect("a boid"), "{numeric:?}");
    }
}

/// Ends a frame of the window, which asks for what is to be explained.
fn explain(panel: &mut Panel) {
    panel.session().end_frame(false);
    panel.session().settle();
}

#[test]
fn keys_follow_one_boid_after_the_other_and_hide_the_rules() {
    let mut panel = Panel::of(session("cornell"));
    assert!(panel.state().explained().is_none());
    for id in [0, 1, 2] {
        panel.press_with(Modifiers::SHIFT, Key::N);
        explain(&mut panel);
        assert_eq!(panel.state().explained().map(|explained| explained.explanation.id), Some(id));
    }
    for shown in [false, true] {
        panel.press(Key::N);
        explain(&mut panel);
        assert_eq!(panel.state().explained().is_some(), shown);
        assert!(panel.state().eye.companion().is_some());
    }
    panel.press(Key::Escape);
    explain(&mut panel);
    assert!(panel.state().explained().is_none() && panel.state().eye.companion().is_none());
}

#[test]
fn the_card_stays_while_something_is_said() {
    let mut panel = Panel::of(session("cornell"));
    panel.apply(Action::Panel(false));
    panel.apply(Action::FollowNext);
    explain(&mut panel);
    panel.apply(Action::NextColouring);
    let painted = panel.painted();
    for text in ["colour by", "with boid 0", "turns", "together"] {
        assert!(painted.contains(text), "{text}: {painted}");
    }
}
