// What lies before a surface: the boids that are accumulated in coverage.wgsl.

@group(0) @binding(1) var<storage, read> ink: array<u32>;

// A colour with the boids before it, at a pixel of the picture.
fn with_boids(colour: vec3<f32>, pixel: vec2<f32>, dusk: bool) -> vec3<f32> {
    let cell = vec2<u32>(pixel) / view.counts.x;
    let at = cell.y * u32(view.grid.x) + cell.x;
    if dusk {
        let left = f32(ink[2u * at]);
        let right = f32(ink[2u * at + 1u]);
        let all = left + right;
        let across = (right - left) / max(all, 1.0);
        // Layers of ink add up: each lets a part of the light through.
        return mix(ink_colour(across), colour, exp(-all / view.grid.z));
    }
    let all = f32(ink[4u * at]);
    let sum = vec3<f32>(f32(ink[4u * at + 1u]), f32(ink[4u * at + 2u]), f32(ink[4u * at + 3u]));
    return mix(colour, sum / max(all, 1.0), min(all / view.grid.z, 1.0));
}
