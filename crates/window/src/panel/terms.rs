//! User-defined terms: a section per term with a slider per parameter, and its formulas, which can be edited in flight.

use config::presets::GALLERY;
use egui::text::{CCursor, CCursorRange};
use egui::text_edit::TextEditState;
use egui::{Context, FontId, Id, IdSalt, Key, Modifiers, RichText, TextEdit, TextStyle, Ui};
use flock::formula::{Each, FormulaParameter, FormulaTerm};
use flock::random::{draw, stream, unit};
use formula::each_key;
use formula::names::{
    FUNCTIONS, FormulaKind, FormulaPlace, OF_SUM, THEIRS, TYPES, numbers, quantities, tables,
};

use super::widgets::{
    SliderRange, caption, field, named, names, note, on_click, section, slider_with_unit, words,
};
use crate::session::controls::Draft;
use crate::session::{Action, Actions, Session};
use crate::theme;

/// Shows all terms.
pub fn show(ui: &mut Ui, session: &Session, actions: &mut Actions) {
    for (k, term) in session.document.parameters.terms.terms().iter().enumerate() {
        let changed = session.document.base.terms.terms().get(k) != Some(term)
            || parameters(session, term)
                .any(|(parameter, value)| session.document.base.terms.get(parameter.name) != Some(value));
        section(ui, (term.name, ("term", term.name)), changed, true, |ui| {
            if !term.help.is_empty() {
                note(ui, term.help);
            }
            rows(ui, session, actions, term, "");
            for (number, each) in term.sums.iter().enumerate() {
                if !each.name.is_empty() {
                    caption(
                        ui,
                        names(ui),
                        RichText::new(format!("sum {}", words(each.name))).color(theme::TEXT),
                    )
                    .on_hover_text(format!(
                        "A sum over neighbours, [terms.{}.sums.{}].",
                        term.name, each.name
                    ));
                    rows(ui, session, actions, term, each.name);
                }
                editor(ui, session, actions, (k, term), FormulaPlace::Each(number));
            }
            editor(ui, session, actions, (k, term), FormulaPlace::Request);
            let remove = ui.small_button("Remove this term");
            on_click(actions, remove, Action::RemoveTerm(term.name));
        });
    }
}

/// The parameters of a term's sum; without its name those of the term alone.
fn rows(ui: &mut Ui, session: &Session, actions: &mut Actions, term: &FormulaTerm, sum: &str) {
    let terms = session.document.parameters.terms;
    for (all, values) in terms.grouped().filter(|(all, _)| all[0].term == term.name) {
        if all[0].of_sum().map_or("", |(sum, _)| sum) != sum {
            continue;
        }
        if all[0].side > 0 {
            table(ui, session, actions, (all, values));
        } else {
            row(ui, actions, &all[0], values[0]);
        }
    }
}

/// The menu of terms to add.
pub fn add(ui: &mut Ui, actions: &mut Actions) {
    let menu = ui.menu_button("Add a term", |ui| {
        let empty = ui.button("empty: a formula of your own");
        on_click(actions, empty, Action::AddTerm(String::new()));
        for flock in GALLERY {
            let button = ui.button(flock.name).on_hover_text(flock.about());
            on_click(actions, button, Action::AddTerm(flock.name.to_owned()));
        }
    });
    menu.response.on_hover_text("A term is a formula that adds a velocity to what each boid requests.");
}

/// The parameters of a term with their values.
fn parameters(
    session: &Session,
    term: &FormulaTerm,
) -> impl Iterator<Item = (&'static FormulaParameter, f64)> {
    let name = term.name;
    session.document.parameters.terms.parameters().filter(move |(parameter, _)| parameter.term == name)
}

/// The name of a parameter.
fn name(ui: &mut Ui, parameter: &FormulaParameter, what: &str) {
    let hint = format!(
        "terms.{}.{}\n{what} from {} to {}.",
        parameter.term, parameter.key, parameter.range[0], parameter.range[1]
    );
    let key = parameter.of_sum().map_or(parameter.key, |(_, key)| key);
    caption(ui, names(ui), RichText::new(words(key)).color(theme::TEXT)).on_hover_text(hint);
}

/// Range of a slider: the stated range, otherwise up to twenty times the default value.
fn ends(parameter: &FormulaParameter) -> [f64; 2] {
    let far = 20.0 * parameter.default.abs().max(0.05);
    [parameter.range[0].max(-far), parameter.range[1].min(far)]
}

