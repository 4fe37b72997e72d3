//! The numbers of the boid that `render --explain` draws.

use engine::Explanation;
use serde_json::{Map, Value, json};

use crate::commands::print_list;
use files::Result;

/// Prints the numbers of a boid, and a line for each part of the change of its velocity.
pub fn print(explained: &Explanation) -> Result {
    let limits: Vec<&str> = explained.limits.iter().map(|limit| limit.name()).collect();
    let numbers = [
        ("boid", explained.id.to_string()),
        ("step", explained.step.to_string()),
        ("speed", shown(explained.speed())),
        ("turn_degrees", shown(explained.turn())),
        ("neighbours", explained.neighbours.len().to_string()),
        ("limited_by", if limits.is_empty() { "-".to_owned() } else { limits.join(" ") }),
    ];
    let rows: Vec<_> = numbers.iter().map(|(name, number)| [*name, number.as_str()]).collect();
    print_list(["what", "value"], &rows, false)?;
    let mut parts = vec![["change", "perceives", "x", "y", "z"].map(str::to_owned)];
    for change in &explained.changes {
        let perceives = explained.senses.iter().any(|sense| sense.name == change.name);
        let count = if perceives { explained.seen(change.name).count().to_string() } else { "-".to_owned() };
        let [x, y, z] = change.velocity.map(shown);
        parts.push([change.name.to_owned(), count, x, y, z]);
    }
    let total = explained.total();
    let [x, y, z] = total.velocity.map(shown);
    parts.push([total.name.to_owned(), "-".to_owned(), x, y, z]);
    let parts: Vec<_> = parts.iter().map(|row| row.each_ref().map(String::as_str)).collect();
    print_list(["change", "perceives", "x", "y", "z"], &parts, false)
}

/// The explanation as JSON.
pub fn json(explained: &Explanation) -> Value {
    let mut neighbours: Map<String, Value> = Map::new();
    for sense in &explained.senses {
        let seen = explained.seen(sense.name).map(|neighbour| neighbour.id);
        neighbours.insert(sense.name.to_owned(), seen.collect());
    }
    let changes = explained.changes.iter().map(|change| (change.name.to_owned(), json!(change.velocity)));
    json!({
        "id": explained.id,
        "step": explained.step,
        "position": explained.position,
        "velocity": explained.velocity,
        "next_velocity": explained.next_velocity,
        "neighbours": neighbours,
        "changes": changes.collect::<Map<String, Value>>(),
        "limits": explained.limits.iter().map(|limit| limit.name()).collect::<Vec<_>>(),
        "perched": explained.rests,
    })
}

fn shown(number: f64) -> String {
    format!("{number:.6}")
}
