//! The panel beside the view: it shows the session, and its widgets ask for actions.

mod card;
mod charts;
mod files;
pub(super) mod gallery;
mod look;
mod overlay;
mod parameters;
mod presentation;
mod sheets;
mod terms;
mod timeline;
mod widgets;

use std::time::Duration;

use egui::{
    Align, CentralPanel, IdSalt, Layout, Panel, PanelState, Rect, RichText, ScrollArea, TextureId, Ui,
};
use flock::parameters::{Value, find};

use self::presentation::ENLARGED;
use self::widgets::{SliderRange, faint, field, line, on_click, slider};
use super::session::controls::{Controls, Page};
use super::session::playback::Playback;
use super::session::{Action, Actions, Message, Session};
use super::{keys, pointer, theme};

/// Initial width of the panel in points, and its range.
const WIDTH: f32 = 348.0;
const WIDTHS: std::ops::RangeInclusive<f32> = 300.0..=560.0;
/// Width and height of the panel's tab.
const TAB: egui::Vec2 = egui::vec2(24.0, 64.0);
/// Width of the margin in which a swipe begins, and minimum length of a swipe.
const EDGE: f32 = 24.0;
const SWIPE: f32 = 48.0;
/// Minimum height of a window for a fixed head of the panel; in a lower one the whole panel scrolls.
const LOW: f32 = 500.0;
/// Minimum width of the view beside the panel.
const VIEW: f32 = 160.0;
/// The range of the slider of boids; larger numbers can be typed.
const BOIDS: SliderRange = SliderRange::logarithmic(1.0, 1e7);
/// Width of the captions above the pages.
const CAPTIONS: f32 = 88.0;

/// Shows the window's content and applies the input; returns the rectangle of the view, in points. `picture` is the
/// last drawn view, if egui draws it. The widgets change nothing: their actions are applied after them.
pub fn show(ui: &mut Ui, session: &mut Session, picture: Option<TextureId>) -> Rect {
    if let Some(seconds) = session.controls.age_message(ui.input(|input| input.time)) {
        ui.ctx().request_repaint_after(Duration::from_secs_f64(seconds));
    }
    drift(ui, session);
    apply(session, keys::actions(session, ui.ctx()));
    let Controls { presents, enlarged, .. } = session.controls;
    if presents != enlarged {
        let factor = if presents { ENLARGED } else { 1.0 / ENLARGED };
        ui.ctx().set_zoom_factor(ui.ctx().zoom_factor() * factor);
        session.controls.enlarged = presents;
    }
    let mut actions = Actions::new();
    if session.controls.open.panel {
        let frame = egui::Frame::NONE.fill(theme::GROUND);
        beside_view(ui).frame(frame).show(ui, |ui| within(ui, |ui| side(ui, session, &mut actions)));
    }
    apply(session, actions);
    if let Some(why) = widgets::refused(ui.ctx()) {
        session.controls.refuse(why);
    }
    let view = CentralPanel::no_frame().show(ui, |ui| view(ui, session, picture)).inner;
    if session.controls.open.help && !sheets::keys(ui.ctx(), session) {
        session.apply(Action::Help(false));
    }
    if session.controls.open.check {
        apply(session, sheets::device_check(ui.ctx(), session));
    }
    // A file of parameters that was dropped on the window; the last one of several.
    let dropped = ui.input(|input| input.raw.dropped_files.last().map(|file| file.path().to_owned()));
    if let Some(path) = dropped {
        session.apply(Action::LoadFile(path));
    }
    if let Some(text) = session.controls.to_copy.take() {
        ui.ctx().copy_text(text);
    }
    // A press of Enter is one entry of the history, as a drag is.
    session.end_frame(ui.input(|input| input.pointer.any_down()) || keys::press(ui.ctx()).held);
    theme::outline_focus(ui.ctx());
    view
}

fn apply(session: &mut Session, actions: Actions) {
    for action in actions {
        session.apply(action);
    }
}

