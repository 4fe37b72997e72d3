// Trails: what boids covered in earlier pictures, less and less. One pass fades the trails before the backdrop, and adds
// the boids of this picture to the trails for the next one.

override BIRDS: bool = true;

// Square roots of linear light: src/view/scene/backdrop.rs.
@group(0) @binding(2) var backdrop: texture_2d<f32>;
// Colour times cover, and cover, of the trails as they were after the last picture.
@group(0) @binding(3) var old: texture_2d<f32>;

struct Corner {
    @builtin(position) at: vec4<f32>,
    @location(0) @interpolate(flat) shift: u32,
    @location(1) @interpolate(flat) unit: f32,
    // The part of a trail that is left since the last picture.
    @location(2) @interpolate(flat) left: f32,
}

struct Layers {
    @location(0) trails: vec4<f32>,
    @location(1) behind: vec4<f32>,
}

@vertex
fn trails_vertex(@builtin(vertex_index) index: u32) -> Corner {
    view = given_view;
    let clip = vec4<f32>(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
    let scale = coverage_scale();
    return Corner(clip, scale.shift, scale.unit, view.centre.w);
}

@fragment
fn trails_fragment(corner: Corner) -> Layers {
    let root = textureLoad(backdrop, vec2<i32>(corner.at.xy), 0).rgb;
    let before = corner.left * textureLoad(old, vec2<i32>(corner.at.xy), 0);
    let behind = root * root * (1.0 - before.a) + before.rgb;
    let boids = boids_at(corner.at.xy, Scale(corner.shift, corner.unit), BIRDS);
    // The greater cover stays, so that a flock that hovers grows no darker; colours mix.
    let cover = max(before.a, boids.a);
    let colour = (before.rgb + boids.rgb * boids.a) / max(before.a + boids.a, 1e-6);
    return Layers(vec4<f32>(cover * colour, cover), vec4<f32>(sqrt(behind), 1.0));
}
