//! Every parameter, table by table, each with the widget of its kind; dim where it has no effect, with the reason.

use egui::{RichText, Ui};
use flock::formula::TermSet;
use flock::parameters::{
    MAX_GROUPS, PARAMETERS, Parameter, Parameters, Shares, Sphere, Spheres, Value, ValueKind, find,
};

use super::terms;
use super::widgets::{
    SliderRange, back_button, caption, field, keep_within, named, names, note, on_click, section,
    slider_with_unit, words,
};
use crate::session::controls::Tool;
use crate::session::{Action, Actions, Session};
use crate::theme;

/// Tables that are open at first; the short form of the page shows their weights only.
const MAIN: [&str; 3] = ["separation", "alignment", "cohesion"];
/// Parameters that are shown above the pages, not here.
const ELSEWHERE: [(&str, &str); 2] = [("flock", "boids"), ("flock", "seed")];
/// Width of the reset button, and its distance from the name.
const RESET: f32 = 14.0;
const GAP: f32 = 2.0;
/// Opacity of a parameter without effect.
const DIMMED: f32 = 0.45;

/// Shows three sliders and the falcon, or all tables.
pub fn show(ui: &mut Ui, session: &Session, actions: &mut Actions) {
    ui.spacing_mut().item_spacing.y = 5.0;
    let all = session.controls.open.all;
    if !all {
        weights(ui, session, actions);
        ui.add_space(4.0);
    }
    ui.horizontal(|ui| {
        let link = ui.link(if all { "Fewer parameters" } else { "All parameters" });
        on_click(actions, link, Action::AllParameters(!all));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| terms::add(ui, actions));
    });
    if all {
        search(ui, session, actions);
        if session.controls.search.trim().is_empty() {
            tables(ui, session, actions);
        } else {
            found(ui, session, actions);
        }
    }
}

/// The weights of separation, alignment and cohesion.
pub fn main_weights() -> impl Iterator<Item = &'static Parameter> {
    PARAMETERS.iter().filter(|p| p.key == "weight" && MAIN.contains(&p.table))
}

/// The short form: the weights of separation, alignment and cohesion, and the falcon's button.
fn weights(ui: &mut Ui, session: &Session, actions: &mut Actions) {
    for parameter in main_weights() {
        row(ui, session, actions, (parameter, parameter.table));
    }
    ui.add_space(4.0);
    let led = session.controls.tool == Tool::Falcon;
    let button = egui::Button::new("Be the falcon").selected(led);
    let button = ui.add(button).on_hover_text(format!("{}  Key X", Tool::Falcon.about()));
    on_click(actions, button, Action::Tool(if led { Tool::Camera } else { Tool::Falcon }));
}

/// The field of the words to search for.
fn search(ui: &mut Ui, session: &Session, actions: &mut Actions) {
    let mut words = session.controls.search.clone();
    let field = egui::TextEdit::singleline(&mut words).hint_text("Search").desired_width(f32::INFINITY);
    if named(ui.add(field), "search parameters").changed() {
        actions.push(Action::Search(words));
    }
}

/// The parameters whose name or help has all words of the search.
fn found(ui: &mut Ui, session: &Session, actions: &mut Actions) {
    let wanted: Vec<String> = session.controls.search.split_whitespace().map(str::to_lowercase).collect();
    let mut table = "";
    for parameter in PARAMETERS.iter().filter(|p| !ELSEWHERE.contains(&(p.table, p.key))) {
        let text = format!("{} {}", parameter.name, parameter.help).to_lowercase().replace('_', " ");
        if wanted.iter().all(|word| text.contains(&word.replace('_', " "))) {
            if parameter.table != table {
                table = parameter.table;
                note(ui, words(table));
            }
            ui.push_id(parameter.name, |ui| row(ui, session, actions, (parameter, parameter.key)));
        }
    }
    if table.is_empty() {
        note(ui, "No parameter has these words.");
    }
}

