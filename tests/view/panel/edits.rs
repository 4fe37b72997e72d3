//! Parameters and formulas are changed in the panel, refused, undone and reset.

use config::presets::PRESETS;
use egui::accesskit::Role;
use egui::{Key, Modifiers};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use engine::Numeric;
use flock::parameters::Value;
use scene::Colour;
use window::session::controls::{Page, Tool};
use window::session::{Action, Message, Preset, Session};

use super::files::link;
use super::keyboard::{USED, open_sections};
use super::{Panel, change, failure, session, session_with, set, step};

#[test]
fn a_reset_goes_back_to_the_preset_although_the_call_asked_for_fewer_boids() {
    let mut panel = Panel::new("murmuration");
    let preset = PRESETS[0].parameters().expect("built in");
    assert!(panel.state().document.changed() && panel.parameters() != preset);
    panel.click("Reset");
    assert!(!panel.state().document.changed());
    assert_eq!((panel.parameters(), panel.state().document.preset), (preset, Some(0)));
}

#[test]
fn three_sliders_and_the_falcon_come_before_all_parameters() {
    let mut panel = Panel::new("murmuration");
    panel.session().controls.open.all = false;
    panel.run();
    for weight in ["separation.weight", "alignment.weight", "cohesion.weight"] {
        assert!(panel.has(weight), "{weight}");
    }
    assert!(!panel.has("predators"));
    panel.click("Be the falcon");
    assert_eq!(panel.state().controls.tool, Tool::Falcon);
    panel.click("All parameters");
    assert!(panel.has("predators") && !panel.has("Be the falcon"));
    panel.click("Fewer parameters");
    assert!(!panel.has("predators"));
}

#[test]
fn a_drag_of_a_slider_is_one_entry_and_undo_and_redo_walk_through_them() {
    let mut panel = Panel::new("cornell");
    let start = panel.parameters();
    let slider = panel.query_all_by_role(Role::Slider).next().expect("the slider of boids").rect();
    let at = |share: f32| egui::pos2(slider.left() + share * slider.width(), slider.center().y);
    panel.drag_at(at(0.2));
    for share in [0.3, 0.2, 0.5] {
        panel.hover_at(at(share));
        panel.run();
    }
    panel.drop_at(at(0.5));
    panel.run();
    panel.settle();
    let dragged = panel.parameters();
    assert!(dragged.flock.boids > 500, "{}", dragged.flock.boids);
    assert_eq!(panel.state().frame().boids.count(), dragged.flock.boids);
    panel.press(Key::Num6);
    let chosen = PRESETS[5].parameters().expect("built in");

    let is = |panel: &Panel, parameters, name| {
        assert_eq!((panel.parameters(), panel.state().document.name()), (parameters, name));
        assert_eq!(panel.state().frame().boids.count(), panel.parameters().flock.boids);
    };
    is(&panel, chosen, "holoviews");
    panel.press_with(Modifiers::COMMAND, Key::Z);
    is(&panel, dragged, "cornell");
    panel.press_with(Modifiers::COMMAND, Key::Z);
    is(&panel, start, "cornell");
    let document = &panel.state().document;
    assert!(!document.can_undo() && document.can_redo());
    panel.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    is(&panel, dragged, "cornell");
    panel.press_with(Modifiers::COMMAND, Key::Y);
    is(&panel, chosen, "holoviews");
    panel.click("Undo");
    panel.click("Redo");
    is(&panel, chosen, "holoviews");
}

/// Types a text into the field of a number, and leaves it.
fn type_number(panel: &mut Panel, field: &str, text: &str) {
    panel.query_by_role_and_label(Role::SpinButton, field).expect("a field").focus();
    panel.run();
    panel.event(egui::Event::Text(text.to_owned()));
    panel.run();
    panel.press(Key::Enter);
}

