// Trails: the coverage by boids in earlier pictures, fading. One pass fades the trails in front of the backdrop, and
// adds this picture's boids to the trails for the next one.

// Colour times cover, and cover, of the trails after the last picture.
@group(0) @binding(4) var old: texture_2d<f32>;

struct Layers {
    @location(0) trails: vec4<f32>,
    @location(1) behind: vec4<f32>,
}

@fragment
fn trails_fragment(pixel: Pixel) -> Layers {
    let root = textureLoad(backdrop, vec2<i32>(pixel.at.xy), 0).rgb;
    let before = pixel.left * textureLoad(old, vec2<i32>(pixel.at.xy), 0);
    let behind = root * root * (1.0 - before.a) + before.rgb;
    let boids = boids_at(pixel.at.xy, Scale(pixel.shift, pixel.unit, pixel.light), BIRDS);
    // The greater cover wins, so that a hovering flock grows no darker; colours mix.
    let cover = max(before.a, boids.a);
    let colour = (before.rgb + boids.rgb * boids.a) / max(before.a + boids.a, 1e-6);
    return Layers(vec4<f32>(cover * colour, cover), vec4<f32>(sqrt(behind), 1.0));
}
