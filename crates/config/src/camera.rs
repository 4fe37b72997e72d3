//! The path of a film's camera, from a file of keys:
//!
//! ```toml
//! [[key]]
//! at = 0      # seconds of film
//! yaw = 40    # degrees, as --yaw
//!
//! [[key]]
//! at = 4.5
//! yaw = 90
//! zoom = 2
//! ```

use std::path::Path;

use flock::parameters::{Value, ValueKind};

use crate::{ConfigError, Entry, TomlFile, read_text, shown};

/// Names and ranges of the values of a key, in the order of [`CameraPath`]'s fields; ranges are those of the options.
const NAMES: [(&str, ValueKind); 5] = [
    ("at", ValueKind::Real { min: 0.0, max: 1e6 }),
    ("yaw", ValueKind::Real { min: -3600.0, max: 3600.0 }),
    ("pitch", ValueKind::Real { min: -85.0, max: 85.0 }),
    ("zoom", ValueKind::Real { min: 0.01, max: 100.0 }),
    ("field_of_view", ValueKind::Real { min: 5.0, max: 120.0 }),
];

/// The motion of the camera in a film. Where a track has no keys, the option of its name applies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CameraPath {
    /// Direction about the z axis, in degrees.
    pub yaw: Track,
    /// Direction above the horizon, in degrees.
    pub pitch: Track,
    /// Magnification.
    pub zoom: Track,
    /// Angle from the lower to the upper edge, in degrees.
    pub field_of_view: Track,
}

/// A number over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track {
    /// Seconds and values; the seconds ascend.
    keys: Vec<(f64, f64)>,
}

impl Track {
    /// The value at a time in seconds; `None` without keys. It is constant before the first key and after the last.
    /// Between two keys it is a monotone cubic and stays between their values (Steffen 1990, A&A 239, 443).
    pub fn at(&self, seconds: f64) -> Option<f64> {
        let after = self.keys.partition_point(|(at, _)| *at <= seconds);
        let (Some(&(t0, v0)), Some(&(t1, v1))) = (self.keys.get(after.wrapping_sub(1)), self.keys.get(after))
        else {
            let end = if after == 0 { self.keys.first() } else { self.keys.last() };
            return end.map(|(_, value)| *value);
        };
        let (width, slope) = (t1 - t0, (v1 - v0) / (t1 - t0));
        let (d0, d1) = (self.slope(after - 1), self.slope(after));
        let s = seconds - t0;
        let (a, b) = ((d0 + d1 - 2.0 * slope) / (width * width), (3.0 * slope - 2.0 * d0 - d1) / width);
        Some(v0 + s * (d0 + s * (b + s * a)))
    }

    /// The slope at a key: 0 at the ends and where the direction changes.
    fn slope(&self, key: usize) -> f64 {
        let (Some(before), Some(after)) = (key.checked_sub(1).map(|k| self.keys[k]), self.keys.get(key + 1))
        else {
            return 0.0;
        };
        let (t, v) = self.keys[key];
        let (h0, h1) = (t - before.0, after.0 - t);
        let (s0, s1) = ((v - before.1) / h0, (after.1 - v) / h1);
        let mean = (s0 * h1 + s1 * h0) / (h0 + h1);
        (s0.signum() + s1.signum()) * s0.abs().min(s1.abs()).min(0.5 * mean.abs())
    }
}

impl CameraPath {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, is not TOML, or has a key that is unknown, not allowed or not later than the last key.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        Self::parse(&read_text(path)?, &path.display().to_string())
    }

    fn parse(text: &str, origin: &str) -> Result<Self, ConfigError> {
        let file = TomlFile::parse(text, origin)?;
        let mut path = CameraPath::default();
        let mut last = f64::NEG_INFINITY;
        for entry in file.entries() {
            let keys = entry.array().filter(|_| entry.name == "key");
            let keys = keys.ok_or_else(|| {
                entry.error(format!("unknown key '{}', expected tables [[key]]", shown(&entry.name)))
            })?;
            for key in keys {
                let [at, values @ ..] = read_key(&key)?;
                let at = at.ok_or_else(|| key.error("key.at is required, the time in seconds"))?;
                if at <= last {
                    let fields = key.table().unwrap_or_default();
                    let place = fields.iter().find(|field| field.name == "at").unwrap_or(&key);
                    return Err(place.error(format!("key.at must be more than {last}, not {at}")));
                }
                last = at;
                let tracks = [&mut path.yaw, &mut path.pitch, &mut path.zoom, &mut path.field_of_view];
                for (track, value) in tracks.into_iter().zip(values) {
                    track.keys.extend(value.map(|value| (at, value)));
                }
            }
        }
        if last == f64::NEG_INFINITY {
            return Err(ConfigError::new(format!("{origin}: a camera requires at least one [[key]]")));
        }
        Ok(path)
    }
}

