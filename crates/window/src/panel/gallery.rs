//! The presets as a gallery over the view: a picture of each, its name, and the sentence of its file.

use egui::load::SizedTexture;
use egui::{
    Align2, Context, Image, Key, Popup, Rect, RectAlign, Response, Role, ScrollArea, Sense, Stroke,
    StrokeKind, TextStyle, TextureHandle, Ui, Vec2, WidgetInfo, pos2, vec2,
};

use super::widgets::follow_focus;
use crate::keys;
use crate::session::lesson::LessonAction;
use crate::session::{Action, Session};
use crate::theme;

/// The size of a picture in points, and pixels of the sheet per point.
const PICTURE: Vec2 = vec2(96.0, 54.0);
const PIXELS: f32 = 4.0 / 3.0;
/// Pictures per row.
const ACROSS: usize = 3;
/// The height of the name below a picture.
const NAME: f32 = 20.0;
const CORNER: f32 = 4.0;
/// Gap between picture and text.
const GAP: f32 = 10.0;

/// The lessons, with their buttons and hints.
const LESSONS: [(&str, &str, &str); 2] = [
    (
        "first",
        "First lesson: what one bird does",
        "Six steps: separation, alignment, cohesion, all together, a predator, your own rule",
    ),
    (
        "questions",
        "Questions about five flocks",
        "Five steps: range, line of sight, predators, leaders, noise",
    ),
];

/// Shows the current preset; a click opens the gallery. Returns what is chosen there.
pub fn show(ui: &mut Ui, session: &Session) -> Option<Action> {
    let sheet = sheet(ui.ctx());
    let present = present(ui, session, &sheet);
    let popup = Popup::menu(&present).align(RectAlign::LEFT_START).gap(GAP);
    let mut chosen = None;
    popup.show(|ui| {
        let most = ui.ctx().content_rect().height() - 48.0;
        ScrollArea::vertical().max_height(most).min_scrolled_height(most).show(ui, |ui| {
            follow_focus(ui, |ui| {
                let tiles = grid(ui, session, &sheet, &mut chosen);
                walk(ui, &present, &tiles, session.document.preset);
            });
        });
    });
    if chosen.is_some() {
        // A choice by a key leaves the gallery open.
        Popup::close_all(ui.ctx());
        if ui.memory(egui::Memory::focused).is_some() {
            present.request_focus();
        }
    }
    chosen
}

/// The current preset with its sentence.
fn present(ui: &mut Ui, session: &Session, sheet: &TextureHandle) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), PICTURE.y), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, "Presets"));
    let lit = response.hovered()
        || response.has_focus()
        || Popup::is_id_open(ui.ctx(), Popup::default_response_id(&response));
    let ground = if lit { theme::FIELD_HOVERED } else { theme::FIELD };
    ui.painter().rect_filled(rect, CORNER, ground);
    let document = &session.document;
    let mut left = rect.left() + GAP;
    let chosen = document.preset.and_then(|index| Some((index, document.presets.get(index)?)));
    let (about, hint) = match chosen {
        Some((index, preset)) => {
            picture(ui, sheet, index, Rect::from_min_size(rect.min, PICTURE));
            left += PICTURE.x;
            (preset.about.as_str(), format!("{}.\n{}", preset.about, preset.look_for))
        }
        None => ("", "The presets".to_owned()),
    };
    let painter = ui.painter_at(rect);
    let font = |style: TextStyle| style.resolve(ui.style());
    let at = pos2(left, rect.top() + 4.0);
    painter.text(at, Align2::LEFT_TOP, document.title(), font(TextStyle::Body), egui::Color32::WHITE);
    let text = about.to_owned();
    let mut job =
        egui::text::LayoutJob::simple(text, font(TextStyle::Small), theme::TEXT, rect.right() - left - GAP);
    job.wrap.max_rows = 2;
    let galley = painter.layout_job(job);
    painter.galley(pos2(left, rect.top() + 21.0), galley, theme::TEXT);
    response.on_hover_text(hint)
}

/// All presets, and the lesson; returns their tiles.
fn grid(ui: &mut Ui, session: &Session, sheet: &TextureHandle, chosen: &mut Option<Action>) -> Vec<Response> {
    let mut tiles = Vec::new();
    ui.spacing_mut().item_spacing = vec2(8.0, 4.0);
    let presets: Vec<_> = session.document.presets.iter().enumerate().collect();
    for row in presets.chunks(ACROSS) {
        ui.horizontal(|ui| {
            for (index, preset) in row {
                let tile = tile(ui, sheet, *index, &preset.name, session.document.preset == Some(*index));
                let key = keys::PRESETS.get(*index).map(|key| format!("\nKey {}", key.name()));
                let hint = format!("{}.\n{}{}", preset.about, preset.look_for, key.unwrap_or_default());
                let tile = tile.on_hover_text(hint);
                if tile.clicked() {
                    *chosen = Some(Action::Choose(*index));
                }
                tiles.push(tile);
            }
        });
    }
    for (name, label, hint) in LESSONS {
        let lesson = ui.button(label).on_hover_text(hint);
        if lesson.clicked() {
            *chosen = Some(Action::Lesson(LessonAction::Begin(name)));
        }
        tiles.push(lesson);
    }
    tiles
}