/// A table of parameters over pairs of groups, with a button that randomises it.
fn table(
    ui: &mut Ui,
    session: &Session,
    actions: &mut Actions,
    (all, values): (&'static [FormulaParameter], &[f64]),
) {
    let mut new = values.to_vec();
    ui.horizontal(|ui| {
        name(ui, &all[0], "Numbers");
        let hint = "Draws random numbers, which depend on these and the seed. Undo restores these.";
        if ui.button("Randomise").on_hover_text(hint).clicked() {
            new = drawn(all, values, session.document.parameters.flock.seed);
        }
        note(ui, all[0].unit);
    });
    let [low, high] = ends(&all[0]);
    // Eight fields fit side by side.
    let width = (ui.available_width() / all[0].side as f32 - 3.0).clamp(24.0, 48.0);
    for (row, new) in all.chunks(all[0].side).zip(new.chunks_mut(all[0].side)) {
        ui.horizontal(|ui| {
            let spacing = ui.spacing_mut();
            (spacing.item_spacing.x, spacing.button_padding.x, spacing.interact_size.x) = (3.0, 2.0, width);
            ui.style_mut().drag_value_text_style = TextStyle::Small;
            for (parameter, number) in row.iter().zip(new) {
                field(ui, parameter.name, number, 0.005 * (high - low), false, width);
            }
        });
    }
    for ((parameter, number), before) in all.iter().zip(new).zip(values) {
        if number != *before {
            actions.push(Action::SetTerm(parameter.name, number));
        }
    }
}

/// Uniform random values with few digits.
fn drawn(all: &[FormulaParameter], values: &[f64], seed: u32) -> Vec<f64> {
    // The generator is seeded by FNV-1a of the current values: each draw differs, and all draws are reproducible.
    let bytes = values.iter().flat_map(|value| value.to_bits().to_le_bytes());
    let now = bytes.fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let number = |(k, parameter): (u32, &FormulaParameter)| {
        let [low, high] = ends(parameter);
        let digit = 10.0_f64.powf((high - low).max(f64::MIN_POSITIVE).log10().floor() - 2.0);
        let uniform = low + (high - low) * unit(draw(seed, now, k, stream::DRAWN)[0]);
        ((uniform / digit).round() * digit).clamp(low, high)
    };
    (0..).zip(all).map(number).collect()
}

/// A parameter of a term: its name, a slider, a field and its unit.
pub fn row(ui: &mut Ui, actions: &mut Actions, parameter: &FormulaParameter, mut value: f64) {
    let before = value;
    ui.horizontal(|ui| {
        name(ui, parameter, "A number");
        let [low, high] = ends(parameter);
        let reach = SliderRange::linear(low, high);
        slider_with_unit(ui, parameter.name, &mut value, &reach, false, (parameter.unit, parameter.unit));
    });
    if value != before {
        actions.push(Action::SetTerm(parameter.name, value));
    }
}

/// A formula of a term, which has a number, with the error of a draft.
fn editor(
    ui: &mut Ui,
    session: &Session,
    actions: &mut Actions,
    (number, term): (usize, &FormulaTerm),
    part: FormulaPlace,
) {
    let key = key(term, part);
    let flies = sum_of(term, part).map_or(term.request.text, |sum| sum.formula.text);
    let is_this = |draft: &Draft| (draft.term, draft.part) == (term.name, part);
    let draft = session.controls.draft.clone().filter(is_this);
    let mut text = draft
        .as_ref()
        .map_or_else(|| flies.trim_matches(['\n', '\r']).to_owned(), |draft| draft.text.clone());
    let before = text.clone();
    let names = known(session, term, part);
    let (functions, types) = (FUNCTIONS.join(", "), TYPES.join(", "));
    let hint = format!(
        "{}; the flock's parameters, as home.position.\n{functions}, {types}, let.",
        names.join(", ")
    );
    note(ui, key.rsplit('.').next().unwrap_or_default()).on_hover_text(hint);
    let id = ui.scope_id().with_salt(IdSalt::new(&key));
    let offered = offered(ui.ctx(), id, &text, names);
    // Enter stays a line break.
    if let Some(name) = offered.first()
        && ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Tab))
    {
        complete(ui.ctx(), id, &mut text, name);
    }
    let font = FontId::monospace(11.5);
    let colour = if draft.is_some() { theme::ACCENT } else { theme::TEXT };
    let field = TextEdit::multiline(&mut text).font(font).text_color(colour).desired_width(f32::INFINITY);
    // Tab stays here while it completes a name.
    let field = field.desired_rows(2).margin(egui::vec2(6.0, 5.0)).id(id).lock_focus(!offered.is_empty());
    named(ui.add(field), &format!("terms.{}.{key}", term.name));
    if !offered.is_empty() {
        note(ui, format!("Tab: {}", offered.join(", ")));
    }
    if let Some(draft) = draft {
        ui.label(RichText::new(&draft.why).small().color(theme::WRONG));
    }
    if text != before {
        actions.push(Action::Formula(number, part, text));
    }
}

