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

// Noise that a picture can hide gradients' steps in: interleaved gradient noise (Jimenez 2014), in [0, 1).
fn grain(pixel: vec2<f32>) -> f32 {
    return fract(52.9829189 * fract(dot(pixel, vec2<f32>(0.06711056, 0.00583715))));
}

@fragment
fn sky_fragment(corner: Corner) -> @location(0) vec4<f32> {
    let across = view.right.xyz * corner.pointer.x + view.up.xyz * corner.pointer.y;
    var colour = paper(corner.pointer.y);
    if !flat_world() {
        colour = sky(normalize(view.forward.xyz + across));
    }
    // Half a step of 8 bits up or down, before rounding.
    let dithered = encoded(colour) + (grain(corner.clip.xy) - 0.5) / 255.0;
    if view.mode.z == 1u {
        return vec4<f32>(decoded(max(dithered, vec3<f32>(0.0))), 1.0);
    }
    return vec4<f32>(dithered, 1.0);
}