/// The values of a key, in the order of [`NAMES`].
fn read_key(key: &Entry<'_>) -> Result<[Option<f64>; NAMES.len()], ConfigError> {
    let mut read = [None; NAMES.len()];
    for field in key.table().ok_or_else(|| key.error("key must be a table, [[key]]"))? {
        let known = NAMES.iter().zip(&mut read).find(|((name, _), _)| *name == field.name);
        let ((name, kind), value) = known.ok_or_else(|| {
            let names = NAMES.map(|(name, _)| name);
            ConfigError::unknown("key.", &field.name, "key", &names).at(&field.place())
        })?;
        if let Value::Real(number) = field.convert(&format!("key.{name}"), *kind)? {
            *value = Some(number);
        }
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<CameraPath, String> {
        CameraPath::parse(text, "a.toml").map_err(|error| error.to_string())
    }

    #[test]
    fn the_example_holds() {
        let path = parsed(include_str!("../../../examples/camera.toml")).expect("it holds");
        assert_eq!((path.yaw.at(0.0), path.zoom.at(4.0), path.pitch.at(1.0)), (Some(40.0), Some(2.5), None));
    }

    #[test]
    fn each_track_has_the_keys_that_name_it() {
        let path =
            parsed("[[key]]\nat = 1\nyaw = 40\n[[key]]\nat = 3\nzoom = 2\n[[key]]\nat = 5\nyaw = 90\n")
                .unwrap();
        let yaw = |seconds| path.yaw.at(seconds).unwrap();
        assert_eq!((yaw(0.0), yaw(1.0), yaw(3.0), yaw(5.0), yaw(9.0)), (40.0, 40.0, 65.0, 90.0, 90.0));
        assert_eq!((path.zoom.at(0.0), path.pitch.at(0.0)), (Some(2.0), None));
    }

    #[test]
    fn a_track_is_smooth_and_never_leaves_its_keys() {
        let track = Track { keys: vec![(0.0, 0.0), (1.0, 10.0), (2.0, 10.0), (3.0, 20.0), (7.0, 24.0)] };
        let values: Vec<f64> = (0..=7000).map(|k| track.at(f64::from(k) * 1e-3).unwrap()).collect();
        assert!(values.is_sorted() && values[1000] == 10.0 && (values[3000] - 20.0).abs() < 1e-9);
        let steps: Vec<f64> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let jerk = steps.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f64::max);
        assert!(jerk < 1e-4, "{jerk}");
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (text, part) in [
            ("", "a.toml: a camera requires at least one [[key]]"),
            ("x = 1", "a.toml:1: unknown key 'x', expected tables [[key]]"),
            ("[[key]]\nyaw = 4", "a.toml:1: key.at is required"),
            ("[[key]]\nat = 4\n[[key]]\nat = 4", "a.toml:4: key.at must be more than 4, not 4"),
            ("[[key]]\nat = 0\n\n# two\n[[key]]\nyaw = 4\nat = 0", "a.toml:7: key.at must be more than 0"),
            ("[[key]]\nat = 0\n\n# two\n[[key]]\nyaw = 4", "a.toml:5: key.at is required"),
            ("[[key]]\nat = 4\npitch = 90", "key.pitch must be -"),
            ("[[key]]\nat = 4\nyew = 90", "unknown key 'key.yew', expected one of at, yaw"),
            ("[[key]]\nat = =", "a.toml:2"),
            ("key = 3", "unknown key 'key', expected tables [[key]]"),
            ("key = [3]", "key must be a table, [[key]]"),
        ] {
            let error = parsed(text).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
