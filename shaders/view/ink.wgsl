// What lies before a surface: the boids that are accumulated in coverage.wgsl; none where the device cannot compute it.

// A copy of the sums: software adapters read a texture several times faster than a buffer.
@group(0) @binding(1) var ink: texture_2d<u32>;
// Square roots of linear light: src/view/scene/backdrop.rs.
@group(0) @binding(2) var backdrop: texture_2d<f32>;

// The colour of the boids at a pixel of the picture, and what they cover of it; `scale` is that of the coverage.
fn boids_at(pixel: vec2<f32>, scale: Scale, dusk: bool) -> vec4<f32> {
    let words = textureLoad(ink, vec2<u32>(pixel) >> vec2<u32>(scale.shift), 0);
    if dusk {
        var boids = vec4<f32>(0.0);
        // A loop that runs at most once is a branch that software adapters skip where there is no ink.
        for (var once = (words.x | words.y) != 0u; once; once = false) {
            let sides = vec2<f32>(words.xy);
            let all = sides.x + sides.y;
            let across = (sides.y - sides.x) / all;
            // Layers of ink add up: each lets a part of the light through.
            boids = vec4<f32>(ink_colour(across), 1.0 - exp(-all * scale.unit));
        }
        return boids;
    }
    let sums = vec4<f32>(words);
    return vec4<f32>(sums.yzw / max(sums.x, 1.0), min(sums.x * scale.unit, 1.0));
}

// The part of a surface that shows between the boids before it.
fn uncovered(pixel: vec2<f32>, scale: Scale, dusk: bool) -> f32 {
    return 1.0 - boids_at(pixel, scale, dusk).a;
}

// A colour with the boids before it.
fn with_boids(colour: vec3<f32>, pixel: vec2<f32>, scale: Scale, dusk: bool) -> vec3<f32> {
    let boids = boids_at(pixel, scale, dusk);
    return mix(colour, boids.rgb, boids.a);
}