/// The panel, at the width to which it was dragged. A window too narrow for that uses another panel id, so that the
/// width is kept for when the window is wide again.
fn beside_view(ui: &Ui) -> Panel {
    let (least, most) = (*WIDTHS.start(), *WIDTHS.end());
    let width = ui.available_width();
    // The tab stays in the window.
    let room = (width - VIEW).max(least).min(width - TAB.x);
    let dragged = PanelState::load(ui.ctx(), ui.scope_id().with_salt(IdSalt::new("panel")));
    if dragged.map_or(WIDTH, |state| state.size().x) > room {
        return Panel::right("narrow panel").exact_size(room);
    }
    Panel::right("panel").default_size(WIDTH).size_range(least..=most.min(room))
}

/// Moves the camera without input.
fn drift(ui: &Ui, session: &mut Session) {
    let (now, since, input) = ui.input(|input| {
        let any = !input.events.is_empty() || input.pointer.any_down() || !input.keys_down.is_empty();
        (input.time, input.stable_dt.min(0.1), any)
    });
    if input {
        session.eye.touched = now;
    }
    if let Some(delay) = session.eye.drift(now, since.into(), session.playback.playing) {
        ui.ctx().request_repaint_after(delay);
    }
}

/// The view with its pointer, and the text over it.
fn view(ui: &mut Ui, session: &mut Session, picture: Option<TextureId>) -> Rect {
    let rect = ui.available_rect_before_wrap();
    let sense = egui::Sense::click_and_drag();
    // Two flocks have a half of the view each.
    let halves = session.rival.is_some().then(|| rect.split_left_right_at_fraction(0.5));
    let mut response = ui.interact(halves.map_or(rect, |(left, _)| left), keys::view(), sense);
    ui.advance_cursor_after_rect(rect);
    if response.has_focus() {
        ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, keys::ARROWS));
    }
    let painter = ui.painter_at(rect);
    if let Some(picture) = picture {
        let whole = Rect::from_min_max(egui::pos2(0.0, 0.0), egui::pos2(1.0, 1.0));
        painter.image(picture, rect, whole, egui::Color32::WHITE);
    }
    let left = response.clone();
    if let Some((_, right)) = halves {
        let right = ui.interact(right, ui.scope_id().with("right"), sense - egui::Sense::FOCUSABLE);
        if right.contains_pointer() || right.dragged() {
            response = right;
        }
    }
    if response.clicked() || response.drag_started() {
        // A press in the view takes the keyboard focus from the panel's fields.
        ui.memory_mut(|memory| {
            if let Some(focus) = memory.focused() {
                memory.surrender_focus(focus);
            }
        });
    }
    if session.see(left.rect.width() / rect.height().max(1.0)) {
        ui.ctx().request_repaint();
    }
    apply(session, pointer::actions(session, &response));
    let pointer = ui.input(|input| input.pointer.latest_pos());
    let timeline = timeline::place(session, rect, pointer);
    overlay::show(&painter, &left, session, timeline);
    if let (Some(halves), Some(rival)) = (halves, &session.rival) {
        overlay::compare(&painter, halves, session, rival);
    }
    if let Some(place) = timeline {
        let mut actions = Actions::new();
        timeline::show(ui, session, place, &mut actions);
        apply(session, actions);
    }
    if session.controls.presents {
        let mut actions = Actions::new();
        presentation::show(ui, session, rect.size(), &mut actions);
        apply(session, actions);
    } else {
        session.apply(Action::Panel(tab(ui, session.controls.open.panel, rect)));
    }
    rect
}

/// The tab at the edge of the view that opens and folds the panel. A swipe from the edge opens it, too. Returns true if
/// the panel is open.
fn tab(ui: &mut Ui, open: bool, view: Rect) -> bool {
    let rect = Rect::from_center_size(view.right_center() - egui::vec2(0.5 * TAB.x, 0.0), TAB);
    let (name, mark) = if open { ("Hide the panel", "›") } else { ("Show the panel", "‹") };
    let button = egui::Button::new(RichText::new(mark).heading()).fill(theme::GROUND).corner_radius(6);
    let clicked = ui.put(rect, button).on_hover_text(format!("{name}.  Key P")).clicked();
    let swept = ui.input(|input| {
        let (from, to) = (input.pointer.press_origin()?, input.pointer.interact_pos()?);
        Some(input.any_touches() && from.x > view.right() - EDGE && from.x - to.x > SWIPE)
    });
    (open ^ clicked) || swept == Some(true)
}