/// The sum over neighbours that a formula of a term is of; `None` for the request.
fn sum_of(term: &FormulaTerm, part: FormulaPlace) -> Option<&'static Each> {
    match part {
        FormulaPlace::Each(number) => term.sums.get(number),
        FormulaPlace::Request => None,
    }
}

/// The key of a formula.
fn key(term: &FormulaTerm, part: FormulaPlace) -> String {
    sum_of(term, part).map_or_else(|| "request".to_owned(), |sum| each_key(sum.name))
}

/// The names of the term's parameters and of the quantities that a formula can use.
fn known(session: &Session, term: &FormulaTerm, part: FormulaPlace) -> Vec<String> {
    let of_sum = sum_of(term, part).map_or("", |sum| sum.name);
    let mut names = Vec::new();
    for (parameter, _) in parameters(session, term) {
        match parameter.of_sum() {
            None => names.push(parameter.key.to_owned()),
            Some((sum, key)) if sum == of_sum => names.push(key.to_owned()),
            Some(_) => {}
        }
    }
    names.dedup();
    let one = term.sums.iter().any(|sum| sum.name.is_empty());
    names.extend(quantities(part.kind(), one).map(|quantity| quantity.name.to_owned()));
    if part == FormulaPlace::Request && !one {
        for sum in term.sums {
            names.extend(OF_SUM.iter().map(|(key, ..)| format!("{}.{key}", sum.name)));
        }
    }
    if part.kind() == FormulaKind::Each {
        names.extend(THEIRS.iter().map(|quantity| format!("their.{}", quantity.name)));
    }
    names
}

/// The most names that are offered.
const OFFERED: usize = 5;

/// The word that ends at the cursor of a formula.
fn word_at_cursor<'a>(ctx: &Context, id: Id, text: &'a str) -> Option<&'a str> {
    let cursor = TextEditState::load(ctx, id)?.cursor.char_range()?.single()?;
    let end = text.char_indices().nth(cursor.index.0).map_or(text.len(), |(at, _)| at);
    text[..end].rsplit(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).next()
}

/// The names that continue the word at the cursor of a formula that is being typed; none if the word is one.
fn offered(ctx: &Context, id: Id, text: &str, mut names: Vec<String>) -> Vec<String> {
    let word = word_at_cursor(ctx, id, text).filter(|_| ctx.memory(|memory| memory.has_focus(id)));
    let Some(word) = word.filter(|word| word.starts_with(char::is_alphabetic)) else { return Vec::new() };
    for table in tables() {
        names.extend(numbers(table).map(|(parameter, _)| parameter.name.to_owned()));
    }
    names.extend(FUNCTIONS.iter().chain(TYPES).map(|name| (*name).to_owned()));
    if names.iter().any(|name| name == word) {
        return Vec::new();
    }
    names.retain(|name| name.starts_with(word));
    names.truncate(OFFERED);
    names
}

/// Completes the word at the cursor to a name, and puts the cursor after it.
fn complete(ctx: &Context, id: Id, text: &mut String, name: &str) {
    let Some(mut state) = TextEditState::load(ctx, id) else { return };
    let cursor = state.cursor.char_range().and_then(|range| range.single());
    let (Some(cursor), Some(word)) = (cursor, word_at_cursor(ctx, id, text)) else { return };
    let rest = &name[word.len()..];
    let at = text.char_indices().nth(cursor.index.0).map_or(text.len(), |(at, _)| at);
    text.insert_str(at, rest);
    let end = CCursor::new(cursor.index.0 + rest.chars().count());
    state.cursor.set_char_range(Some(CCursorRange::one(end)));
    state.store(ctx, id);
}
