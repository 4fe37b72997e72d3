//! Custom terms in the panel: a slider a parameter, and formulas that are edited while they fly.

use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use engine::Numeric;
use window::session::{Action, Session};

use super::{change, click, session, session_with, window_of};

const SWIRL: &str = "[terms.swirl]\nhelp = \"circles\"\nstrength = { default = 0.05, range = [0, 1], unit = \"1/t\" }\n\
    request = \"strength * cross(vec3(0, 0, 1), position - home.position)\"\n";

fn request(window: &Harness<'_, Session>) -> &'static str {
    window.state().document.parameters.terms.terms()[0].request.text
}

/// Types at the end of the formula.
fn type_text(window: &mut Harness<'_, Session>, text: &str) {
    let field = window.get_by_label("terms.swirl.request");
    field.focus();
    window.run();
    window.get_by_label("terms.swirl.request").type_text(text);
    window.run();
}

#[test]
fn a_formula_that_compiles_flies_and_one_that_does_not_leaves_the_old_one() {
    let mut session = session("cornell");
    let terms = config::parse(SWIRL, "test").expect("fits").parameters.terms;
    change(&mut session, |p| {
        p.terms = terms;
        p.terms.set("terms.swirl.strength", 0.25).expect("in its range");
    });
    let mut window = window_of(session);
    window.run();
    let before = request(&window);

    type_text(&mut window, " * 2.0");
    assert_eq!(request(&window), format!("{before} * 2.0"));
    assert_eq!(window.state().document.parameters.terms.get("terms.swirl.strength"), Some(0.25));
    assert_eq!(window.state().controls.draft, None);

    type_text(&mut window, " + velcity");
    assert_eq!(request(&window), format!("{before} * 2.0"));
    let draft = window.state().controls.draft.clone().expect("a formula that does not compile");
    assert_eq!(draft.why, "1:67: velcity: no such name; did you mean `velocity`?");
    assert!(window.query_by_label_contains("no such name").is_some());

    // The first undo brings the formula back that flies, the next ones what flew before.
    click(&mut window, "Undo");
    assert_eq!(
        (window.state().controls.draft.clone(), request(&window)),
        (None, &*format!("{before} * 2.0"))
    );
    while request(&window) != before {
        assert!(window.state().document.undo_ways()[0]);
        click(&mut window, "Undo");
    }
    // Whatever replaces the formula that flies takes the other away.
    for leave in [Action::Reset, Action::Choose(1)] {
        change(window.state_mut(), |p| p.terms = terms);
        window.run();
        type_text(&mut window, " + velcity");
        assert!(window.state().controls.draft.is_some());
        window.state_mut().apply(leave);
        assert_eq!(window.state().controls.draft, None);
    }
}

#[test]
fn a_formula_that_integers_refuse_stays_as_a_draft_and_the_old_one_flies() {
    let mut session = session_with("cornell", Numeric::Fixed, |source| source);
    change(&mut session, |p| p.terms = config::parse(SWIRL, "test").expect("fits").parameters.terms);
    session.settle();
    assert_eq!(session.controls.message, None);
    session.apply(Action::Play(true));
    let mut window = window_of(session);
    let before = request(&window);

    type_text(&mut window, " * 1e3");
    type_text(&mut window, "0");
    window.state_mut().settle();
    window.run();
    let session = window.state();
    let draft = session.controls.draft.clone().expect("a formula that integers refuse");
    assert_eq!(draft.text, format!("{before} * 1e30"));
    assert!([before, &format!("{before} * 1e3")].contains(&request(&window)), "{}", request(&window));
    assert!(draft.why.starts_with("terms.swirl: "), "{}", draft.why);
    assert_eq!((&session.controls.message, session.flight.playing), (&None, true));
    assert!(window.query_by_label_contains(&draft.why).is_some(), "it stands under the editor");

    // Typing goes on where it was: a formula that fits flies, also while the answer to an earlier one is on its way.
    let back = |window: &mut Harness<'_, Session>| {
        window.key_press(egui::Key::Backspace);
        window.run();
    };
    for settles in [true, false, false] {
        back(&mut window);
        if settles {
            window.state_mut().settle();
        }
        assert_eq!((request(&window), &window.state().controls.draft), (&*format!("{before} * 1e3"), &None));
        type_text(&mut window, "0");
    }
    back(&mut window);
    window.state_mut().settle();
    window.run();
    assert_eq!((request(&window), &window.state().controls.draft), (&*format!("{before} * 1e3"), &None));
}

