//! Terms of one's own: a section a term with a slider a parameter, and its formulas, to be edited while the flock flies.

use egui::{Color32, FontId, RichText, TextEdit, Ui};
use flock::formula::{OwnParameter, OwnTerm};
use formula::names::{FUNCTIONS, Part, QUANTITIES, THEIRS};
use formula::{Place, edited};

use super::widgets::{Reach, named, note, slider};
use crate::view::session::Session;
use crate::view::session::controls::Draft;
use crate::view::theme;

/// Width of the names.
const NAMES: f32 = 104.0;

/// Shows all terms.
pub fn show(ui: &mut Ui, session: &mut Session) {
    for (k, term) in session.document.parameters.terms.terms().iter().enumerate() {
        let changed = session.document.base.terms.terms().get(k) != Some(term)
            || parameters(session, term)
                .any(|(own, value)| session.document.base.terms.get(own.name) != Some(value));
        let colour = if changed { theme::ACCENT } else { Color32::WHITE };
        let title = RichText::new(term.name.replace('_', " ")).size(14.0).color(colour);
        let head = egui::CollapsingHeader::new(title).id_salt(("term", term.name)).default_open(true);
        head.show_unindented(ui, |ui| {
            if !term.help.is_empty() {
                note(ui, term.help);
            }
            for (own, value) in parameters(session, term).collect::<Vec<_>>() {
                row(ui, session, own, value);
            }
            if let Some(each) = &term.each {
                editor(ui, session, (k, term), Part::Each, each.formula.text);
            }
            editor(ui, session, (k, term), Part::Request, term.request.text);
            ui.add_space(8.0);
        });
    }
}

/// The parameters of a term with their values.
fn parameters(session: &Session, term: &OwnTerm) -> impl Iterator<Item = (&'static OwnParameter, f64)> {
    let name = term.name;
    session.document.parameters.terms.parameters().filter(move |(own, _)| own.term == name)
}

fn row(ui: &mut Ui, session: &mut Session, own: &OwnParameter, mut value: f64) {
    let before = value;
    ui.horizontal(|ui| {
        let hint = format!("{}\nA number from {} to {}.", own.name, own.range[0], own.range[1]);
        let label =
            super::widgets::caption(ui, NAMES, RichText::new(own.key.replace('_', " ")).color(theme::TEXT));
        label.on_hover_text(hint);
        // Where no range is stated, twenty times the value that it starts with.
        let [low, high] = own.range;
        let far = 20.0 * own.default.abs().max(0.05);
        let reach = Reach::linear(low.max(-far), high.min(far));
        slider(ui, own.name, &mut value, &reach, false, 94.0);
        note(ui, own.unit);
    });
    if value != before {
        // A number beyond its range stays what it was.
        let _ = session.document.parameters.terms.set(own.name, value);
    }
}

/// A formula. What compiles flies at once; what does not leaves the old one flying, and says why.
fn editor(ui: &mut Ui, session: &mut Session, (k, term): (usize, &'static OwnTerm), part: Part, flies: &str) {
    let key = if part == Part::Each { "each" } else { "request" };
    let is_this = |draft: &Draft| (draft.term, draft.part) == (term.name, part);
    let draft = session.controls.draft.clone().filter(is_this);
    let mut text = draft.as_ref().map_or_else(|| flies.trim().to_owned(), |draft| draft.text.clone());
    let before = text.clone();
    note(ui, key).on_hover_text(known(part));
    let font = FontId::monospace(11.5);
    let colour = if draft.is_some() { theme::ACCENT } else { theme::TEXT };
    let field = TextEdit::multiline(&mut text).font(font).text_color(colour).desired_width(f32::INFINITY);
    let response = ui.add(field.desired_rows(2).margin(egui::vec2(6.0, 5.0)));
    named(&response, &format!("terms.{}.{key}", term.name));
    if text != before {
        session.controls.draft = match edited(&session.document.parameters.terms, k, part, &text) {
            Ok(terms) => {
                session.document.parameters.terms = terms;
                None
            }
            Err(why) => {
                let (line, column) = why.error.place(&text);
                let place = match why.place {
                    Place::Formula(at) if at == part => format!("{line}:{column}: "),
                    _ => format!("{}: ", term.name),
                };
                let hint = why.error.hint.as_ref().map_or(String::new(), |hint| format!("; {hint}"));
                Some(Draft { term: term.name, part, text, why: format!("{place}{}{hint}", why.error) })
            }
        };
    }
    if let Some(draft) = session.controls.draft.as_ref().filter(|draft| is_this(draft)) {
        ui.label(RichText::new(&draft.why).small().color(theme::WRONG));
    }
}

/// What a formula can name.
fn known(part: Part) -> String {
    let here = QUANTITIES.iter().filter(|quantity| quantity.part.is_none_or(|of| of == part));
    let mut names: Vec<String> = here.map(|quantity| quantity.name.to_owned()).collect();
    if part == Part::Each {
        names.extend(THEIRS.iter().map(|quantity| format!("their.{}", quantity.name)));
    }
    let (names, functions) = (names.join(", "), FUNCTIONS.join(", "));
    format!("{names}; parameters by their names, as home.position.\n{functions}, vec3, let.")
}
