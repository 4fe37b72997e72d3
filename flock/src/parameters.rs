//! The parameters of a flock. Each is named once, here, with its default, range, unit and meaning. Files, the command
//! line, the panel and the docs are all made from [`PARAMETERS`].

mod tables;
mod value;

use crate::state::group;

pub use tables::{
    Attractor, Density, Edges, Falloff, MAX_NEAREST, PARAMETERS, Parameters, Response, Scope, Start,
};
pub(crate) use value::Why;
pub use value::{List, MAX_GROUPS, MAX_SPHERES, Refused, Shares, Sphere, Spheres, Value, ValueKind};

/// One parameter: its name, type, range, unit and access.
#[derive(Debug)]
pub struct Parameter {
    /// `table.key`.
    pub name: &'static str,
    /// The table, as in `table.key`.
    pub table: &'static str,
    /// The key within the table.
    pub key: &'static str,
    /// Type and range.
    pub kind: ValueKind,
    /// Unit: `""` for a pure number.
    pub unit: &'static str,
    /// One sentence for help texts.
    pub help: &'static str,
    /// Parameters that must all be on, not zero, or not empty, or have the value after `=`, for this one to have an
    /// effect; of those joined by `|`, one suffices.
    pub needs: &'static [&'static str],
    get: fn(&Parameters) -> Value,
    set: fn(&mut Parameters, Value) -> Result<(), Refused>,
}

impl Parameter {
    /// The value in a set of parameters.
    pub fn get(&self, parameters: &Parameters) -> Value {
        (self.get)(parameters)
    }

    /// True if the firmware restarts its flock where this parameter changes.
    pub fn restarts_board(&self) -> bool {
        self.table == "flock" || matches!(self.name, "scouts.right" | "scouts.left" | "scouts.bias")
    }

    /// Sets the value in a set of parameters.
    ///
    /// # Errors
    /// When the type does not fit or the value lies outside the range; nothing is changed then.
    pub fn set(&self, parameters: &mut Parameters, value: Value) -> Result<(), Refused> {
        (self.set)(parameters, self.kind.check(value)?)
    }

    /// The value in [`Parameters::default`].
    pub fn default(&self) -> Value {
        self.get(&Parameters::default())
    }
}

/// The parameter called `table.key`.
pub fn find(name: &str) -> Option<&'static Parameter> {
    let (table, key) = name.split_once('.')?;
    PARAMETERS.iter().find(|p| p.table == table && p.key == key)
}

impl Parameters {
    /// Sets the number of boids; if `flock.density` is `keep`, the world grows or shrinks about its centre to keep the
    /// boids per unit of space, and with it its margin, the extent of home and its amplitude.
    pub fn set_boids(&mut self, boids: u32) {
        let old = self.flock.boids;
        self.flock.boids = boids;
        if self.flock.density == Density::World || old == 0 || boids == 0 {
            return;
        }
        let ratio = f64::from(boids) / f64::from(old);
        let scale = if self.flat() { libm::sqrt(ratio) } else { libm::cbrt(ratio) };
        for axis in 0..3 {
            let (min, max) = (self.world.min[axis], self.world.max[axis]);
            let (centre, half) = (0.5 * (min + max), 0.5 * (max - min) * scale);
            self.world.min[axis] = centre - half;
            self.world.max[axis] = centre + half;
        }
        self.world.margin *= scale;
        self.home.half_extent *= scale;
        self.home.wander *= scale;
    }

