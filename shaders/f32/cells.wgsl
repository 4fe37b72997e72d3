// Twin of flock/src/grid.rs: which cell a position lies in.

// The coordinates of the cell that a position lies in, folded.
fn cell_of(position: vec3<f32>) -> vec3<u32> {
    let most = f32(LIMIT);
    let scaled = clamp((position - grid.origin.xyz) * grid.inverse.xyz, vec3<f32>(-most), vec3<f32>(most));
    let shifted = vec3<i32>(floor(scaled)) + vec3<i32>(grid.fold.xyz);
    let cell = vec3<u32>(shifted);
    return cell - quotient(cell, grid.dims.xyz) * grid.dims.xyz;
}
