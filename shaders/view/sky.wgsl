// The background: one triangle that covers the picture.

struct Corner {
    @builtin(position) clip: vec4<f32>,
    @location(0) pointer: vec2<f32>,
}

@vertex
fn sky_vertex(@builtin(vertex_index) index: u32) -> Corner {
    let pointer = vec2<f32>(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0);
    return Corner(vec4<f32>(pointer, 0.0, 1.0), pointer);
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
fn sky_fragment(corner: Corner) -> @location(0) vec4<f32> {
    let across = view.right.xyz * corner.pointer.x + view.up.xyz * corner.pointer.y;
    var colour = paper(corner.pointer.y);
    if !flat_world() {
        colour = sky(normalize(view.forward.xyz + across));
    }
    // Half an 8-bit step up or down, before rounding.
    let dithered = to_srgb(colour) + (threshold(corner.clip.xy) - 0.5) / 255.0;
    if view.mode.z == 1u {
        return vec4<f32>(from_srgb(max(dithered, vec3<f32>(0.0))), 1.0);
    }
    return vec4<f32>(dithered, 1.0);
}
