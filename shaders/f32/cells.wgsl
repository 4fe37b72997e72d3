// Twin of flock/src/grid.rs: which cell a position lies in.

// How many cells from the first one a position lies.
fn cells_to(position: vec3<f32>) -> vec3<f32> {
    return (position - grid.origin.xyz) * grid.inverse.xyz;
}

// The coordinates of the cell that a position lies in, folded.
fn cell_of(position: vec3<f32>) -> vec3<u32> {
    let most = f32(LIMIT);
    let scaled = clamp(cells_to(position), vec3<f32>(-most), vec3<f32>(most));
    let shifted = vec3<i32>(floor(scaled)) + vec3<i32>(grid.fold.xyz);
    let cell = vec3<u32>(shifted);
    return cell - quotient(cell, grid.dims.xyz) * grid.dims.xyz;
}

// Where in its cell a position lies, in 1024ths.
fn within_cell(position: vec3<f32>) -> vec3<u32> {
    let scaled = cells_to(position);
    return vec3<u32>(clamp((scaled - floor(scaled)) * 1024.0, vec3<f32>(0.0), vec3<f32>(1023.0)));
}