#[test]
fn a_refused_number_says_why_at_the_foot_of_the_panel() {
    let mut session = session("cornell");
    let terms = config::parse(SWIRL, "test").expect("fits").parameters.terms;
    change(&mut session, |p| p.terms = terms);
    let mut panel = Panel::of(session);
    for (field, text, why) in [
        ("terms.swirl.strength", "99999", "terms.swirl.strength must be 0 to 1, not 99999"),
        ("terms.swirl.strength", "abc", "terms.swirl.strength must be a number, not abc"),
        ("cohesion.weight", "0,5", "cohesion.weight must be a number with a decimal point, not 0,5"),
        ("cohesion.weight", "99999", "cohesion.weight must be -1000 to 1000, not 99999.0"),
        ("steps/frame", "1000", "steps/frame must be 0.05 to 100, not 1000"),
        ("flock.boids", "0,5M", "flock.boids must be a whole number up to 4294967295"),
        ("flock.boids", "1.000", "flock.boids must be a whole number up to 4294967295"),
        ("flock.seed", "1e12", "flock.seed must be a whole number up to 4294967295"),
    ] {
        panel.session().controls.message = None;
        let before = (panel.parameters(), panel.state().playback.rate);
        type_number(&mut panel, field, text);
        assert_eq!((panel.parameters(), panel.state().playback.rate), before, "{field} {text}");
        assert!(panel.says(why), "{field} {text}: {:?}", panel.state().controls.message);
    }
    // The next number that is accepted takes the line away.
    type_number(&mut panel, "terms.swirl.strength", "0.5");
    assert_eq!(panel.parameters().terms.get("terms.swirl.strength"), Some(0.5));
    assert_eq!(panel.state().controls.message, None);
}

#[test]
fn obstacles_unfold_by_their_names_and_refuse_what_they_cannot_be() {
    let mut panel = Panel::new("cornell");
    for x in [100.0, 200.0] {
        panel.apply(Action::PlaceObstacle([x, 50.0, 0.0]));
    }
    panel.set_size(egui::vec2(1280.0, 3000.0));
    panel.run();
    panel.click("obstacles");
    assert!(panel.has("obstacle 1") && !panel.has("obstacle 2 radius"), "they are folded");
    panel.click("obstacle 2");
    let before = panel.parameters();
    for (field, text, why) in [
        ("obstacle 2 radius", "-1", "obstacle 2 radius must be 0 to 1.0e6, not -1"),
        ("obstacle 2 x", "1e9", "obstacle 2 x must be -1.0e6 to 1.0e6, not 1.0e9"),
        ("obstacle 2 y", "high", "obstacle 2 y must be a number, not high"),
    ] {
        type_number(&mut panel, field, text);
        assert_eq!(panel.parameters(), before, "{field} {text}");
        assert!(panel.says(why), "{field} {text}: {:?}", panel.state().controls.message);
    }
    let obstacle = |panel: &Panel| panel.parameters().obstacles.spheres.as_slice()[1];
    type_number(&mut panel, "obstacle 2 x", "300");
    type_number(&mut panel, "obstacle 2 radius", "7");
    assert_eq!((obstacle(&panel).position, obstacle(&panel).radius), ([300.0, 50.0, 0.0], 7.0));
    panel.click("remove obstacle 2");
    assert_eq!(panel.parameters().obstacles.spheres.as_slice().len(), 1);
    // A negative share is refused, too.
    panel.change(|p| (p.scouts.right, p.scouts.left) = (0.0, 0.0));
    panel.click("flock");
    panel.click("Add a group");
    type_number(&mut panel, "flock.groups 1", "-2");
    assert!(panel.says("flock.groups must be [] or up to"), "{:?}", panel.state().controls.message);
    assert_eq!(panel.parameters().flock.groups.as_slice(), [1.0, 1.0]);
    for (button, parts) in [("Add a group", 3), ("Remove a group", 2)] {
        panel.click(button);
        assert_eq!(panel.parameters().flock.groups.as_slice(), vec![1.0; parts]);
    }
}

#[test]
fn an_error_is_wrapped_and_vanishes_after_a_while_or_once_it_no_longer_holds() {
    // The mean of coordinates is no centre on a torus.
    let mut session = session("yabi");
    let before = session.document.parameters;
    set(&mut session, "world.edges", Value::Choice("wrap"));
    let why = "cohesion.scope must be neighbours in a world that wraps";
    assert_eq!((failure(&session), session.document.parameters), (why, before));
    set(&mut session, "cohesion.scope", Value::Choice("neighbours"));
    assert_eq!(session.controls.message, None);
    set(&mut session, "world.edges", Value::Choice("wrap"));
    assert_eq!(session.controls.message, None);

    let mut panel = Panel::of(session);
    let height = |panel: &mut Panel, why: &str| {
        panel.session().controls.fail(why.to_owned());
        panel.run();
        panel.get_by_label(why).rect().height()
    };
    let line = height(&mut panel, "no such name");
    assert!(height(&mut panel, &"no such name; ".repeat(20)) > 3.0 * line);
    panel.input_mut().time = Some(1000.0);
    panel.step();
    panel.step();
    assert!(!panel.says("no such name"));
}