/// Moves the keyboard's focus by arrows: from the button that opened the gallery to the `current` tile, then from tile
/// to tile by their places.
fn walk(ui: &Ui, button: &Response, tiles: &[Response], current: Option<usize>) {
    if button.has_focus() {
        if let Some(tile) = tiles.get(current.unwrap_or(0)) {
            tile.request_focus();
        }
        return;
    }
    let Some(index) = tiles.iter().position(Response::has_focus) else { return };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(tiles[index].id, keys::ARROWS));
    // The lessons stand below the pictures, one on a row.
    let lessons = tiles.len().saturating_sub(LESSONS.len());
    let (across, column) = if index < lessons { (ACROSS, index % ACROSS) } else { (1, 0) };
    let mut to = index;
    ui.input(|input| {
        if input.key_pressed(Key::ArrowLeft) && column > 0 {
            to -= 1;
        } else if input.key_pressed(Key::ArrowRight) && column + 1 < across {
            to += 1;
        } else if input.key_pressed(Key::ArrowUp) && index >= across {
            to -= across;
        } else if input.key_pressed(Key::ArrowDown) {
            to += across;
        }
    });
    if index < lessons {
        to = to.min(lessons);
    }
    to = to.min(tiles.len() - 1);
    if to != index {
        tiles[to].request_focus();
    }
}

/// A preset's picture with its name below.
fn tile(ui: &mut Ui, sheet: &TextureHandle, index: usize, name: &str, here: bool) -> Response {
    let (rect, response) = ui.allocate_exact_size(PICTURE + vec2(0.0, NAME), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, here, name));
    let top = Rect::from_min_size(rect.min, PICTURE);
    picture(ui, sheet, index, top);
    let colour = if here { theme::ACCENT } else { theme::TEXT };
    if here || response.hovered() {
        ui.painter().rect_stroke(top, CORNER, Stroke::new(2.0, colour), StrokeKind::Inside);
    }
    let font = TextStyle::Small.resolve(ui.style());
    ui.painter().text(rect.center_bottom() - vec2(0.0, 4.0), Align2::CENTER_BOTTOM, name, font, colour);
    response
}

/// A preset's part of the sheet, which holds the pictures one below the other.
fn picture(ui: &Ui, sheet: &TextureHandle, index: usize, at: Rect) {
    let share = PIXELS * PICTURE.y / sheet.size_vec2().y;
    let (top, bottom) = (index as f32 * share, (index + 1) as f32 * share);
    let part = Rect::from_min_max(pos2(0.0, top), pos2(1.0, bottom));
    Image::from_texture(SizedTexture::from_handle(sheet)).uv(part).corner_radius(CORNER).paint_at(ui, at);
}

/// The sheet as a texture of the window, created at its first use.
fn sheet(context: &Context) -> TextureHandle {
    if let Some(sheet) = context.data(|data| data.get_temp::<TextureHandle>(egui::Id::NULL)) {
        return sheet;
    }
    let image = unpack(presets::GALLERY).map(|([width, height], pixels)| {
        egui::ColorImage::from_rgb([width as usize, height as usize], &pixels)
    });
    let sheet = context.load_texture("gallery", image.unwrap_or_default(), egui::TextureOptions::LINEAR);
    context.data_mut(|data| data.insert_temp(egui::Id::NULL, sheet.clone()));
    sheet
}

/// Forgets the texture, which belongs to another context.
pub fn renew(context: &Context) {
    context.data_mut(|data| data.remove::<TextureHandle>(egui::Id::NULL));
}

/// Width, height and pixels of a PNG; `None` if it is damaged.
pub fn unpack(png: &[u8]) -> Option<([u32; 2], Vec<u8>)> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(png));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().ok()?;
    let mut pixels = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut pixels).ok()?;
    Some(([info.width, info.height], pixels))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_has_a_picture_of_its_own() {
        let (size, bytes) = unpack(presets::GALLERY).expect("a PNG");
        let pixels: Vec<&[u8]> = bytes.chunks(3).collect();
        let [width, height] = [PICTURE.x, PICTURE.y].map(|side| (PIXELS * side) as usize);
        let pictures: Vec<_> = pixels.chunks(width * height).collect();
        assert_eq!((size[0] as usize, pictures.len()), (width, config::presets::all().count()));
        for (index, picture) in pictures.iter().enumerate() {
            assert!(!pictures[..index].contains(picture), "{index}");
            // The picture is not blank.
            let ground = picture.iter().filter(|pixel| **pixel == picture[0]).count();
            assert!(ground < picture.len() * 99 / 100, "{index}: {ground}");
        }
        assert!(presets::GALLERY.len() <= 60_000, "{} bytes", presets::GALLERY.len());
        assert_eq!(unpack(&presets::GALLERY[..1000]), None);
    }
}
