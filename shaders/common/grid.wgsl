// Twin of flock/src/grid.rs: space is cut into cells, and the cells of all space are folded into a box of them.

struct Grid {
    // Where cell 0 begins; w: how many cells away from it are told apart.
    origin: vec4<f32>,
    // Cells a unit of length; w unused.
    inverse: vec4<f32>,
    // Cells an axis, and all of them.
    dims: vec4<u32>,
    // A multiple of dims at least as large as origin.w, to fold without negative numbers; w unused.
    fold: vec4<u32>,
}

// The coordinates of the cell that a position lies in, folded.
fn cell_of(position: vec3<f32>) -> vec3<u32> {
    let most = grid.origin.w;
    let scaled = clamp((position - grid.origin.xyz) * grid.inverse.xyz, vec3<f32>(-most), vec3<f32>(most));
    let shifted = vec3<i32>(floor(scaled)) + vec3<i32>(grid.fold.xyz);
    return vec3<u32>(shifted) % grid.dims.xyz;
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
