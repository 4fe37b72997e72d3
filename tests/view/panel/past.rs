//! The last seconds: an earlier step is shown to the bit, whatever was done meanwhile, and the flock flies on from there.

use egui::Key;
use egui_kittest::kittest::Queryable as _;
use window::session::{Action, Session};

use super::{change, press, window};

/// Plays so many frames, and waits for each.
fn frames(session: &mut Session, count: usize) {
    for _ in 0..count {
        session.tick(std::time::Duration::from_millis(16));
        session.settle();
    }
}

/// The hash of the flock that is shown.
fn hash(session: &mut Session) -> u64 {
    session.apply(Action::Play(false));
    while session.frame().hash.is_none() || session.flight.seek_target.is_some() {
        frames(session, 1);
    }
    session.frame().hash.expect("it was waited for")
}

/// Goes to a step; its hash.
fn at(session: &mut Session, step: u64) -> u64 {
    session.apply(Action::Wind(step as i64 - session.frame().step as i64));
    let hash = hash(session);
    assert_eq!(session.frame().step, step);
    hash
}

/// Steps one by one to a step; the hashes on the way, from the present step's on.
fn hashes(session: &mut Session, last: u64) -> Vec<u64> {
    let mut all = vec![hash(session)];
    while session.frame().step < last {
        session.apply(Action::Step);
        session.settle();
        all.push(hash(session));
    }
    all
}

#[test]
fn an_earlier_step_is_shown_to_the_bit_and_the_flock_flies_on_from_there() {
    let mut session = super::session("cornell");
    let was = hashes(&mut session, 40);
    assert!(was.windows(2).all(|pair| pair[0] != pair[1]));
    // Back, forth again, and no farther than there is.
    for step in [23, 24, 38, 5, 40, 1] {
        assert_eq!(at(&mut session, step), was[step as usize], "{step}");
        assert_eq!(session.frame().span, [1, 40]);
    }
    session.apply(Action::Wind(-1000));
    assert_eq!((hash(&mut session), session.frame().step), (was[1], 1));
    // A link to it holds its step.
    at(&mut session, 23);
    let moment = session.flight.moment().expect("nothing was changed");
    assert_eq!(moment, [("engine", "cpu".to_owned()), ("step", "23".to_owned())]);
    // It flies on, to the same bits; what came later is no longer there to be shown.
    assert_eq!(hashes(&mut session, 40), was[23..]);
    assert_eq!(session.frame().span, [1, 40]);
    at(&mut session, 30);
    session.apply(Action::Step);
    session.settle();
    assert_eq!((session.frame().span, hash(&mut session)), ([1, 31], was[31]));
    // The charts go back with it.
    assert_eq!(session.flight.history.last().map(|sample| sample.step), Some(31));
    // A start has no past.
    session.apply(Action::Restart);
    session.settle();
    assert_eq!(session.frame().span, [0, 0]);
}

#[test]
fn what_a_person_did_is_done_again_on_the_way() {
    let mut session = super::session("murmuration");
    let (mut was, plain) = (hashes(&mut session, 10), hashes(&mut super::session("murmuration"), 30));
    // A falcon for some steps, then another rule.
    for step in 11..=20 {
        let [x, y, z] = session.frame().summary.expect("boids").centre;
        session.apply(Action::Falcon([x + step as f32, y, z]));
        was.extend(&hashes(&mut session, step)[1..]);
    }
    session.flight.pointer_effect = None;
    change(&mut session, |p| p.cohesion.weight *= 3.0);
    was.extend(&hashes(&mut session, 30)[1..]);
    // Both made a difference: what is shown is no flight without them.
    assert!(was[..10] == plain[..10] && was[20] != plain[20] && was[30] != plain[30]);
    for step in [12, 19, 28, 22, 30, 4, 15] {
        assert_eq!(at(&mut session, step), was[step as usize], "{step}");
    }
    // It flies on by the rule that is set now, without the falcon.
    assert_eq!(session.frame().predators.len(), 2);
    session.apply(Action::Step);
    session.settle();
    assert_ne!(hash(&mut session), was[16]);
    let count = session.document.parameters.predators.count as usize;
    assert_eq!(
        (session.frame().predators.len(), session.flight.sent_parameters),
        (count, session.document.parameters)
    );
}

#[test]
fn a_slider_and_keys_go_back() {
    let mut window = window("cornell");
    let was = hashes(window.state_mut(), 80);
    press(&mut window, Key::OpenBracket);
    assert_eq!((window.state().flight.seek_target, window.state().frame().step), (Some(50), 80));
    assert_eq!((hash(window.state_mut()), window.state().frame().step), (was[50], 50));
    press(&mut window, Key::CloseBracket);
    hash(window.state_mut());
    assert_eq!(window.state().frame().step, 80);
    window.run();
    // The step has one number, in the corner.
    assert!(window.query_by_role_and_label(egui::accesskit::Role::SpinButton, "moment").is_none());
    let slider = window.get_by_role_and_label(egui::accesskit::Role::Slider, "moment").rect();
    let middle = egui::pos2(slider.left() + 0.25 * slider.width(), slider.center().y);
    window.state_mut().apply(Action::Play(true));
    window.drag_at(middle);
    // It stands as long as it is held.
    for _ in 0..5 {
        window.step();
        frames(window.state_mut(), 1);
    }
    let held = window.state().frame().step;
    assert!((10..40).contains(&held), "{held}");
    // Paused, it also has its hash, and is not asked for it again.
    window.state_mut().apply(Action::Play(false));
    for _ in 0..5 {
        window.step();
        frames(window.state_mut(), 1);
    }
    assert_eq!((window.state().frame().step, window.state().frame().hash), (held, Some(was[held as usize])));
    let shown = window.state().flight.shown;
    window.step();
    frames(window.state_mut(), 1);
    assert!(window.state().flight.shown == shown && !window.state().flight.waits());
    window.state_mut().apply(Action::Play(true));
    window.drop_at(middle);
    window.step();
    frames(window.state_mut(), 5);
    let session = window.state();
    assert!(session.frame().step > held && session.frame().span[1] == session.frame().step);
}
