// Twin of flock/src/grid.rs: which cell a position lies in.

// How many cells from the first one a position lies.
fn cells_to(position: vec3<i32>) -> vec3<i32> {
    let offset = minus(position, grid.origin.xyz);
    return vec3<i32>(
        multiply(offset.x, grid.inverse.x),
        multiply(offset.y, grid.inverse.y),
        multiply(offset.z, grid.inverse.z),
    );
}

// The coordinates of the cell that a position lies in, folded.
fn cell_of(position: vec3<i32>) -> vec3<u32> {
    let most = vec3<i32>(i32(LIMIT));
    let shifted = clamp(cells_to(position) >> vec3<u32>(FRACTION), -most, most) + vec3<i32>(grid.fold.xyz);
    let cell = vec3<u32>(shifted);
    return cell - quotient(cell, grid.dims.xyz) * grid.dims.xyz;
}

// Where in its cell a position lies, in 1024ths.
fn within_cell(position: vec3<i32>) -> vec3<u32> {
    return vec3<u32>((cells_to(position) & vec3<i32>(ONE - 1)) >> vec3<u32>(FRACTION - 10u));
}