/// Shows a content without letting it widen its parent: sliders and panel would widen each other.
fn within(ui: &mut Ui, show: impl FnOnce(&mut Ui)) {
    let rect = ui.max_rect();
    let mut inside = ui.new_child(egui::UiBuilder::new().max_rect(rect));
    inside.shrink_clip_rect(rect);
    show(&mut inside);
    ui.advance_cursor_after_rect(rect);
}

/// The panel itself.
fn side(ui: &mut Ui, session: &Session, actions: &mut Actions) {
    if ui.available_height() < LOW {
        let area = ScrollArea::vertical().id_salt("all").auto_shrink([false, false]);
        area.show(ui, |ui| {
            theme::margins().show(ui, |ui| {
                widgets::follow_focus(ui, |ui| {
                    always(ui, session, actions);
                    ui.add_space(12.0);
                    page(ui, session, actions);
                    ui.add_space(12.0);
                    foot(ui, session);
                });
            });
        });
        return;
    }
    let top = Panel::top("always").frame(theme::margins()).show_separator_line(false).resizable(false);
    top.show(ui, |ui| always(ui, session, actions));
    Panel::bottom("foot").frame(theme::margins()).resizable(false).show(ui, |ui| foot(ui, session));
    CentralPanel::default().frame(theme::margins()).show(ui, |ui| {
        let area = ScrollArea::vertical().id_salt(session.controls.page as u8).auto_shrink([false, false]);
        area.show(ui, |ui| widgets::follow_focus(ui, |ui| page(ui, session, actions)));
    });
}

/// The part above every page.
fn always(ui: &mut Ui, session: &Session, actions: &mut Actions) {
    title(ui, session, actions);
    choose(ui, session, actions);
    ui.add_space(4.0);
    play(ui, session, actions);
    ui.add_space(6.0);
    pages(ui, session, actions);
}

fn page(ui: &mut Ui, session: &Session, actions: &mut Actions) {
    ui.set_width(ui.available_width() - 8.0);
    match (session.controls.page, &session.controls.lesson) {
        (Page::Flock, Some(state)) => presentation::lesson_step(ui, session, state, actions),
        (Page::Flock, None) => {
            terms::show(ui, session, actions);
            parameters::show(ui, session, actions);
        }
        (Page::View, _) => look::show(ui, session, actions),
        (Page::Charts, _) => charts::show(ui, session, actions),
        (Page::File, _) => files::show(ui, session, actions),
    }
}

fn title(ui: &mut Ui, session: &Session, actions: &mut Actions) {
    ui.horizontal(|ui| {
        ui.label(RichText::new("murmuration").heading().color(egui::Color32::WHITE));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let help = Action::Help(!session.controls.open.help);
            on_click(actions, ui.button("Keys").on_hover_text("H"), help);
            let mut button = |there: bool, name: &str, hint: &str, action: Action| {
                let button = ui.add_enabled(there, egui::Button::new(name));
                on_click(actions, button.on_hover_text(hint), action);
            };
            button(session.document.can_redo(), "Redo", "Ctrl Shift Z or Ctrl Y", Action::Redo);
            let can_undo = session.document.can_undo() || session.controls.draft.is_some();
            button(can_undo, "Undo", "Undo the last parameter change.  Ctrl Z", Action::Undo);
        });
    });
    ui.scope(|ui| {
        // The row is as high as its text.
        ui.spacing_mut().interact_size.y = 0.0;
        ui.horizontal_wrapped(|ui| {
            widgets::note(ui, &session.playback.engine);
            let check = ui.small_button("Check").on_hover_text("Compares this device with the rule.");
            on_click(actions, check, Action::CheckDevice(!session.controls.open.check));
        });
    });
    ui.add_space(4.0);
}

