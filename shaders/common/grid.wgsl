// Twin of flock/src/grid.rs: space is cut into cells, and the cells of all space are folded into a box of them.

// How many cells away from cell 0 are told apart.
const LIMIT: u32 = 8192u;

struct Grid {
    // Where cell 0 begins; w unused.
    origin: vec4<Number>,
    // Cells a unit of length; w unused.
    inverse: vec4<Number>,
    // Cells an axis, and all of them.
    dims: vec4<u32>,
    // A multiple of dims at least as large as LIMIT, to fold without negative numbers; w unused.
    fold: vec4<u32>,
}

// Cells lie in rows along x.
fn cell_index(cell: vec3<u32>) -> u32 {
    return (cell.z * grid.dims.y + cell.y) * grid.dims.x + cell.x;
}

// How many cells of an axis are visited: with three or fewer the whole axis, each once.
fn visited(dim: u32) -> u32 {
    return min(dim, 3u);
}

// The k-th visited cell about a cell on an axis.
fn neighbour(cell: u32, k: u32, dim: u32) -> u32 {
    if (dim <= 3u) {
        return k;
    }
    return (cell + k + dim - 1u) % dim;
}
