//! Terms of one's own in the panel: a slider a parameter, and formulas that are edited while they fly.

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use murmuration::view::session::Session;

use super::{session, window_of};

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
    session.document.parameters.terms = terms;
    session.document.parameters.terms.set("terms.swirl.strength", 0.25).expect("in its range");
    session.commit();
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
}