#[test]
fn a_flock_of_groups_is_coloured_by_them_until_another_colouring_is_chosen() {
    let mut session = session("cornell");
    assert_eq!(session.eye.look.colour, Colour::Heading);
    let text = "preset = \"cornell\"\n[flock]\ngroups = [1, 2]\n[scouts]\nleft = 0\nright = 0";
    let groups = Action::LoadText("groups".to_owned(), text.to_owned());
    let none = Action::Choose(0);
    for (action, colour) in [
        (groups.clone(), Colour::Group),
        (Action::Undo, Colour::Heading),
        (Action::Redo, Colour::Group),
        (none, Colour::Heading),
    ] {
        session.apply(action.clone());
        session.document.remember();
        assert_eq!(session.eye.look.colour, colour, "{action:?}");
    }
    // A chosen one stays with the flock; another file or preset has its own.
    session.eye.look.colour = Colour::Speed;
    change(&mut session, |p| p.cohesion.weight *= 2.0);
    session.apply(Action::Undo);
    assert_eq!(session.eye.look.colour, Colour::Speed);
    for (action, colour) in [(groups, Colour::Group), (Action::Choose(0), Colour::Heading)] {
        session.eye.look.colour = Colour::Speed;
        session.apply(action);
        assert_eq!(session.eye.look.colour, colour);
    }
}

const SWIRL: &str = "[terms.swirl]\nhelp = \"circles\"\nstrength = { default = 0.05, range = [0, 1], unit = \"1/t\" }\n\
    request = \"strength * cross(vec3(0, 0, 1), position - home.position)\"\n";

const LIFE: &str = "[terms.life]\nradius = { default = 3, range = [0, 9], unit = \"len\" }\n\
    liking = { default = [[0.5, -1, 0], [2, 0.25, 0], [1, 1, 1]], range = [-2, 2], unit = \"1/t\" }\n\
    each = \"table(liking, group, their.group) * offset\"\nrequest = \"sum\"\n";

/// A session with terms, which take effect.
fn session_with_terms(text: &str, numeric: Numeric) -> Session {
    let mut session = session_with("cornell", numeric, |source| source);
    change(&mut session, |p| p.terms = config::parse(text, "test").expect("fits").parameters.terms);
    session.settle();
    assert_eq!(session.controls.message, None);
    session
}

fn request(panel: &Panel) -> &'static str {
    panel.parameters().terms.terms()[0].request.text
}

fn draft(panel: &Panel) -> Option<&window::session::controls::Draft> {
    panel.state().controls.draft.as_ref()
}

/// Types at the end of the formula.
fn type_text(panel: &mut Panel, text: &str) {
    panel.get_by_label("terms.swirl.request").focus();
    panel.run();
    panel.get_by_label("terms.swirl.request").type_text(text);
    panel.run();
}

#[test]
fn a_formula_that_compiles_flies_and_one_that_does_not_leaves_the_old_one() {
    let mut panel = Panel::of(session_with_terms(SWIRL, Numeric::F32));
    let terms = panel.parameters().terms;
    panel.change(|p| p.terms.set("terms.swirl.strength", 0.25).map(drop).expect("in its range"));
    let before = request(&panel);
    let longer = format!("{before} * 2.0");

    type_text(&mut panel, " * 2.0");
    assert_eq!((request(&panel), draft(&panel)), (&*longer, None));
    assert_eq!(panel.parameters().terms.get("terms.swirl.strength"), Some(0.25));

    type_text(&mut panel, " + velcity");
    assert_eq!(request(&panel), longer);
    let why = "1:67: unknown name 'velcity'; did you mean 'velocity'?";
    assert_eq!(draft(&panel).expect("a formula that does not compile").why, why);
    assert!(panel.says("unknown name"));

    // The first undo brings the formula back that flies, the next ones what flew before.
    panel.click("Undo");
    assert_eq!((request(&panel), draft(&panel)), (&*longer, None));
    while request(&panel) != before {
        assert!(panel.state().document.can_undo());
        panel.click("Undo");
    }
    // Whatever replaces the formula that flies takes the other away.
    for leave in [Action::Reset, Action::Choose(1)] {
        panel.change(|p| p.terms = terms);
        type_text(&mut panel, " + velcity");
        assert!(draft(&panel).is_some());
        panel.apply(leave);
        assert_eq!(draft(&panel), None);
    }
    // A parameter that no formula reads is named.
    panel.change(|p| p.terms = terms);
    panel.get_by_label("terms.swirl.request").focus();
    panel.run();
    panel.key_press_modifiers(Modifiers::COMMAND, Key::A);
    panel.get_by_label("terms.swirl.request").type_text("velocity");
    panel.run();
    assert!(panel.says("terms.swirl.strength: not used"));
}

