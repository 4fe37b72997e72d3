// Twin of flock/src/grid.rs: space is divided into cells, which are folded into a box of cells.
//!include written/constants.wgsl
//!include written/Grid.wgsl

@group(0) @binding(12) var<uniform> grid: Grid;

// A position in units of cells.
fn in_cells(position: Vector) -> Vector {
    return times_each(minus(position, grid.origin.xyz), grid.inverse.xyz);
}

// Folded coordinates of the cell that contains a position.
fn cell_of(position: Vector) -> vec3<u32> {
    let cell = vec3<u32>(whole_cells(in_cells(position), LIMIT) + vec3<i32>(grid.fold.xyz));
    return cell - quotient(cell, grid.dims.xyz) * grid.dims.xyz;
}

// Index of a cell; rows along x are contiguous.
fn cell_index(cell: vec3<u32>) -> u32 { return (cell.z * grid.dims.y + cell.y) * grid.dims.x + cell.x; }

// The integer part of a / b, for a below 2^20: devices divide integers slowly. Adding 0.5 keeps the rounding of the f32
// quotient away from integers.
fn quotient(a: vec3<u32>, b: vec3<u32>) -> vec3<u32> {
    return vec3<u32>((vec3<f32>(a) + 0.5) / vec3<f32>(b));
}

// Number of cells to visit along y or z: each cell of the axis once if it has three or fewer.
fn visited(dim: u32) -> u32 { return min(dim, 3u); }

// The k-th cell to visit around a cell on an axis.
fn neighbour(cell: u32, k: u32, dim: u32) -> u32 {
    if (dim <= 3u) {
        return k;
    }
    let next = cell + k;
    return select(select(next - 1u, 0u, next > dim), dim - 1u, next == 0u);
}

// The k-th span of cells, ascending, that boids in the cells from_x to to_x of a row search along it, as first and end.
// Span 1 is around the boids, span 0 wraps over the end of the box to its beginning, span 2 over the beginning to the
// end. Cells of span 1 are not part of the others.
fn span(from_x: u32, to_x: u32, dim: u32, k: u32) -> vec2<u32> {
    let whole = dim <= 2u * AROUND + 1u;
    let begin = select(max(from_x, AROUND) - AROUND, 0u, whole);
    let end = select(min(to_x + AROUND + 1u, dim), dim, whole);
    let over_end = vec2<u32>(0u, min(max(to_x + AROUND + 1u, dim) - dim, begin));
    let over_beginning = vec2<u32>(max(dim - min(AROUND - min(from_x, AROUND), dim), end), dim);
    return select(select(over_beginning, vec2<u32>(begin, end), k == 1u), over_end, k == 0u);
}

// The first and the last span that may contain a cell.
fn first_span(to_x: u32, dim: u32) -> u32 { return select(1u, 0u, to_x + AROUND >= dim); }

fn last_span(from_x: u32) -> u32 { return select(1u, 2u, from_x < AROUND); }