/// The choice of the flock: preset, number of boids, seed.
fn choose(ui: &mut Ui, session: &Session, actions: &mut Actions) {
    actions.extend(gallery::show(ui, session));
    ui.add_space(2.0);
    let flock = &session.document.parameters.flock;
    let (old_boids, old_seed) = (flock.boids, flock.seed);
    let (mut boids, mut seed) = (f64::from(old_boids), f64::from(old_seed));
    let help = |name: &str| find(name).map_or("", |parameter| parameter.help);
    ui.horizontal(|ui| {
        faint(ui, (CAPTIONS, "boids"), help("flock.boids"));
        slider(ui, "flock.boids", &mut boids, &BOIDS, true, 124.0);
    });
    // A narrow panel, as on a phone, breaks the line.
    ui.horizontal_wrapped(|ui| {
        faint(ui, (CAPTIONS, "seed"), help("flock.seed"));
        field(ui, "flock.seed", &mut seed, 0.2, true, 62.0);
        let surprise = ui.button("Another flock").on_hover_text("A surprise.  Key ?");
        on_click(actions, surprise, Action::Surprise);
        if ui.button("Next").on_hover_text("Restart with the next seed.").clicked() {
            seed = f64::from(old_seed.wrapping_add(1));
        }
    });
    for (name, new, old) in [("flock.boids", boids, old_boids), ("flock.seed", seed, old_seed)] {
        let new = new.clamp(0.0, f64::from(u32::MAX)) as u32;
        if let Some(parameter) = find(name).filter(|_| new != old) {
            actions.push(Action::Set(parameter, Value::Count(new)));
        }
    }
}

/// Playback: play and pause, a single step, restart and reset, steps per frame.
fn play(ui: &mut Ui, session: &Session, actions: &mut Actions) {
    ui.horizontal_wrapped(|ui| {
        let name = if session.playback.playing { "Pause" } else { "Play" };
        let strong = RichText::new(name).color(theme::GROUND);
        let play = egui::Button::new(strong).fill(theme::ACCENT).min_size(egui::vec2(86.0, 26.0));
        on_click(actions, ui.add(play).on_hover_text("Space"), Action::Play(!session.playback.playing));
        let mut button = |there: bool, name: &str, hint: &str, action: Action| {
            let button = egui::Button::new(name).min_size(egui::vec2(0.0, 26.0));
            on_click(actions, ui.add_enabled(there, button).on_hover_text(hint), action);
        };
        button(true, "Step", "Step once, then pause.  Key .", Action::Step);
        let hint = "Restart from the seed, or settled as when the window opened.  Key R";
        button(true, "Restart", hint, Action::Restart);
        let changed = session.document.changed() || session.controls.draft.is_some();
        let hint = "Reset all parameters to the preset's, and restart.  Key \\";
        button(changed, "Reset", hint, Action::Reset);
    });
    let (least, most) = Playback::RATES.into_inner();
    let (help, mut rate) = ("Below 1: slow motion.", session.playback.rate);
    let reach = SliderRange::logarithmic(least, most);
    line(ui, (CAPTIONS, "steps/frame"), help, &mut rate, &reach, least..=most);
    if rate != session.playback.rate {
        actions.push(Action::Rate(rate));
    }
}

fn pages(ui: &mut Ui, session: &Session, actions: &mut Actions) {
    ui.columns(Page::ALL.len(), |columns| {
        for (ui, (page, name)) in columns.iter_mut().zip(Page::ALL) {
            ui.vertical_centered_justified(|ui| {
                let label = ui.selectable_label(session.controls.page == page, name);
                on_click(actions, label, Action::Page(page));
            });
        }
    });
}

/// A line of numbers, and the message.
fn foot(ui: &mut Ui, session: &Session) {
    let history = &session.playback.history;
    let number = |name: &str, value: Option<f64>| {
        value.map_or_else(|| format!("{name} –"), |value| format!("{name} {} ms", widgets::figure(value)))
    };
    let between = history.mean(|sample| sample.frame).filter(|between| *between > 0.0);
    let rate = between.map_or_else(String::new, |between| format!(", {:.0} fps", 1e3 / between));
    let (frame, step) = (number("frame", between), number("step", history.mean(|sample| sample.step_time)));
    let boids = widgets::counted(session.frame().boids.count(), "boid");
    widgets::note(ui, format!("{boids}   {step}   {frame}{rate}"));
    ui.multiply_opacity(session.controls.opacity);
    let (text, colour) = match &session.controls.message {
        Some(Message::Done(what)) => (what, theme::TEXT),
        Some(Message::Failed(why)) => (why, theme::WRONG),
        None => return,
    };
    ui.add(egui::Label::new(RichText::new(text).small().color(colour)).wrap());
}
