//! The neighbours of each boid within a radius.

use flock::{Parameters, Rule};
use rayon::prelude::*;

use super::neighbours::search;
use super::space::Space;
use super::tree::Tree;
use crate::state::State;

/// Neighbours as the rows of a sparse matrix: those of boid k are `starts[k]..starts[k + 1]` of the others, by ascending id.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pairs {
    pub starts: Vec<i64>,
    /// Ids.
    pub indices: Vec<i64>,
    pub distances: Vec<f64>,
}

/// All pairs of boids nearer than a radius, each from both sides; between nearest images in a world that wraps.
pub fn within(parameters: &Parameters, state: &State, radius: f64) -> Pairs {
    let points: Vec<[f64; 3]> = state.boids.iter().map(|boid| boid.position).collect();
    let tree = Tree::new(&points, Space::new(&Rule::<f64>::new(parameters)));
    let mut rows: Vec<(usize, Vec<(i64, f64)>)> =
        (0..points.len()).into_par_iter().map(|me| (tree.ids[me], row(&tree, me, radius * radius))).collect();
    rows.par_sort_unstable_by_key(|(id, _)| *id);
    let mut pairs = Pairs { starts: vec![0], ..Pairs::default() };
    for (_, row) in rows {
        pairs.indices.extend(row.iter().map(|(id, _)| id));
        pairs.distances.extend(row.iter().map(|(_, square)| square.sqrt()));
        pairs.starts.push(pairs.indices.len() as i64);
    }
    pairs
}

/// The ids of the others within a squared distance, and theirs.
fn row(tree: &Tree, me: usize, square: f64) -> Vec<(i64, f64)> {
    let mut row = Vec::new();
    search(tree, me, &mut |found, other| {
        // The search begins without a bound.
        if found < square {
            row.push((tree.ids[other] as i64, found));
        }
        square
    });
    row.sort_unstable_by_key(|(id, _)| *id);
    row
}
