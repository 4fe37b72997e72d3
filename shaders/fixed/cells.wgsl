// Twin of flock/src/grid.rs: which cell a position lies in.

// The coordinates of the cell that a position lies in, folded.
fn cell_of(position: vec3<i32>) -> vec3<u32> {
    let most = vec3<i32>(i32(LIMIT));
    let offset = minus(position, grid.origin.xyz);
    let scaled = vec3<i32>(
        multiply(offset.x, grid.inverse.x),
        multiply(offset.y, grid.inverse.y),
        multiply(offset.z, grid.inverse.z),
    );
    let shifted = clamp(scaled >> vec3<u32>(FRACTION), -most, most) + vec3<i32>(grid.fold.xyz);
    let cell = vec3<u32>(shifted);
    return cell - quotient(cell, grid.dims.xyz) * grid.dims.xyz;
}
