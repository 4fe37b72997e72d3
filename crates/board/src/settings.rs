//! Sets the parameters of a board through its console, line by line. The board checks each line against its current
//! parameters, so the order matters: first the world is widened to hold both the old and the new one, so that its
//! corners never cross and every length fits, then all else is set, and last the world.

use flock::Parameters;
use flock::parameters::{PARAMETERS, Parameter, Value};

use super::board::{Board, BoardError, Link};

/// Rounds of setting parameters: a parameter may be refused until another is set.
const ROUNDS: usize = 4;

/// The longest line that the console takes, in bytes.
const LONGEST: usize = 1024;

/// Sets all parameters that differ.
///
/// # Errors
/// When the board refuses a parameter in every round, with the last refusal; when it does not answer.
pub fn agree(board: &mut Board<impl Link>, wanted: &Parameters) -> Result<(), BoardError> {
    let (mut refusal, mut shown) = (None, String::new());
    for _ in 0..ROUNDS {
        let held = BoardParameters(board.ask("list")?);
        let differs: Vec<_> =
            PARAMETERS.iter().filter(|parameter| !held.has(parameter.name, &parameter.get(wanted))).collect();
        if differs.is_empty() {
            return Ok(());
        }
        shown = differs.iter().map(|one| format!(" {} = {}", one.name, held.shown(one.name))).collect();
        for line in lines(&differs, &held, wanted) {
            match board.ask(&line) {
                Err(BoardError::Refused(why)) => refusal = Some(why),
                other => drop(other?),
            }
        }
    }
    Err(BoardError::Refused(
        refusal.unwrap_or_else(|| format!("the parameters do not stay as they are set, but{shown}")),
    ))
}

/// The parameters of a board, as `list` prints them.
struct BoardParameters(Vec<String>);

impl BoardParameters {
    /// Value, unit and range of a parameter.
    fn shown(&self, name: &str) -> &str {
        let value = self.0.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "));
        value.unwrap_or_default()
    }

    fn has(&self, name: &str, value: &Value) -> bool {
        self.shown(name).strip_prefix(&value.to_string()).is_some_and(|rest| rest.starts_with([' ', ';']))
    }

    fn vector(&self, name: &str) -> Option<[f64; 3]> {
        let (vector, _) = self.shown(name).strip_prefix('[')?.split_once(']')?;
        let components: Vec<f64> = vector.split(", ").map(|c| c.parse().ok()).collect::<Option<_>>()?;
        components.try_into().ok()
    }
}

/// The lines of a round.
fn lines(differs: &[&Parameter], held: &BoardParameters, wanted: &Parameters) -> Vec<String> {
    let (world, others): (Vec<&Parameter>, Vec<_>) =
        differs.iter().partition(|one| matches!(one.name, "world.min" | "world.max"));
    let mut lines = Vec::new();
    if !world.is_empty()
        && let (Some(min), Some(max)) = (held.vector("world.min"), held.vector("world.max"))
    {
        let wide_min = std::array::from_fn(|k| f64::min(min[k], wanted.world.min[k]));
        let wide_max = std::array::from_fn(|k| f64::max(max[k], wanted.world.max[k]));
        lines.push(format!("set world.min {}", Value::Vector(wide_min)));
        lines.push(format!("set world.max {}", Value::Vector(wide_max)));
    }
    others.iter().chain(&world).for_each(|one| set(one, wanted, &mut lines));
    lines
}

/// The lines that set a parameter: a list of obstacles too long for one line is set entry by entry.
fn set(parameter: &Parameter, wanted: &Parameters, lines: &mut Vec<String>) {
    let value = parameter.get(wanted);
    let line = format!("set {} {value}", parameter.name);
    match value {
        Value::Spheres(spheres) if line.len() > LONGEST => {
            lines.push(format!("set {} []", parameter.name));
            lines.extend(spheres.as_slice().iter().map(|sphere| {
                let position = Value::Vector(sphere.position);
                format!("obstacle {{ position = {position}, radius = {:?} }}", sphere.radius)
            }));
        }
        _ => lines.push(line),
    }
}

#[cfg(test)]
mod tests {
    use flock::parameters::{Sphere, find};

    use super::*;

    fn held(parameters: &Parameters) -> BoardParameters {
        let line = |one: &Parameter| format!("{} = {} length; {}", one.name, one.get(parameters), one.kind);
        BoardParameters(PARAMETERS.iter().map(line).collect())
    }

    /// A miniature console: executes the lines of a round, and checks the parameters after each.
    fn taken(lines: &[String], from: &Parameters) -> Parameters {
        let mut now = *from;
        for line in lines.iter().filter_map(|line| line.strip_prefix("set world.")) {
            let (key, value) = line.split_once(' ').expect("a value");
            let value = BoardParameters(vec![format!("it = {value}")]).vector("it").expect("a vector");
            *(if key == "min" { &mut now.world.min } else { &mut now.world.max }) = value;
            now.check().unwrap_or_else(|why| panic!("{line}: {why}"));
        }
        now
    }

    #[test]
    fn the_corners_of_a_world_never_cross_on_the_way() {
        let mut old = Parameters::default();
        (old.world.min, old.world.max) = ([0.0; 3], [640.0, 480.0, 400.0]);
        // The new world lies to the left, to the right, inside or outside, or differs on each axis.
        for (min, max) in [
            ([-9.0; 3], [-1.0; 3]),
            ([700.0; 3], [701.5; 3]),
            ([1.0; 3], [2.0; 3]),
            ([-1e6; 3], [1e6; 3]),
            ([-300.0, 700.0, 3.0], [-100.0, 900.0, 1e5]),
        ] {
            let mut wanted = old;
            (wanted.world.min, wanted.world.max) = (min, max);
            for (from, to) in [(&old, &wanted), (&wanted, &old)] {
                let held = held(from);
                let differs: Vec<_> =
                    PARAMETERS.iter().filter(|one| !held.has(one.name, &one.get(to))).collect();
                assert_eq!(differs.len(), 2);
                assert_eq!(taken(&lines(&differs, &held, to), from), *to);
            }
        }
    }

    #[test]
    fn sixteen_obstacles_of_any_digits_fit_the_lines() {
        let mut wanted = Parameters::default();
        for k in 0..16 {
            let far = -12_345.678 - f64::from(k) / 3.0;
            let sphere = Sphere { position: [far, far * 1.7, far / 3.0], radius: -far / 7.0 };
            wanted.obstacles.spheres.push(sphere).expect("room");
        }
        let parameter = find("obstacles.spheres").expect("named in the table");
        let mut lines = Vec::new();
        set(parameter, &wanted, &mut lines);
        assert_eq!((lines.len(), lines[0].as_str()), (17, "set obstacles.spheres []"));
        assert!(lines.iter().all(|line| line.len() <= LONGEST));
        let all: Vec<&str> =
            lines[1..].iter().map(|line| line.strip_prefix("obstacle ").expect("one")).collect();
        assert_eq!(format!("[{}]", all.join(", ")), parameter.get(&wanted).to_string());
        // A few spheres fit one line.
        while wanted.obstacles.spheres.as_slice().len() > 3 {
            wanted.obstacles.spheres.pop();
        }
        lines.clear();
        set(parameter, &wanted, &mut lines);
        assert_eq!(lines.len(), 1);
    }
}
