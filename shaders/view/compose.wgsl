// The backdrop with the boids in front of it.

// True if the target encodes sRGB by itself.
override ENCODES: bool = true;

// Thresholds in (0, 1) of ordered dithering, which hides the steps of a gradient: an 8 by 8 Bayer matrix. It repeats,
// so pictures compress well.
fn threshold(pixel: vec2<f32>) -> f32 {
    let x = u32(pixel.x);
    let y = u32(pixel.y);
    let d = x ^ y;
    // The bits of d and y interleaved, lowest first.
    let order = ((d & 1u) << 5u) | ((y & 1u) << 4u) | ((d & 2u) << 2u) | ((y & 2u) << 1u) | ((d & 4u) >> 1u) | ((y & 4u) >> 2u);
    return (f32(order) + 0.5) / 64.0;
}

// sRGB from square roots of linear light, to a tenth of an 8-bit step: `pow` took software adapters 20 % of the pass.
fn srgb_from_root(root: vec3<f32>) -> vec3<f32> {
    let curve = -0.07690 + 0.29811 * sqrt(root) + 0.83375 * root - 0.05532 * root * root;
    return select(curve, 12.92 * root * root, root <= vec3<f32>(0.05595));
}

// The value to write for a colour at a pixel before a backdrop of this root.
fn dithered(colour: vec3<f32>, root: vec3<f32>, pixel: vec2<f32>) -> vec4<f32> {
    // Half an 8-bit step up or down, before rounding.
    let step = (threshold(pixel) - 0.5) / 255.0;
    if ENCODES {
        // The slope of the sRGB curve is about twice the root.
        return vec4<f32>(max(colour + step * max(2.0 * root, vec3<f32>(0.08)), vec3<f32>(0.0)), 1.0);
    }
    return vec4<f32>(srgb_from_root(sqrt(colour)) + step, 1.0);
}

@fragment
fn compose_fragment(pixel: Pixel) -> @location(0) vec4<f32> {
    let root = textureLoad(backdrop, vec2<i32>(pixel.at.xy), 0).rgb;
    let colour = with_boids(root * root, pixel.at.xy, Scale(pixel.shift, pixel.unit, pixel.light), BIRDS);
    return dithered(colour, root, pixel.at.xy);
}
