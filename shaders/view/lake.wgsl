// The lake at dusk: the rows of the picture below the horizon, which mirror those above it, broken by ripples.
//
// Geometry: the eye is taken to be close to the water. A bird at an angle above the horizon is then mirrored at the same
// angle below it, as the sky is (sky.wgsl). Only ink that the picture holds is mirrored: no bird above its upper edge, none
// below the horizon, and no mesh. Ripples tilt the water, which moves what it mirrors up and down.

struct LakePixel {
    @builtin(position) at: vec4<f32>,
    // In device coordinates.
    @location(0) pointer: vec2<f32>,
    // Direction of sight at depth 1.
    @location(1) sight: vec3<f32>,
    @location(2) @interpolate(flat) scale: vec3<f32>,
    // The vertical component of `forward`, that of `up` over the square of its length, and half the picture's size.
    @location(3) @interpolate(flat) camera: vec4<f32>,
    // The phases of the waves, and the angle of a pixel.
    @location(4) @interpolate(flat) waves: vec4<f32>,
}

@vertex
fn lake_vertex(@builtin(vertex_index) index: u32) -> LakePixel {
    view = given_view;
    let pointer = corner_of(index);
    let sight = view.forward.xyz + view.right.xyz * pointer.x + view.up.xyz * pointer.y;
    let scale = coverage_scale();
    let half_size = 0.5 * vec2<f32>(textureDimensions(backdrop));
    let camera = vec4<f32>(view.forward.z, view.up.z / dot(view.up.xyz, view.up.xyz), half_size);
    let phases = 6.2831853 * fract(WAVE_TURNS * view.right.w);
    let shown = vec3<f32>(bitcast<f32>(scale.shift), scale.unit, scale.light);
    return LakePixel(vec4<f32>(pointer, 0.0, 1.0), pointer, sight, shown, camera, vec4<f32>(phases, view.eye.w));
}

// Whole numbers of periods of the waves in a turn of the ripples, and their wave numbers per height of the eye.
const WAVE_TURNS: vec3<f32> = vec3<f32>(23.0, 34.0, 57.0);
const LONG_WAVE: vec2<f32> = vec2<f32>(1.9, 1.5);
const MIDDLE_WAVE: vec2<f32> = vec2<f32>(3.1, -4.3);
const SHORT_WAVE: vec2<f32> = vec2<f32>(-11.0, 9.5);
// Offset by the steepest ripples, as a tangent of elevation.
const RIPPLE: f32 = 0.016;
// Elevations over which unresolved ripples spread, per depth; part of the ink's light loss that the mirror keeps.
const SPREAD: f32 = 0.05;
const MIRRORED: f32 = 0.80;

// The offset of what the water mirrors, as a tangent of elevation; `depth` is that of the angle below the horizon. The
// water is calm at the far shore, where waves are shorter than a pixel.
fn ripples(place: vec2<f32>, depth: f32, waves: vec4<f32>) -> f32 {
    let grain = waves.w / (depth * depth);
    let phases = vec3<f32>(dot(place, LONG_WAVE), dot(place, MIDDLE_WAVE), dot(place, SHORT_WAVE)) + waves.xyz;
    let seen = saturate(1.2 - grain * vec3<f32>(1.4, 3.0, 8.0));
    return RIPPLE * saturate(20.0 * depth) * dot(sin(phases), seen * vec3<f32>(0.40, 0.38, 0.30));
}

// The pixel of the picture in a direction with the horizontal part of this sight, so much higher.
fn raised(pixel: LakePixel, rise: f32) -> vec2<u32> {
    let near = 1.0 / max(1.0 + rise * pixel.camera.x, 0.05);
    let place = vec2<f32>(pixel.pointer.x, -pixel.pointer.y - rise * pixel.camera.y) * near;
    return vec2<u32>(min((1.0 + place) * pixel.camera.zw, 2.0 * pixel.camera.zw - 1.0));
}

// A colour of the water with the mirrored boids, whose ink is sampled at two elevations.
fn with_mirrored(water: vec3<f32>, pixel: LakePixel, scale: Scale, depth: f32, offset: f32) -> vec3<f32> {
    let shift = vec2<u32>(scale.shift);
    // Steeper parts of a ripple move what they mirror farther.
    let low = raised(pixel, (2.0 - SPREAD) * depth + 0.6 * offset) >> shift;
    let high = raised(pixel, (2.0 + SPREAD) * depth + 1.4 * offset) >> shift;
    let sums = vec2<f32>(textureLoad(ink, low, 0).xy) + vec2<f32>(textureLoad(ink, high, 0).xy);
    let all = sums.x + sums.y;
    var colour = water;
    // A loop that runs at most once is a branch, which software adapters skip if there is no ink.
    for (var once = all > 0.0; once; once = false) {
        let cover = 1.0 - exp(-0.5 * all * scale.unit * gain_at(low));
        // Towards the upper edge of the picture, and behind the camera, nothing is known.
        let known = saturate(f32(high.y << scale.shift) / (0.3 * pixel.camera.w))
            * saturate(8.0 + 16.0 * depth * pixel.camera.x);
        let mirrored = ink_colour((sums.y - sums.x) / all, scale.light) + 0.1 * water;
        colour = mix(water, mirrored, MIRRORED * known * cover);
    }
    return colour;
}

@fragment
fn lake_fragment(pixel: LakePixel) -> @location(0) vec4<f32> {
    let scale = Scale(bitcast<u32>(pixel.scale.x), pixel.scale.y, pixel.scale.z);
    let depth = max(-pixel.sight.z, 1e-5);
    let offset = ripples(pixel.sight.xy / depth, depth, pixel.waves);
    let root = textureLoad(backdrop, raised(pixel, -max(offset, -depth)), 0).rgb;
    let water = with_mirrored(root * root, pixel, scale, depth, offset);
    return dithered(with_boids(water, pixel.at.xy, scale, true), root, pixel.at.xy);
}