    /// Checks the limits between parameters.
    ///
    /// # Errors
    /// Names the first parameter that does not fit the others.
    pub fn check(&self) -> Result<(), Refused> {
        let axes = if self.flat() { 2 } else { 3 };
        let empty = (0..axes).any(|axis| self.world.min[axis] >= self.world.max[axis]);
        let scouts = self.scouts.right + self.scouts.left;
        let groups = self.flock.groups.as_slice();
        let mut of_scouts = [group::RIGHT, group::LEFT].into_iter().filter_map(|k| groups.get(k as usize));
        let no_unit = "false with the scope flock";
        let no_mean = "neighbours in a world that wraps";
        let coheres = self.cohesion.scope == Scope::Flock && self.cohesion.weight != 0.0;
        let no_groups = "0 for groups 1 and 2, the scouts, while scouts.right or scouts.left is above 0";
        let limits = [
            (empty, "world.min", "below world.max in every component"),
            (self.motion.min_speed > self.motion.max_speed, "motion.min_speed", "at most motion.max_speed"),
            (self.alignment.unit && self.alignment.scope == Scope::Flock, "alignment.unit", no_unit),
            (self.cohesion.unit && self.cohesion.scope == Scope::Flock, "cohesion.unit", no_unit),
            (coheres && self.world.edges == Edges::Wrap, "cohesion.scope", no_mean),
            (scouts > 1.0, "scouts.right", "at most 1 together with scouts.left"),
            (scouts > 0.0 && of_scouts.any(|part| *part > 0.0), "flock.groups", no_groups),
        ];
        match limits.into_iter().find(|(exceeded, ..)| *exceeded) {
            Some((_, name, allowed)) => Err(Refused::between(name, allowed)),
            None => Ok(()),
        }
    }

    /// True if groups 1 and 2 are scouts, with bias and preferred directions: always in a flock without own groups.
    pub fn has_scouts(&self) -> bool {
        self.flock.groups.as_slice().is_empty() || self.scouts.right + self.scouts.left > 0.0
    }

    /// True if the flock lives in two dimensions.
    pub fn flat(&self) -> bool {
        self.flock.dimensions == 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_defaults_lie_in_their_ranges() {
        for (i, p) in PARAMETERS.iter().enumerate() {
            assert!(PARAMETERS[i + 1..].iter().all(|q| (q.table, q.key) != (p.table, p.key)));
            assert!(p.kind.check(p.default()).is_ok(), "{}.{}", p.table, p.key);
            assert!(p.help.ends_with('.'), "{}.{} has no sentence", p.table, p.key);
        }
    }

    #[test]
    fn what_is_set_is_got_and_what_does_not_fit_is_refused() {
        let mut parameters = Parameters::default();
        let radius = find("cohesion.radius").expect("named in the table");
        radius.set(&mut parameters, Value::Real(3.5)).expect("in range");
        assert_eq!(parameters.cohesion.radius, 3.5);
        assert_eq!(radius.get(&parameters), Value::Real(3.5));
        for bad in [Value::Real(-1.0), Value::Real(f64::NAN), Value::Flag(true)] {
            assert!(radius.set(&mut parameters, bad).is_err());
        }
        assert_eq!(parameters.cohesion.radius, 3.5);
        assert!(find("cohesion.radios").is_none() && find("cohesion").is_none());
    }

    #[test]
    fn density_is_kept_when_asked() {
        let mut p = Parameters::default();
        p.flock.density = Density::Keep;
        p.flock.dimensions = 3;
        let volume = |p: &Parameters| -> f64 { (0..3).map(|k| p.world.max[k] - p.world.min[k]).product() };
        let before = volume(&p) / f64::from(p.flock.boids);
        let share = |p: &Parameters| p.world.margin / (p.world.max[2] - p.world.min[2]);
        (p.world.margin, p.world.edges) = (30.0, Edges::Turn);
        let margin = share(&p);
        p.set_boids(p.flock.boids * 7);
        assert!((share(&p) / margin - 1.0).abs() < 1e-12, "the margin grows with the world");
        assert!((volume(&p) / f64::from(p.flock.boids) / before - 1.0).abs() < 1e-12);
    }

    #[test]
    fn limits_between_parameters_are_checked() {
        let mut p = Parameters::default();
        assert!(p.check().is_ok());
        (p.cohesion.unit, p.cohesion.scope) = (true, Scope::Flock);
        assert_eq!(p.check().expect_err("no neighbours").name(), Some("cohesion.unit"));
        p.cohesion.scope = Scope::Neighbours;
        assert!(p.check().is_ok());
        (p.cohesion.unit, p.cohesion.scope, p.world.edges) = (false, Scope::Flock, Edges::Wrap);
        p.cohesion.weight = 0.1;
        assert_eq!(p.check().expect_err("no mean").name(), Some("cohesion.scope"));
        p.cohesion.weight = 0.0;
        assert!(p.check().is_ok());
        p.motion.min_speed = p.motion.max_speed * 2.0 + 1.0;
        assert_eq!(p.check().expect_err("out of order").name(), Some("motion.min_speed"));
    }
}
