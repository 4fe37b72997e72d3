// Shared by all drawing shaders: the view, the sky, colours. Twin of src/view/scene/uniform.rs.

struct View {
    view_projection: mat4x4<f32>,
    // The picture's axes in the world. `right` and `up` are as long as half the picture at depth 1; forward.w is the
    // distance from eye to target.
    right: vec4<f32>,
    up: vec4<f32>,
    forward: vec4<f32>,
    // w: units of length that a pixel covers, at depth 1 in space, at any depth when flat.
    eye: vec4<f32>,
    // Direction towards the light; w: fog, 0 none, 1 thick.
    light: vec4<f32>,
    // Colour by position: (position - centre) * scale lies in about [-1, 1].
    centre: vec4<f32>,
    scale: vec4<f32>,
    // Least speed, 1 / range of speeds, 1 / a typical number of neighbours, unused.
    measure: vec4<f32>,
    // A boid's length, width and least length in pixels, unused.
    boid: vec4<f32>,
    // Colour mode, 1 when flat, 1 when the target stores sRGB by itself, unused.
    mode: vec4<u32>,
}

@group(0) @binding(0) var<uniform> view: View;

fn flat_world() -> bool {
    return view.mode.y == 1u;
}

// Linear light from OKLab (Ottosson 2020): lightness, green-red, blue-yellow. Colours out of gamut are cut.
fn from_oklab(lab: vec3<f32>) -> vec3<f32> {
    let l = lab.x + 0.3963377774 * lab.y + 0.2158037573 * lab.z;
    let m = lab.x - 0.1055613458 * lab.y - 0.0638541728 * lab.z;
    let s = lab.x - 0.0894841775 * lab.y - 1.2914855480 * lab.z;
    let c = vec3<f32>(l * l * l, m * m * m, s * s * s);
    let rgb = vec3<f32>(
        4.0767416621 * c.x - 3.3077115913 * c.y + 0.2309699292 * c.z,
        -1.2684380046 * c.x + 2.6097574011 * c.y - 0.3413193965 * c.z,
        -0.0041960863 * c.x - 0.7034186147 * c.y + 1.7076147010 * c.z,
    );
    return clamp(rgb, vec3<f32>(0.0), vec3<f32>(1.0));
}

// The sky at dusk in a direction of length 1: an afterglow low in the west (-x), night above, dark land below.
fn sky(direction: vec3<f32>) -> vec3<f32> {
    let height = direction.z;
    let above = max(height, 0.0);
    let west = 0.5 - 0.5 * direction.x;
    let night = vec3<f32>(0.006, 0.011, 0.034);
    let blue = vec3<f32>(0.026, 0.043, 0.108);
    let rose = vec3<f32>(0.170, 0.088, 0.110);
    let gold = vec3<f32>(0.420, 0.190, 0.085);
    let upper = mix(night, blue, exp2(-3.2 * above));
    let low = mix(upper, rose, exp2(-8.0 * above) * (0.45 + 0.55 * west));
    let glow = mix(low, gold, exp2(-22.0 * above) * west * west * 0.8);
    let land = vec3<f32>(0.0095, 0.0115, 0.0240);
    return mix(glow, land, smoothstep(-0.02, 0.24, -height));
}

// The background of a flat world; `height` runs from -1 at the bottom to 1 at the top of the picture.
fn paper(height: f32) -> vec3<f32> {
    return mix(vec3<f32>(0.0120, 0.0125, 0.0240), vec3<f32>(0.0175, 0.0215, 0.0430), 0.5 + 0.5 * height);
}

// The part of an object that fog hides at a distance from the eye, 0 to 1.
fn fog(distance: f32) -> f32 {
    let reach = max(view.forward.w, 1e-6);
    return 1.0 - exp(-view.light.w * max(distance / reach - 0.45, 0.0));
}

// Light on a surface: a warm key light, the sky from above, a little ambient light. `normal` has length 1.
fn shaded(colour: vec3<f32>, normal: vec3<f32>) -> vec3<f32> {
    let key = max(dot(normal, view.light.xyz), 0.0);
    let above = select(normal.z, -normal.z, flat_world());
    let ambient = 0.36 + 0.16 * above;
    return colour * (ambient * vec3<f32>(0.86, 0.93, 1.10) + key * vec3<f32>(0.98, 0.88, 0.76));
}

fn to_srgb(linear: vec3<f32>) -> vec3<f32> {
    let c = clamp(linear, vec3<f32>(0.0), vec3<f32>(1.0));
    return select(1.055 * pow(c, vec3<f32>(1.0 / 2.4)) - 0.055, 12.92 * c, c <= vec3<f32>(0.0031308));
}

fn from_srgb(srgb: vec3<f32>) -> vec3<f32> {
    return select(pow((srgb + 0.055) / 1.055, vec3<f32>(2.4)), srgb / 12.92, srgb <= vec3<f32>(0.04045));
}

// The value to write: linear light where the target encodes sRGB itself, else sRGB.
fn to_target(linear: vec3<f32>) -> vec4<f32> {
    if view.mode.z == 1u {
        return vec4<f32>(linear, 1.0);
    }
    return vec4<f32>(to_srgb(linear), 1.0);
}
