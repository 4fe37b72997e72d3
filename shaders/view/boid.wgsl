// Appearance of a boid: its colour, direction and size.

struct Boid {
    // x, y, z, bias.
    @location(0) position: vec4<f32>,
    // x, y, z, then the number of neighbours, or -1 at rest.
    @location(1) velocity: vec4<f32>,
    // id, group | rest << 3, bits of the bank.
    @location(2) tag: vec3<u32>,
}

const BY_HEADING: u32 = 0u;
const BY_POSITION: u32 = 1u;
const BY_SPEED: u32 = 2u;
const BY_DENSITY: u32 = 3u;
const BY_TWILIGHT: u32 = 5u;
const BY_CIVIDIS: u32 = 6u;

// Colour ramp from cool and dark over teal to warm and light, for t in [0, 1]; perceptually uniform.
fn ramp(t: f32) -> vec3<f32> {
    let low = vec3<f32>(0.60, -0.020, -0.115);
    let middle = vec3<f32>(0.75, -0.085, 0.010);
    let high = vec3<f32>(0.90, 0.035, 0.105);
    let first = mix(low, middle, smoothstep(0.0, 0.5, t));
    return mix(first, high, smoothstep(0.5, 1.0, t));
}

// Grey, amber, teal, rose, lime, blue, brick, violet: they differ in lightness, too.
fn group_colour(group: u32) -> vec3<f32> {
    switch group {
        case 1u: { return vec3<f32>(0.80, 0.055, 0.125); }
        case 2u: { return vec3<f32>(0.78, -0.110, -0.060); }
        case 3u: { return vec3<f32>(0.70, 0.190, -0.040); }
        case 4u: { return vec3<f32>(0.90, -0.120, 0.160); }
        case 5u: { return vec3<f32>(0.56, -0.030, -0.180); }
        case 6u: { return vec3<f32>(0.56, 0.150, 0.085); }
        case 7u: { return vec3<f32>(0.74, 0.080, -0.120); }
        default: { return vec3<f32>(0.72, -0.008, -0.030); }
    }
}

fn boid_colour(boid: Boid, heading: vec3<f32>, speed: f32) -> vec3<f32> {
    let swift = clamp((speed - view.measure.x) * view.measure.y, 0.0, 1.0);
    // Compressed, so that boids outside the world keep their hue and stay in the gamut.
    let offset = (boid.position.xyz - view.centre.xyz) * view.scale.xyz;
    let p = offset / (1.0 + 0.35 * abs(offset));
    let density = max(boid.velocity.w, 0.0) * view.measure.z;
    let along_ramp = select(swift, density / (1.0 + density), view.mode.x == BY_DENSITY);
    // The heading gives OKLab's two colour axes: the hue circle is a compass.
    let by_heading = vec3<f32>(0.73 + 0.10 * heading.z, 0.125 * heading.x, 0.125 * heading.y);
    let by_position = vec3<f32>(0.73 + 0.14 * p.z, 0.15 * p.x, 0.15 * p.y);
    // No part lies between red and green, which many people cannot distinguish.
    let by_twilight = vec3<f32>(0.70 + 0.18 * heading.y, 0.0, 0.125 * heading.x);
    let by_cividis = mix(vec3<f32>(0.46, -0.010, -0.095), vec3<f32>(0.92, -0.015, 0.140), swift);
    let on_ramp = (view.mode.x == BY_SPEED) | (view.mode.x == BY_DENSITY);
    var lab = group_colour(boid.tag.y & 7u);
    lab = select(lab, ramp(along_ramp), on_ramp);
    lab = select(lab, by_heading, view.mode.x == BY_HEADING);
    lab = select(lab, by_position, view.mode.x == BY_POSITION);
    lab = select(lab, by_twilight, view.mode.x == BY_TWILIGHT);
    lab = select(lab, by_cividis, view.mode.x == BY_CIVIDIS);
    // Darker and more saturated on a light ground.
    let on_paper = vec3<f32>(0.10 + 0.62 * lab.x, 1.25 * lab.yz);
    return from_oklab(select(lab, on_paper, view.mode.w == PAPER));
}