#[test]
fn names_are_completed_at_the_cursor_of_a_formula() {
    let mut panel = Panel::of(session_with_terms(SWIRL, Numeric::F32));
    let before = request(&panel);
    let text = |panel: &Panel| draft(panel).map_or(request(panel).to_owned(), |draft| draft.text.clone());
    type_text(&mut panel, " + vel");
    assert!(panel.has("Tab: velocity"));
    panel.press(Key::Tab);
    assert_eq!((text(&panel), draft(&panel)), (format!("{before} + velocity"), None));
    assert!(!panel.says("Tab: "), "a whole name is offered nothing");
    // The cursor is after the name; its own parameters come first, and those of the flock are known.
    panel.get_by_label("terms.swirl.request").type_text(" * st");
    panel.run();
    assert!(panel.says("Tab: strength, step"));
    panel.press(Key::Tab);
    assert_eq!(text(&panel), format!("{before} + velocity * strength"));
    panel.get_by_label("terms.swirl.request").type_text(" * motion.time");
    panel.run();
    panel.press(Key::Tab);
    assert_eq!(text(&panel), format!("{before} + velocity * strength * motion.time_step"));
    // In a word that is none Tab goes to the next widget.
    panel.get_by_label("terms.swirl.request").type_text(" * 2");
    panel.run();
    panel.press(Key::Tab);
    assert!(text(&panel).ends_with(" * 2"));
    assert!(!panel.ctx.text_edit_focused());
}

#[test]
fn a_formula_that_integers_refuse_stays_as_a_draft_and_the_old_one_flies() {
    let mut session = session_with_terms(SWIRL, Numeric::Fixed);
    session.apply(Action::Play(true));
    let mut panel = Panel::of(session);
    let before = request(&panel);
    let fits = format!("{before} * 1e3");

    type_text(&mut panel, " * 1e3");
    type_text(&mut panel, "0");
    panel.settle();
    let refused = draft(&panel).expect("a formula that integers refuse");
    assert_eq!(refused.text, format!("{before} * 1e30"));
    assert!(refused.why.starts_with("terms.swirl: "), "{}", refused.why);
    assert!(panel.says(&refused.why), "it stands under the editor");
    assert!([before, &fits].contains(&request(&panel)), "{}", request(&panel));
    assert_eq!((&panel.state().controls.message, panel.state().playback.playing), (&None, true));

    // Typing goes on where it was: a formula that fits flies, also while the answer to an earlier one is on its way.
    for settles in [true, false, false] {
        panel.key_press(Key::Backspace);
        panel.run();
        if settles {
            panel.session().settle();
        }
        assert_eq!((request(&panel), draft(&panel)), (&*fits, None));
        type_text(&mut panel, "0");
    }
    panel.press(Key::Backspace);
    assert_eq!((request(&panel), draft(&panel)), (&*fits, None));
}

