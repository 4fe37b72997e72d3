// The walk along the ranges of sorted boids searched by the boids in the cells from `cell` to `to_x` of a row: span by
// span, row by row, plane by plane. Loops over it are post-tested, as in step_shared.wgsl.
struct Walk {
    cell: vec3<u32>,
    to_x: u32,
    // The first and the last span of a row.
    first: u32,
    last: u32,
    // Span, row and plane of the next range.
    k: u32,
    y: u32,
    z: u32,
}

fn walk_from(cell: vec3<u32>, to_x: u32) -> Walk {
    let first = first_span(to_x, grid.dims.x);
    return Walk(cell, to_x, first, last_span(cell.x), first, 0u, 0u);
}

// The next range: its first boid and its length; empty after the last range.
fn next_range(walk: ptr<function, Walk>) -> vec2<u32> {
    let w = *walk;
    let dims = grid.dims.xyz;
    let there = w.z < visited(dims.z);
    let z = select(0u, w.z, there);
    let row = cell_index(vec3<u32>(0u, neighbour(w.cell.y, w.y, dims.y), neighbour(w.cell.z, z, dims.z)));
    let cells = span(w.cell.x, w.to_x, dims.x, w.k) + row;
    let begin = starts[cells.x];
    let count = select(0u, starts[cells.y] - begin, there);
    let new_row = w.k == w.last;
    let new_plane = new_row & (w.y + 1u == visited(dims.y));
    (*walk).k = select(w.k + 1u, w.first, new_row);
    (*walk).y = select(select(w.y, w.y + 1u, new_row), 0u, new_plane);
    (*walk).z = select(w.z, w.z + 1u, new_plane);
    return vec2<u32>(begin, count);
}

fn ended(walk: Walk) -> bool { return walk.z >= visited(grid.dims.z); }