fn tables(ui: &mut Ui, session: &Session, actions: &mut Actions) {
    for tables in PARAMETERS.chunk_by(|a, b| a.table == b.table) {
        let Some(first) = tables.first() else { continue };
        let changed =
            tables.iter().any(|p| p.get(&session.document.parameters) != p.get(&session.document.base));
        let open = MAIN.contains(&first.table);
        section(ui, (first.table, first.table), changed, open, |ui| {
            for parameter in tables.iter().filter(|p| !ELSEWHERE.contains(&(p.table, p.key))) {
                row(ui, session, actions, (parameter, parameter.key));
            }
        });
    }
}

/// One parameter with the name of its table.
pub fn named_row(ui: &mut Ui, session: &Session, actions: &mut Actions, parameter: &'static Parameter) {
    let called = format!("{} {}", parameter.table, parameter.key);
    row(ui, session, actions, (parameter, &called));
}

/// One parameter: its name, its widget, its unit.
fn row(
    ui: &mut Ui,
    session: &Session,
    actions: &mut Actions,
    (parameter, called): (&'static Parameter, &str),
) {
    let (old, base) = (parameter.get(&session.document.parameters), parameter.get(&session.document.base));
    ui.horizontal(|ui| {
        let no_effect = reason(parameter, &session.document.parameters);
        if no_effect.is_some() {
            ui.multiply_opacity(DIMMED);
        }
        // The name has its own id scope: the widgets after it keep their ids when the reset button comes or goes.
        let named_row = |ui: &mut Ui| name(ui, session, (parameter, called), [old, base], no_effect);
        if ui.push_id("name", named_row).inner {
            actions.push(Action::Set(parameter, base));
        }
        let new = match old {
            Value::Flag(mut on) => {
                named(ui.checkbox(&mut on, ""), parameter.name);
                Value::Flag(on)
            }
            Value::Choice(word) => Value::Choice(choice(ui, parameter, word)),
            Value::Real(value) => Value::Real(number(ui, parameter, &base, session, value)),
            Value::Count(value) => {
                let value = number(ui, parameter, &base, session, value.into());
                Value::Count(value.clamp(0.0, f64::from(u32::MAX)) as u32)
            }
            Value::Vector(value) => Value::Vector(vector(ui, parameter, value, session)),
            Value::Shares(shares) => Value::Shares(shares_row(ui, parameter, shares)),
            Value::Spheres(spheres) => Value::Spheres(spheres_row(ui, parameter, spheres, session)),
        };
        if new != old {
            actions.push(Action::Set(parameter, new));
        }
    });
}

/// The name with its help. A changed parameter is highlighted and has a button that resets it to the preset's value, as
/// does a double click on the name: then it returns true.
fn name(
    ui: &mut Ui,
    session: &Session,
    (parameter, called): (&Parameter, &str),
    [old, base]: [Value; 2],
    no_effect: Option<String>,
) -> bool {
    let changed = old != base;
    let colour = if changed { theme::ACCENT } else { theme::TEXT };
    ui.spacing_mut().item_spacing.x = GAP;
    let width = names(ui) - if changed { RESET + GAP } else { 0.0 };
    let label = caption(ui, width, RichText::new(words(called)).color(colour));
    let unit = if parameter.unit.is_empty() { String::new() } else { format!(" ({})", parameter.unit) };
    let mut hint = format!("{}{unit}\n{}\n{}", parameter.name, parameter.help, range(parameter));
    if let Some(why) = no_effect {
        hint.push_str(&format!("\n{why}"));
    }
    let of = if session.document.of_file() { "The file's value" } else { "The preset's value" };
    let before = if matches!(base, Value::Spheres(_)) { String::new() } else { format!(" is {base}") };
    if changed {
        hint.push_str(&format!("\n{of}{before}: double-click to restore it."));
    }
    let mut back = label.on_hover_text(hint).double_clicked();
    if changed {
        let button = back_button(ui, &format!("restore {}", parameter.name), RESET);
        let value = before.replacen(" is", ":", 1);
        back |= button.on_hover_text(format!("Restore {}{value}.", of.replacen("The", "the", 1))).clicked();
    }
    back && changed
}

/// The allowed values, as a sentence.
fn range(parameter: &Parameter) -> String {
    let text = parameter.kind.to_string();
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

fn number(ui: &mut Ui, parameter: &Parameter, base: &Value, session: &Session, mut value: f64) -> f64 {
    let Some(reach) = reach(parameter, base, session.document.extent()) else { return value };
    let unit = match parameter.unit {
        "degrees" => "°",
        "of the flock" => "share",
        "length/time" => "len/t",
        "length" => "len",
        unit => unit,
    };
    let whole = matches!(base, Value::Count(_));
    slider_with_unit(ui, parameter.name, &mut value, &reach, whole, (unit, parameter.unit));
    value
}

fn choice(ui: &mut Ui, parameter: &Parameter, word: &'static str) -> &'static str {
    let ValueKind::Choice(all) = parameter.kind else { return word };
    let mut chosen = word;
    let combo = egui::ComboBox::from_id_salt((parameter.table, parameter.key));
    let shown = combo.selected_text(words(word)).width(140.0).show_ui(ui, |ui| {
        for word in all {
            ui.selectable_value(&mut chosen, word, words(word));
        }
    });
    named(shown.response, parameter.name);
    if chosen != word {
        // A choice by a key leaves the list open.
        egui::Popup::close_all(ui.ctx());
    }
    chosen
}

fn vector(ui: &mut Ui, parameter: &Parameter, mut value: [f64; 3], session: &Session) -> [f64; 3] {
    (ui.spacing_mut().item_spacing.x, ui.spacing_mut().button_padding.x) = (4.0, 2.0);
    // A narrow panel, as on a phone, has less room.
    let width = (ui.available_width() / 3.0 - 4.0).clamp(40.0, 60.0);
    for (axis, component) in axes(session).iter().zip(&mut value) {
        field(ui, &format!("{} {axis}", parameter.name), component, speed(session), false, width);
    }
    value
}

/// The axes of the flock's space.
fn axes(session: &Session) -> &'static [&'static str] {
    if session.document.parameters.flat() { &["x", "y"] } else { &["x", "y", "z"] }
}

/// The change of a coordinate for a drag of one point.
fn speed(session: &Session) -> f64 {
    (0.002 * session.document.extent()).max(1e-4)
}

/// The obstacles, each a part that unfolds.
fn spheres_row(ui: &mut Ui, parameter: &Parameter, spheres: Spheres, session: &Session) -> Spheres {
    let ValueKind::Spheres { min, max } = parameter.kind else { return spheres };
    let mut all: Vec<Sphere> = spheres.as_slice().to_vec();
    let mut removed = None;
    ui.vertical(|ui| {
        for (index, sphere) in all.iter_mut().enumerate() {
            let name = format!("obstacle {}", index + 1);
            let base = session.document.base.obstacles.spheres;
            let changed = base.as_slice().get(index) != Some(sphere);
            section(ui, (&name, ("obstacle", index)), changed, false, |ui| {
                if obstacle(ui, &name, sphere, session, [min, max]) {
                    removed = Some(index);
                }
            });
        }
        if all.is_empty() {
            note(ui, "none; use the obstacle tool (O)");
        }
    });
    if let Some(index) = removed {
        all.remove(index);
    }
    let mut new = Spheres::default();
    // There are at most as many spheres as before, so they fit.
    let fits = all.into_iter().try_for_each(|sphere| new.push(sphere));
    if fits.is_ok() { new } else { spheres }
}

/// Position and radius of an obstacle within these limits; true once its button removes it.
fn obstacle(ui: &mut Ui, name: &str, sphere: &mut Sphere, session: &Session, [min, max]: [f64; 2]) -> bool {
    let width = (ui.available_width() / 3.0 - 4.0).clamp(40.0, 60.0);
    let number = |ui: &mut Ui, part: &str, value: &mut f64, least: f64| {
        let (called, before) = (format!("{name} {part}"), *value);
        field(ui, &called, value, speed(session), false, width);
        keep_within(ui.ctx(), &called, value, before, least..=max);
    };
    ui.horizontal(|ui| {
        (ui.spacing_mut().item_spacing.x, ui.spacing_mut().button_padding.x) = (4.0, 2.0);
        for (axis, component) in axes(session).iter().zip(&mut sphere.position) {
            number(ui, axis, component, min);
        }
    });
    let row = ui.horizontal(|ui| {
        note(ui, "radius");
        number(ui, "radius", &mut sphere.radius, 0.0);
        named(ui.small_button("Remove"), &format!("remove {name}")).clicked()
    });
    row.inner
}

/// The shares of the groups side by side, with buttons that add and remove one.
fn shares_row(ui: &mut Ui, parameter: &Parameter, before: Shares) -> Shares {
    let mut parts: Vec<f64> = before.as_slice().to_vec();
    ui.vertical(|ui| {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 3.0;
            for (group, part) in parts.iter_mut().enumerate() {
                field(ui, &format!("{} {group}", parameter.name), part, 0.01, false, 40.0);
            }
            let mut button =
                |text: &str, help: &str| named(ui.small_button(text).on_hover_text(help), help).clicked();
            if parts.len() < MAX_GROUPS && button("+", "Add a group") {
                // The first group is added with a second: a single group is none.
                parts.resize((parts.len() + 1).max(2), 1.0);
            }
            if !parts.is_empty() && button("-", "Remove a group") {
                parts.pop();
            }
        });
    });
    let mut new = Shares::default();
    let fits = parts.into_iter().try_for_each(|part| new.push(part));
    if fits.is_ok() { new } else { before }
}