#[test]
fn the_list_of_names_is_of_the_term() {
    let mut panel = Panel::of(session_with_terms(&format!("{SWIRL}{LIFE}"), Numeric::F32));
    for (k, part, has, has_not) in [
        (0, "request", "strength vec2 position", "liking sum count offset their.velocity"),
        (1, "request", "liking sum count vec2 position", "strength offset their.velocity"),
        (0, "each", "liking offset their.velocity vec2 position", "strength sum count"),
    ] {
        panel.query_all_by_label(part).nth(k).expect("its label").hover();
        panel.run();
        let list = panel.get_by_label_contains("the flock's parameters");
        let text = list.accesskit_node().value().or(list.accesskit_node().label()).expect("a list");
        let names: Vec<&str> = text.split([',', ';', '\n']).map(str::trim).collect();
        assert!(has.split(' ').all(|name| names.contains(&name)), "{part} {k}: {names:?}");
        assert!(!has_not.split(' ').any(|name| names.contains(&name)), "{part} {k}: {names:?}");
    }
}

#[test]
fn a_table_is_a_grid_that_is_drawn_at_random_and_undone() {
    let numbers = |panel: &Panel| -> Vec<f64> {
        panel.parameters().terms.parameters().map(|(_, value)| value).collect()
    };
    let mut panel = Panel::of(session_with_terms(LIFE, Numeric::F32));
    for (row, column) in [(0, 0), (0, 2), (2, 1)] {
        assert!(panel.has(&format!("terms.life.liking[{row}][{column}]")));
    }
    let before = numbers(&panel);
    panel.click("Randomise");
    let drawn = numbers(&panel);
    assert_eq!(drawn[0], 3.0, "the table alone");
    assert!(drawn[1..].iter().zip(&before[1..]).all(|(drawn, before)| drawn != before), "{drawn:?}");
    assert!(drawn[1..].iter().all(|number| (-2.0..=2.0).contains(number)));
    panel.click("Randomise");
    assert_ne!(numbers(&panel), drawn);
    for expected in [&drawn, &before] {
        panel.apply(Action::Undo);
        assert_eq!(numbers(&panel), *expected);
    }
    // For the same seed the same numbers.
    let mut again = Panel::of(session_with_terms(LIFE, Numeric::F32));
    again.click("Randomise");
    assert_eq!(numbers(&again), drawn);
}

/// The widgets and texts that reach beyond the right margin of a panel of this width, and lines of text that are cut.
fn too_wide(panel: &Panel, width: f32) -> Vec<String> {
    let view = panel.ctx.read_response(egui::Id::unique("view")).expect("the view").rect.right();
    let right = view + width - 16.0;
    let mut wide = Vec::new();
    for node in panel.query_all_by(|node| node.role() == Role::Label || USED.contains(&node.role())) {
        let rect = node.rect();
        // The view and its tab end where the panel begins.
        if rect.right() > right + 0.5 && rect.left() > view {
            let name = node.accesskit_node().label().or(node.accesskit_node().value());
            wide.push(format!("{} by {}", name.unwrap_or_default(), rect.right() - right));
        }
    }
    for clipped in &panel.output().shapes {
        if let egui::Shape::Text(text) = &clipped.shape {
            let of_panel = text.pos.x > view;
            // The sentence of a preset has two rows, and its whole is shown on hover.
            let is_cut = text.galley.elided && text.galley.rows.len() == 1;
            if of_panel && (is_cut || text.pos.x + text.galley.size().x > right + 0.5) {
                wide.push(format!("'{}' is cut", text.galley.text()));
            }
        }
    }
    wide
}

const LONG_UNIT: &str = "[terms.far]\nlong = { default = 1, range = [0, 9], unit = \"t^6/len^6\" }\n\
    request = \"let s = dot(velocity, velocity); long * s * s * s * velocity\"\n";

#[test]
fn rows_end_where_the_panel_does_in_every_preset_at_any_width() {
    for width in [348.0, 300.0] {
        let mut panel = Panel::new("cornell");
        // A narrow window leaves the panel its least width, and a high one draws every row.
        panel.set_size(egui::vec2(if width < 348.0 { 476.0 } else { 1280.0 }, 6000.0));
        panel.run();
        open_sections(&mut panel);
        let mut wide = Vec::new();
        for preset in config::presets::all() {
            let mut parameters = preset.parameters().expect(preset.name);
            parameters.set_boids(parameters.flock.boids.min(50));
            panel.apply(Action::Parameters(Box::new(parameters)));
            assert_eq!(panel.parameters(), parameters, "{}", preset.name);
            for found in too_wide(&panel, width) {
                wide.push(format!("{}: {found}", preset.name));
            }
        }
        panel.change(|p| p.terms = config::parse(LONG_UNIT, "test").expect("fits").parameters.terms);
        wide.extend(too_wide(&panel, width));
        panel.apply(Action::PlaceObstacle([100.25, 50.0, 20.125]));
        panel.click("obstacle 1");
        wide.extend(too_wide(&panel, width));
        for page in [Page::View, Page::Charts, Page::File] {
            panel.apply(Action::Page(page));
            for found in too_wide(&panel, width) {
                wide.push(format!("{page:?}: {found}"));
            }
        }
        assert!(wide.is_empty(), "{width}: {wide:?}");
        assert!(!too_wide(&panel, width - 20.0).is_empty(), "the control: rows reach the margin");
    }
}

