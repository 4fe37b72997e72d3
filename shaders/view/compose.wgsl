// The backdrop with the boids before it: one triangle that covers the picture.

// What a pipeline knows when it is made: software adapters run both sides of a branch. Whether birds are shown, or cones;
// whether the target encodes sRGB by itself.
override BIRDS: bool = true;
override ENCODES: bool = true;

// Square roots of linear light: src/view/scene/backdrop.rs.
@group(0) @binding(2) var backdrop: texture_2d<f32>;

// The scale comes by way of the corners: software adapters read a uniform for every pixel anew.
struct Corner {
    @builtin(position) at: vec4<f32>,
    @location(0) @interpolate(flat) shift: u32,
    @location(1) @interpolate(flat) unit: f32,
}

@vertex
fn compose_vertex(@builtin(vertex_index) index: u32) -> Corner {
    view = given_view;
    let clip = vec4<f32>(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
    let scale = coverage_scale();
    return Corner(clip, scale.shift, scale.unit);
}

// Ordered dithering hides the steps of a gradient: thresholds in (0, 1), an 8 by 8 Bayer matrix. It repeats, so
// pictures compress well.
fn threshold(pixel: vec2<f32>) -> f32 {
    let x = u32(pixel.x);
    let y = u32(pixel.y);
    let d = x ^ y;
    // The bits of d and y interleaved, the lowest first.
    let order = ((d & 1u) << 5u) | ((y & 1u) << 4u) | ((d & 2u) << 2u) | ((y & 2u) << 1u) | ((d & 4u) >> 1u) | ((y & 4u) >> 2u);
    return (f32(order) + 0.5) / 64.0;
}

@fragment
fn compose_fragment(corner: Corner) -> @location(0) vec4<f32> {
    let root = textureLoad(backdrop, vec2<i32>(corner.at.xy), 0).rgb;
    let colour = with_boids(root * root, corner.at.xy, Scale(corner.shift, corner.unit), BIRDS);
    // Half an 8-bit step up or down, before rounding.
    let step = (threshold(corner.at.xy) - 0.5) / 255.0;
    if ENCODES {
        // The slope of the sRGB curve is about twice the root.
        return vec4<f32>(max(colour + step * max(2.0 * root, vec3<f32>(0.08)), vec3<f32>(0.0)), 1.0);
    }
    return vec4<f32>(to_srgb(colour) + step, 1.0);
}