/// The slider of a parameter whose preset value is `base`, in a world of this extent. It covers useful values, a small
/// part of the allowed range.
///
/// It depends on the preset and not on the current value, so that it stays the same during a drag.
fn reach(parameter: &Parameter, base: &Value, extent: f64) -> Option<SliderRange> {
    let (min, max, base) = match (parameter.kind, *base) {
        (ValueKind::Real { min, max }, Value::Real(base)) => (min, max, base),
        (ValueKind::Count { min, max }, Value::Count(base)) => (min.into(), max.into(), base.into()),
        _ => return None,
    };
    if max - min <= 200.0 && min < 0.0 {
        // The range is symmetric about zero, as for inertia.
        let high = (2.0 * base.abs()).clamp(1.0, max);
        return Some(SliderRange::linear(min.max(-high), high));
    }
    if max == 180.0 || max - min <= 64.0 && max > 1.0 {
        return Some(SliderRange::linear(min, max));
    }
    if (min, max) == (0.0, 1.0) && (base == 0.0 || base >= 0.05) {
        return Some(SliderRange::linear(0.0, 1.0));
    }
    // The range is a thousandth to twenty times the preset's value; zero is replaced by a typical value of the unit.
    let usual = match parameter.unit {
        "length" => 0.1 * extent,
        "steps" => 100.0,
        _ => 1.0,
    };
    let middle = if base == 0.0 { usual } else { base.abs() };
    let high = (if parameter.unit == "length" { (10.0 * middle).min(2.0 * extent) } else { 20.0 * middle })
        .max(2.0 * base.abs())
        .min(max);
    Some(SliderRange { range: min.max(0.0)..=high, logarithmic: true, smallest: 1e-3 * middle })
}

