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

// The integer part of a / b, for a below 2^20: devices divide integers slowly, and the half keeps any rounding of the
// quotient away from whole numbers.
fn quotient(a: vec3<u32>, b: vec3<u32>) -> vec3<u32> {
    return vec3<u32>((vec3<f32>(a) + 0.5) / vec3<f32>(b));
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
    let next = cell + k;
    return select(select(next - 1u, 0u, next > dim), dim - 1u, next == 0u);
}

// The k-th stretch of cells, in ascending order, that boids in the cells from_x to to_x of a row look into along it,
// and the cell after the last: over the end of the box on to its beginning (0), around themselves (1), over the
// beginning back to the end (2). They are empty where they are part of the one around.
fn span(from_x: u32, to_x: u32, dim: u32, k: u32) -> vec2<u32> {
    if (k == 1u) {
        return select(vec2<u32>(max(from_x, 1u) - 1u, min(to_x + 2u, dim)), vec2<u32>(0u, dim), dim <= 3u);
    }
    let beyond = dim > 3u && select(to_x + 2u < dim, from_x > 1u, k == 0u);
    let cell = select(dim - 1u, 0u, k == 0u);
    return vec2<u32>(cell, cell + select(0u, 1u, beyond));
}

// The first and the last of them.
fn first_span(to_x: u32, dim: u32) -> u32 {
    return select(1u, 0u, to_x + 1u == dim);
}

fn last_span(from_x: u32) -> u32 {
    return select(1u, 2u, from_x == 0u);
}