// Ink of birds against a bright sky: cool if they fly to the picture's left, warm to its right, `across` from -1 to 1.
// In the blue hour nothing warm is left to light them.
const BLUE_INK: vec3<f32> = vec3<f32>(0.0035, 0.0050, 0.0110);

fn ink_colour(across: f32, light: f32) -> vec3<f32> {
    let gold = mix(vec3<f32>(0.0045, 0.0105, 0.0300), vec3<f32>(0.0330, 0.0150, 0.0090), 0.5 + 0.5 * across);
    return mix(gold, BLUE_INK, 0.8 * light);
}

// The component of a heading towards the picture's right.
fn across_picture(heading: vec3<f32>) -> f32 { return dot(heading, normalize(view.right.xyz)); }

// Length covered by a pixel at a position.
fn pixel_at(position: vec3<f32>) -> f32 {
    let depth = dot(position - view.eye.xyz, view.forward.xyz);
    return view.eye.w * select(max(depth, 0.0), 1.0, flat_world());
}

// The direction of a boid; a boid at rest sits upright.
fn heading_of(boid: Boid, speed: f32) -> vec3<f32> {
    if speed > 0.0 {
        return boid.velocity.xyz / speed;
    }
    return select(vec3<f32>(0.0, 0.0, 1.0), vec3<f32>(0.0, -1.0, 0.0), flat_world());
}

fn resting(boid: Boid) -> bool { return boid.velocity.w < 0.0; }

// The length of a boid, which is smaller at rest.
fn length_of(boid: Boid) -> f32 { return view.boid.x * select(1.0, 0.7, resting(boid)); }

// A pseudorandom number in [0, 1) for an integer (PCG, Jarzynski and Olano 2020).
fn share_of(number: u32) -> f32 {
    let state = number * 747796405u + 2891336453u;
    let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return f32(((word >> 22u) ^ word) >> 8u) * 0x1p-24f;
}

// A bird's left and up axes, rolled to its left about the heading by an angle with a given tangent.
struct Wings {
    side: vec3<f32>,
    upwards: vec3<f32>,
}

fn wings_of(heading: vec3<f32>, bank: f32) -> Wings {
    let side = perpendicular(vec3<f32>(0.0, 0.0, 1.0), heading);
    let upwards = cross(heading, side);
    let level = inverseSqrt(1.0 + bank * bank);
    return Wings(level * (side - bank * upwards), level * (upwards + bank * side));
}

// The beat of a bird's wings, from -1 to 1, with a phase by id. There are `beats` whole beats in 64 steps of 256 parts,
// so the count may wrap there.
fn beat(id: u32, beats: f32) -> f32 {
    return sin(6.2831853 * (share_of(id) + f32(view.counts.z) * (beats / 16384.0)));
}

// Elevation of a flock bird's wings, as the sine of the angle.
fn bird_raised(id: u32) -> f32 { return 0.12 + 0.45 * beat(id, 6.0); }

// A vertex of a bird of a span, with wings turned about the body by the sine `raised`.
fn bird_corner(place: vec3<f32>, heading: vec3<f32>, wings: Wings, span: f32, raised: f32, corner: Corner) -> vec4<f32> {
    let wing = corner.place.y * sqrt(1.0 - raised * raised);
    let lift = corner.place.z + abs(corner.place.y) * raised;
    let offset = heading * corner.place.x + wings.side * wing + wings.upwards * lift;
    return view.view_projection * vec4<f32>(place + span * offset, 1.0);
}

// Lit colour of a boid on a surface with this normal.
fn lit_colour(boid: Boid, heading: vec3<f32>, speed: f32, normal: vec3<f32>) -> vec3<f32> {
    let colour = shaded(boid_colour(boid, heading, speed), normal);
    return colour * select(1.0, 0.4, resting(boid));
}