/// The reason why a parameter has no effect: the first of its needs that is not met. `None` if it has one.
fn reason(parameter: &Parameter, p: &Parameters) -> Option<String> {
    let reads = |set: &TermSet| set.references.iter().any(|read| read.parameter == parameter.name);
    if p.terms.compiled().is_some_and(reads) {
        return None;
    }
    let unmet = parameter.needs.iter().find(|need| !need.split('|').any(|need| is_met(need, p)))?;
    let mut names: Vec<&str> = unmet.split('|').filter_map(|need| need.split('=').next()).collect();
    let first = value(names.first()?, p);
    names.retain(|name| value(name, p) == first);
    Some(format!("No effect while {} is {first}.", names.join(" and ")))
}

/// True if a parameter is not zero, on, or not empty; with a word, if it has this value.
fn is_met(need: &str, p: &Parameters) -> bool {
    let (name, word) = need.split_once('=').unwrap_or((need, ""));
    match find(name).map(|needed| needed.get(p)) {
        Some(Value::Choice(chosen)) => chosen == word,
        Some(Value::Spheres(spheres)) => !spheres.as_slice().is_empty(),
        value => !matches!(value, Some(Value::Real(0.0) | Value::Count(0) | Value::Flag(false))),
    }
}

/// A parameter's value as text.
fn value(name: &str, p: &Parameters) -> String {
    match find(name).map(|parameter| parameter.get(p)) {
        Some(Value::Flag(on)) => if on { "on" } else { "off" }.to_owned(),
        Some(Value::Spheres(_)) => "empty".to_owned(),
        Some(Value::Choice(word)) => word.to_owned(),
        Some(Value::Real(value)) => value.to_string(),
        Some(value) => value.to_string(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slider_reaches_its_default_and_stays_in_the_range() {
        let parameters = Parameters::default();
        for parameter in PARAMETERS {
            let base = parameter.get(&parameters);
            let Some(reach) = reach(parameter, &base, 100.0) else { continue };
            let (low, high) = (*reach.range.start(), *reach.range.end());
            assert!(low < high && high.is_finite(), "{}.{}", parameter.table, parameter.key);
            let in_range = |value| match parameter.kind {
                ValueKind::Count { .. } => parameter.kind.check(Value::Count(value as u32)).is_ok(),
                kind => kind.check(Value::Real(value)).is_ok(),
            };
            assert!(in_range(low) && in_range(high), "{}.{}", parameter.table, parameter.key);
            let value = match base {
                Value::Real(value) => value,
                Value::Count(value) => f64::from(value),
                _ => continue,
            };
            assert!(reach.range.contains(&value), "{}.{}: {value}", parameter.table, parameter.key);
        }
    }

    fn why(name: &str, p: &Parameters) -> Option<String> {
        reason(find(name).expect(name), p)
    }

    #[test]
    fn what_has_no_effect_is_told_with_its_reason() {
        let mut p = Parameters::default();
        for (name, reason) in [
            ("separation.max_force", "No effect while separation.response is proportional."),
            ("attractor.position", "No effect while attractor.weight is 0."),
            ("world.margin", "No effect while world.edges is open."),
            ("predators.radius", "No effect while predators.count is 0."),
            ("obstacles.margin", "No effect while obstacles.spheres is empty."),
            ("scouts.max_bias", "No effect while scouts.dynamic is off."),
            ("line_of_sight.angle", "No effect while line_of_sight.weight is 0."),
        ] {
            assert_eq!(why(name, &p).as_deref(), Some(reason), "{name}");
        }
        for name in
            ["attractor.weight", "separation.response", "separation.weight", "motion.inertia", "flock.seed"]
        {
            assert_eq!(why(name, &p), None, "{name}");
        }
        // The response of one request does not affect another request.
        p.alignment.response = flock::parameters::Response::Steer;
        assert!(why("alignment.max_force", &p).is_none() && why("separation.max_force", &p).is_some());
        p.alignment.weight = 0.0;
        for name in ["alignment.max_force", "alignment.angle", "alignment.response", "alignment.include_self"]
        {
            assert_eq!(why(name, &p).as_deref(), Some("No effect while alignment.weight is 0."), "{name}");
        }
        assert_eq!(why("alignment.weight", &p), None);
    }
}
