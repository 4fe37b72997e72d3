//! The call that opens the flock as it is set: as a command line, or as the address of a page.

use flock::Parameters;
use flock::parameters::{PARAMETERS, Parameter};

use super::Session;
use crate::view::scene::Scenery;
use config::presets::DEFAULT;

impl Session {
    /// The command line that opens this flock.
    #[must_use]
    pub fn command(&self) -> String {
        let options = self.options().into_iter().map(|(name, value)| format!(" --{name} {}", quoted(&value)));
        std::iter::once("murmuration".to_owned()).chain(options).collect()
    }

    /// The part of a page's address, from the question mark on, that opens this flock.
    #[must_use]
    pub fn query(&self) -> String {
        let options = self.options().into_iter().map(|(name, value)| format!("{name}={}", encoded(&value)));
        format!("?{}", options.collect::<Vec<_>>().join("&"))
    }

    /// The options, by their names on the command line. A flock from a file is told by what differs from the default
    /// preset.
    fn options(&self) -> Vec<(&'static str, String)> {
        let named = self.preset.and_then(|index| self.presets.get(index));
        let Some(preset) = named.or_else(|| self.presets.iter().find(|preset| preset.name == DEFAULT)) else {
            return Vec::new();
        };
        let boids = self.parameters.flock.boids;
        let mut options = vec![("preset", preset.name.clone())];
        options.extend(settings(&preset.parameters, &self.parameters).map(|text| ("set", text)));
        if boids != preset.parameters.flock.boids {
            options.push(("boids", boids.to_string()));
        }
        let look = Scenery::ALL.iter().find(|(scenery, _)| *scenery == self.look.scenery);
        options.extend(look.map(|(_, name)| ("look", (*name).to_owned())));
        options
    }
}

/// What turns one set of parameters into another, but for the number of boids: that is set last, and scales a world that
/// is not set.
fn settings(base: &Parameters, wanted: &Parameters) -> impl Iterator<Item = String> {
    let mut scaled = *base;
    (scaled.flock.density, scaled.flock.dimensions) = (wanted.flock.density, wanted.flock.dimensions);
    scaled.set_boids(wanted.flock.boids);
    let world = |p: &Parameters| (p.world.min, p.world.max);
    let resized = world(&scaled) != world(base);
    // A world that is set stands, and so does all that would be scaled with it.
    let set = resized && world(wanted) != world(&scaled);
    let reference = if set { *base } else { scaled };
    let (base, wanted) = (*base, *wanted);
    let named = move |parameter: &&Parameter| match parameter.name {
        "flock.boids" => false,
        "flock.density" | "flock.dimensions" => parameter.get(&wanted) != parameter.get(&base),
        "world.max" if set => true,
        _ => parameter.get(&wanted) != parameter.get(&reference),
    };
    let text = move |parameter: &Parameter| format!("{}={}", parameter.name, parameter.get(&wanted));
    PARAMETERS.iter().filter(named).map(text)
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "=._-+".contains(c);
    if word.chars().all(plain) { word.to_owned() } else { format!("'{word}'") }
}

/// A value for an address.
fn encoded(value: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
    let mut text = String::new();
    for byte in value.bytes() {
        match plain(&byte) {
            true => text.push(byte.into()),
            false => text += &format!("%{byte:02X}"),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::page;
    use config::presets::PRESETS;

    #[test]
    fn a_call_opens_the_same_flock() {
        for preset in PRESETS {
            let base = preset.parameters().expect(preset.name);
            let mut wanted = base;
            wanted.separation.radius = 0.123;
            wanted.world.margin = 7.5;
            wanted.home.position = [1.0, -2.5, 0.0];
            wanted.set_boids(1234);
            let options = settings(&base, &wanted).map(|text| format!("set={}", encoded(&text)));
            let query = options.chain([format!("preset={}", preset.name), "boids=1234".to_owned()]);
            let request = page::parse(&query.collect::<Vec<_>>().join("&")).expect(preset.name);
            assert_eq!(request.view.flock.parameters().expect(preset.name), wanted, "{}", preset.name);
            let mut many = base;
            many.set_boids(9);
            assert_eq!(settings(&base, &many).count(), 0, "{}", preset.name);
            // A world that was set stands: even that of the preset, under another number of boids.
            for max in [[99.0; 3], base.world.max] {
                (many.world.min, many.world.max) = (base.world.min, max);
                let options = settings(&base, &many).map(|text| format!("set={}", encoded(&text)));
                let query = options.chain([format!("preset={}", preset.name), "boids=9".to_owned()]);
                let request = page::parse(&query.collect::<Vec<_>>().join("&")).expect(preset.name);
                assert_eq!(request.view.flock.parameters().expect(preset.name), many, "{}", preset.name);
            }
        }
    }

    #[test]
    fn words_are_quoted_and_encoded() {
        assert_eq!(quoted("separation.radius=3.5"), "separation.radius=3.5");
        assert_eq!(quoted("flock.start=\"ball\""), "'flock.start=\"ball\"'");
        assert_eq!(encoded("separation.radius=3"), "separation.radius%3D3");
    }
}
