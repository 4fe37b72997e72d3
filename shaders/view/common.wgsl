// The view, the sky, colours, and shared code of the passes. The files of this folder are one module: the passes differ
// in their entry points. Twin of crates/scene/src/uniform.rs.

struct View {
    view_projection: mat4x4<f32>,
    // The picture's axes in the world. `right` and `up` have the length of half the picture at depth 1; forward.w is
    // the distance from eye to target; right.w the time in turns of the ripples, from 0 to 1; up.w the light of dusk,
    // from 0 (gold) to 1 (blue).
    right: vec4<f32>,
    up: vec4<f32>,
    forward: vec4<f32>,
    // w: length covered by a pixel, at depth 1 in space, at any depth in a flat world.
    eye: vec4<f32>,
    // Direction towards the light; w: fog, from 0 (none) to 1 (thick).
    light: vec4<f32>,
    // Colour by position: (position - centre) * scale lies in about [-1, 1]; centre.w is the decay factor of a trail
    // since the last picture; scale.w is the time from then on for which boids leave a trail.
    centre: vec4<f32>,
    scale: vec4<f32>,
    // Minimum speed, 1 / range of speeds, 1 / a typical number of neighbours, time by which boids are extrapolated.
    measure: vec4<f32>,
    // Length of a boid, width / length, minimum length in pixels, wing span / length.
    boid: vec4<f32>,
    // Coverage grid: columns, rows; units of a full coverage; length in grid pixels above which boids are meshes.
    grid: vec4<f32>,
    // Colour mode, 1 if flat, 1 if the target encodes sRGB by itself, the appearance.
    mode: vec4<u32>,
    // Binary logarithm of picture pixels along a side of a grid pixel, maximum boids drawn as meshes, step, row stride
    // of the coverage in grid pixels.
    counts: vec4<u32>,
    // Decay factor of the bank since the last picture, and the tangent of the bank that a turn by one radian since then
    // adds; decay factor of the exposure; 1 if banks are indexed by buffer index, not by id.
    bank: vec4<f32>,
    // The view projection of the last picture, for trails.
    before: mat4x4<f32>,
}

@group(0) @binding(0) var<uniform> given_view: View;

// A copy that each entry point makes first: software adapters reload a uniform at each use. No branch and no loop may
// depend on uniforms alone: Mesa's llvmpipe compiles such a shader again for each picture whose values differ, and keeps
// the old ones. `select` and `&` are no branches.
var<private> view: View;

// True if birds are drawn, else cones. A pipeline constant: software adapters run both sides of a branch.
override BIRDS: bool = true;

// A vertex of a mesh.
struct Corner {
    // In the body's frame: x forward, z up, length 1 from tail to tip.
    @location(3) place: vec4<f32>,
    @location(4) normal: vec4<f32>,
}

// Scale of the coverage: binary logarithm of picture pixels along a side of a grid pixel, full coverage of one unit; and
// the light of dusk, which sets the colour of ink.
struct Scale {
    shift: u32,
    unit: f32,
    light: f32,
}

fn coverage_scale() -> Scale { return Scale(view.counts.x, 1.0 / view.grid.z, view.up.w); }

// A pixel of a full-screen pass.
struct Pixel {
    @builtin(position) at: vec4<f32>,
    // In device coordinates.
    @location(0) pointer: vec2<f32>,
    // The fields of the view that such passes need: software adapters reload a uniform for every pixel.
    @location(1) @interpolate(flat) shift: u32,
    @location(2) @interpolate(flat) unit: f32,
    // Decay factor of a trail since the last picture.
    @location(3) @interpolate(flat) left: f32,
    // The light of dusk.
    @location(4) @interpolate(flat) light: f32,
}

// A corner of a triangle that covers the picture, in device coordinates.
fn corner_of(index: u32) -> vec2<f32> {
    return vec2<f32>(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0);
}

@vertex
fn pixel_vertex(@builtin(vertex_index) index: u32) -> Pixel {
    view = given_view;
    let pointer = corner_of(index);
    let scale = coverage_scale();
    return Pixel(vec4<f32>(pointer, 0.0, 1.0), pointer, scale.shift, scale.unit, view.centre.w, scale.light);
}

fn flat_world() -> bool { return view.mode.y == 1u; }

// Upper side of bodies: towards the sky, or out of the picture of a flat world.
fn top() -> vec3<f32> { return vec3<f32>(0.0, 0.0, select(1.0, -1.0, flat_world())); }

// A unit vector perpendicular to a direction and the heading.
fn perpendicular(direction: vec3<f32>, heading: vec3<f32>) -> vec3<f32> {
    let side = cross(direction, heading);
    let square = dot(side, side);
    if square < 1e-6 {
        return vec3<f32>(0.0, 1.0, 0.0);
    }
    return side * inverseSqrt(square);
}

// The axes of a level body: forward, left, up.
fn axes_of(heading: vec3<f32>) -> mat3x3<f32> {
    let side = perpendicular(top(), heading);
    return mat3x3<f32>(heading, side, cross(heading, side));
}

