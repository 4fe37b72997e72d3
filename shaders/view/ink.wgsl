// The boids in front of a surface, as accumulated by coverage.wgsl.

// A copy of the sums: software adapters read a texture several times faster than a buffer.
@group(0) @binding(1) var ink: texture_2d<u32>;
// Per corner of tiles: the factors of the coverage in the four tiles around it.
@group(0) @binding(2) var gains: texture_2d<f32>;
// Square roots of linear light: crates/scene/src/layers.rs.
@group(0) @binding(3) var backdrop: texture_2d<f32>;

// The factor at a pixel of the grid, interpolated between the four tiles around it.
fn gain_at(pixel: vec2<u32>) -> f32 {
    let place = (vec2<f32>(pixel) + 0.5) / f32(TILE) + 0.5;
    let part = fract(place);
    let four = textureLoad(gains, vec2<u32>(place), 0);
    let rows = mix(four.xz, four.yw, part.x);
    return mix(rows.x, rows.y, part.y);
}

// Colour and cover of the boids at a pixel of the picture; `scale` is the scale of the coverage.
fn boids_at(pixel: vec2<f32>, scale: Scale, dusk: bool) -> vec4<f32> {
    let place = vec2<u32>(pixel) >> vec2<u32>(scale.shift);
    let words = textureLoad(ink, place, 0);
    var boids = vec4<f32>(0.0);
    // A loop that runs at most once is a branch, which software adapters skip if there is no ink.
    for (var once = (words.x | words.y) != 0u; once; once = false) {
        let unit = scale.unit * gain_at(place);
        let sums = vec4<f32>(words);
        let all = sums.x + sums.y;
        let across = (sums.y - sums.x) / all;
        // Layers of ink add up: each transmits a part of the light.
        let birds = vec4<f32>(ink_colour(across, scale.light), 1.0 - exp(-all * unit));
        let cones = vec4<f32>(sums.yzw / max(sums.x, 1.0), min(sums.x * unit, 1.0));
        boids = select(cones, birds, dusk);
    }
    return boids;
}

// A colour with the boids in front of it.
fn with_boids(colour: vec3<f32>, pixel: vec2<f32>, scale: Scale, dusk: bool) -> vec3<f32> {
    let boids = boids_at(pixel, scale, dusk);
    return mix(colour, boids.rgb, boids.a);
}