#[test]
fn the_list_of_names_is_of_the_term() {
    let mut session = session("cornell");
    let terms = format!("{SWIRL}{LIFE}");
    change(&mut session, |p| p.terms = config::parse(&terms, "test").expect("fits").parameters.terms);
    let mut window = window_of(session);
    let mut listed = |k: usize, key: &str| -> Vec<String> {
        window.query_all_by_label(key).nth(k).expect("its label").hover();
        window.run();
        let text = window.get_by_label_contains("the flock's parameters");
        let text = text.accesskit_node().value().or(text.accesskit_node().label()).expect("a list");
        text.split([',', ';', '\n']).map(|name| name.trim().to_owned()).collect()
    };
    let has = |names: &[String], wanted: &[&str]| -> Vec<bool> {
        wanted.iter().map(|wanted| names.iter().any(|name| name == wanted)).collect()
    };
    let wanted = ["strength", "liking", "sum", "count", "offset", "their.velocity", "vec2", "position"];
    let swirl = has(&listed(0, "request"), &wanted);
    assert_eq!(swirl, [true, false, false, false, false, false, true, true]);
    let life = has(&listed(1, "request"), &wanted);
    assert_eq!(life, [false, true, true, true, false, false, true, true]);
    let each = has(&listed(0, "each"), &wanted);
    assert_eq!(each, [false, true, false, false, true, true, true, true]);
}

#[test]
fn a_parameter_that_no_formula_reads_is_named() {
    let mut session = session("cornell");
    change(&mut session, |p| p.terms = config::parse(SWIRL, "test").expect("fits").parameters.terms);
    let mut window = window_of(session);
    window.get_by_label("terms.swirl.request").focus();
    window.run();
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    window.get_by_label("terms.swirl.request").type_text("velocity");
    window.run();
    assert!(window.query_by_label_contains("terms.swirl.strength: no formula").is_some());
}

const LIFE: &str = "[terms.life]\nradius = { default = 3, range = [0, 9], unit = \"len\" }\n\
    liking = { default = [[0.5, -1, 0], [2, 0.25, 0], [1, 1, 1]], range = [-2, 2], unit = \"1/t\" }\n\
    each = \"table(liking, group, their.group) * offset\"\nrequest = \"sum\"\n";

#[test]
fn a_table_is_a_grid_that_is_drawn_at_random_and_undone() {
    let flown = || {
        let mut session = session("cornell");
        change(&mut session, |p| p.terms = config::parse(LIFE, "test").expect("fits").parameters.terms);
        window_of(session)
    };
    let numbers = |window: &Harness<'_, Session>| -> Vec<f64> {
        window.state().document.parameters.terms.parameters().map(|(_, value)| value).collect()
    };
    let mut window = flown();
    for (row, column) in [(0, 0), (0, 2), (2, 1)] {
        window.get_by_label(&format!("terms.life.liking[{row}][{column}]"));
    }
    let before = numbers(&window);
    click(&mut window, "Draw");
    let drawn = numbers(&window);
    assert_eq!(drawn[0], 3.0, "the table alone");
    assert!(drawn[1..].iter().zip(&before[1..]).all(|(drawn, before)| drawn != before), "{drawn:?}");
    assert!(drawn[1..].iter().all(|number| (-2.0..=2.0).contains(number)));
    click(&mut window, "Draw");
    let next = numbers(&window);
    assert_ne!(next, drawn);
    for expected in [&drawn, &before] {
        window.state_mut().apply(Action::Undo);
        window.run();
        assert_eq!(numbers(&window), *expected);
    }
    // For the same seed the same numbers.
    let mut again = flown();
    click(&mut again, "Draw");
    assert_eq!(numbers(&again), drawn);
}

#[test]
fn groups_are_a_row_of_parts() {
    let mut window = window_of(session("cornell"));
    let parts =
        |window: &Harness<'_, Session>| window.state().document.parameters.flock.groups.as_slice().to_vec();
    assert!(parts(&window).is_empty());
    change(window.state_mut(), |p| (p.scouts.right, p.scouts.left) = (0.0, 0.0));
    click(&mut window, "flock");
    click(&mut window, "one group more");
    click(&mut window, "one group more");
    assert_eq!(parts(&window), [1.0; 3]);
    click(&mut window, "one group less");
    assert_eq!(parts(&window), [1.0; 2]);
    window.get_by_label("flock.groups 1");
    let groups = window.state().frame().boids.count();
    assert_eq!(groups, 500);
}

#[test]
fn rows_end_where_the_panel_does_however_long_their_units_are() {
    let mut window = window_of(session("cornell"));
    for preset in config::presets::all() {
        let parameters = preset.parameters().expect(preset.name);
        change(window.state_mut(), |p| p.terms = parameters.terms);
        window.run();
        for role in [Role::SpinButton, Role::Slider, Role::MultilineTextInput, Role::Label] {
            for node in window.query_all_by_role(role) {
                let right = node.rect().right();
                let name = node.accesskit_node().label();
                assert!(right <= 1280.0 - 16.0, "{}: {role:?} {name:?} ends at {right}", preset.name);
            }
        }
    }
}