// Appearances: see crates/config/src/view.rs.
const DUSK: u32 = 0u;
const PAPER: u32 = 2u;
const WATER: u32 = 3u;

fn at_dusk() -> bool { return view.mode.w == DUSK; }

// Linear light from OKLab (Ottosson 2020): lightness, green-red, blue-yellow. Colours out of gamut are clamped.
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

// The sunset: a horizontal direction, that of the camera's initial view.
const SUNSET: vec2<f32> = vec2<f32>(0.764842, 0.644218);

// The degree to which a direction faces the sunset, 0 to 1.
fn towards_sunset(direction: vec3<f32>) -> f32 {
    let level = max(length(direction.xy), 1e-6);
    return smoothstep(-0.75, 0.95, dot(direction.xy, SUNSET) / level);
}

// The blue hour in a direction of length 1, as square roots of linear light: deep blue above, pale at the horizon, with
// the last rose of the day in the west.
fn blue_hour(height: f32, west: f32) -> vec3<f32> {
    let low = mix(vec3<f32>(0.270, 0.335, 0.500), vec3<f32>(0.430, 0.475, 0.620), west);
    let root = mix(vec3<f32>(0.105, 0.160, 0.345), low, exp2(-4.5 * height));
    return root + west * exp2(-22.0 * height) * vec3<f32>(0.150, 0.060, 0.010);
}

// The sky after sunset in a direction of length 1: slate blue above, mauve, apricot at the horizon; pale rose in the
// east. The colours are square roots of linear light, which mix as the eye expects; steps are sines of elevation.
fn dusk_sky(direction: vec3<f32>) -> vec3<f32> {
    let west = towards_sunset(direction);
    let zenith = mix(vec3<f32>(0.251, 0.306, 0.478), vec3<f32>(0.267, 0.333, 0.510), west);
    let slate = mix(vec3<f32>(0.380, 0.420, 0.545), vec3<f32>(0.480, 0.470, 0.605), west);
    let mauve = mix(vec3<f32>(0.545, 0.525, 0.600), vec3<f32>(0.720, 0.590, 0.605), west);
    let peach = mix(vec3<f32>(0.695, 0.590, 0.610), vec3<f32>(0.925, 0.685, 0.510), west);
    let glow = mix(vec3<f32>(0.705, 0.620, 0.640), vec3<f32>(0.995, 0.805, 0.530), west);
    let low = mix(vec3<f32>(0.590, 0.580, 0.640), vec3<f32>(0.990, 0.750, 0.460), west);
    let height = max(direction.z, 0.0);
    var root = mix(low, glow, smoothstep(0.0, 0.061, height));
    root = mix(root, peach, saturate((height - 0.061) / 0.095));
    root = mix(root, mauve, saturate((height - 0.156) / 0.136));
    root = mix(root, slate, saturate((height - 0.292) / 0.162));
    root = mix(root, zenith, saturate((height - 0.454) / 0.215));
    let near_sun = dot(direction.xy, SUNSET) + 0.03 * height;
    root += exp(14.0 * (near_sun - 1.0)) * vec3<f32>(0.10, 0.075, 0.035);
    root = mix(root, blue_hour(height, west), view.up.w);
    return root * root;
}

// A calm dark ground, slightly brighter at the horizon, to show which way is up.
fn dark_ground(direction: vec3<f32>) -> vec3<f32> {
    let height = abs(direction.z);
    let far = select(vec3<f32>(0.0080, 0.0086, 0.0125), vec3<f32>(0.0115, 0.0140, 0.0230), direction.z > 0.0);
    let level = vec3<f32>(0.0250, 0.0300, 0.0460);
    return mix(far, level, exp2(-5.0 * height));
}

// Near-white, for print.
const PAPER_WHITE: vec3<f32> = vec3<f32>(0.955, 0.955, 0.948);

// Water lit from above: bright below the surface, blue-green ahead, nearly black below.
fn water(direction: vec3<f32>) -> vec3<f32> {
    let up = direction.z;
    var root = mix(vec3<f32>(0.105, 0.300, 0.345), vec3<f32>(0.030, 0.095, 0.140), smoothstep(0.10, -0.60, up));
    root = mix(root, vec3<f32>(0.300, 0.590, 0.600), smoothstep(0.0, 0.70, up));
    root = mix(root, vec3<f32>(0.720, 0.900, 0.860), smoothstep(0.60, 1.0, up));
    return root * root;
}

fn sky(direction: vec3<f32>) -> vec3<f32> {
    var colour = dark_ground(direction);
    colour = select(colour, dusk_sky(direction), at_dusk());
    colour = select(colour, PAPER_WHITE, view.mode.w == PAPER);
    return select(colour, water(direction), view.mode.w == WATER);
}

// The dark ground of a flat world; `height` runs from -1 at the bottom to 1 at the top of the picture.
fn dark_plane(height: f32) -> vec3<f32> {
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

// The value to write: linear light if the target encodes sRGB itself, else sRGB.
fn to_target(linear: vec3<f32>) -> vec4<f32> {
    return vec4<f32>(select(to_srgb(linear), linear, view.mode.z == 1u), 1.0);
}