#[test]
fn parameters_are_found_by_words_of_their_names_and_help() {
    let mut panel = Panel::new("cornell");
    panel.apply(Action::Search("radius align".to_owned()));
    assert!(panel.has("alignment.radius") && panel.has("alignment.inner_radius"));
    assert!(!panel.has("cohesion.radius") && !panel.says("No parameter has these words."));
    panel.apply(Action::Search("ostrich".to_owned()));
    assert!(panel.says("No parameter has these words.") && !panel.has("alignment.radius"));
    panel.apply(Action::Search("  ".to_owned()));
    assert!(panel.has("separation.radius"));
}

#[test]
fn keys_say_what_they_have_chosen() {
    let mut panel = Panel::new("murmuration");
    let said = |panel: &Panel| match &panel.state().controls.message {
        Some(Message::Done(what)) => what.clone(),
        other => panic!("{other:?}"),
    };
    assert!(!link(panel.state()).contains("light"), "{}", link(panel.state()));
    panel.press_with(Modifiers::SHIFT, Key::L);
    let held = panel.state().eye.look.light_at(0.0);
    assert_eq!(said(&panel), format!("the light of dusk is held at {held:.2} (0 gold, 1 blue)"));
    assert!(link(panel.state()).contains("view.light%3D"), "{}", link(panel.state()));
    panel.press_with(Modifiers::SHIFT, Key::L);
    assert!(said(&panel).starts_with("the light of dusk moves"), "{}", said(&panel));
    assert!(!link(panel.state()).contains("light"), "{}", link(panel.state()));
    panel.press(Key::L);
    assert_eq!(said(&panel), "look: cones");
    panel.press_with(Modifiers::SHIFT, Key::L);
    assert!(said(&panel).contains("only the look dusk"), "{}", said(&panel));
    assert_eq!(panel.state().eye.look.light, None);
    panel.press(Key::C);
    assert_eq!(said(&panel), "colour by position");
    panel.session().apply(Action::Choose(1));
    let Preset { name, about, look_for, .. } = &panel.state().document.presets[1];
    assert_eq!(said(&panel), format!("{name}: {about}.  {look_for}"));
}

#[test]
fn terms_are_added_in_flight_and_removed() {
    let mut panel = Panel::new("cornell");
    let names = |panel: &Panel| -> Vec<&'static str> {
        panel.parameters().terms.terms().iter().map(|term| term.name).collect()
    };
    panel.click("Add a term");
    panel.click("empty: a formula of your own");
    assert_eq!(names(&panel), ["mine1"]);
    panel.apply(Action::AddTerm(String::new()));
    panel.apply(Action::AddTerm("vortex".to_owned()));
    assert_eq!(names(&panel), ["mine1", "mine2", "swirl"]);
    // The flock flies by them, and a value that was set stays when another term goes.
    let strength = panel.parameters().terms.get("terms.swirl.strength").expect("a parameter");
    panel.apply(Action::SetTerm("terms.swirl.strength", 0.5 * strength));
    step(panel.session(), 2);
    panel.apply(Action::RemoveTerm("mine1"));
    assert_eq!(names(&panel), ["mine2", "swirl"]);
    assert_eq!(panel.parameters().terms.get("terms.swirl.strength"), Some(0.5 * strength));
    assert_eq!(panel.state().playback.sent_parameters, panel.parameters());
    panel.apply(Action::Undo);
    assert_eq!(names(&panel), ["mine1", "mine2", "swirl"]);
    panel.apply(Action::AddTerm("ostrich".to_owned()));
    assert!(failure(panel.session()).contains("ostrich"), "{}", failure(panel.session()));
}
