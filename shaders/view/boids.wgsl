// Boids, drawn from the engine's buffers: a small mesh for each, or one triangle where there are very many.

struct Boid {
    // x, y, z, bias.
    @location(0) position: vec4<f32>,
    // x, y, z, then the number of neighbours, or -1 while it rests.
    @location(1) velocity: vec4<f32>,
    // id, group | rest << 2.
    @location(2) tag: vec2<u32>,
}

struct Corner {
    // In the boid's frame: x forward, z up, length 1 from tail to tip.
    @location(3) place: vec4<f32>,
    @location(4) normal: vec4<f32>,
}

struct BoidOutput {
    @builtin(position) clip: vec4<f32>,
    @location(0) colour: vec3<f32>,
}

const BY_HEADING: u32 = 0u;
const BY_POSITION: u32 = 1u;
const BY_SPEED: u32 = 2u;
const BY_DENSITY: u32 = 3u;

// From cool and dark over teal to warm and light, for t in [0, 1]; perceptually uniform.
fn ramp(t: f32) -> vec3<f32> {
    let low = vec3<f32>(0.60, -0.020, -0.115);
    let middle = vec3<f32>(0.75, -0.085, 0.010);
    let high = vec3<f32>(0.90, 0.035, 0.105);
    let first = mix(low, middle, smoothstep(0.0, 0.5, t));
    return mix(first, high, smoothstep(0.5, 1.0, t));
}

fn boid_colour(boid: Boid, heading: vec3<f32>, speed: f32) -> vec3<f32> {
    switch view.mode.x {
        case BY_HEADING: {
            // The heading is the pair of OKLab's colour axes: the hue circle is a compass.
            return from_oklab(vec3<f32>(0.73 + 0.10 * heading.z, 0.125 * heading.x, 0.125 * heading.y));
        }
        case BY_POSITION: {
            let offset = (boid.position.xyz - view.centre.xyz) * view.scale.xyz;
            // Compressed, so that boids outside the world keep their hue and stay in the gamut.
            let p = offset / (1.0 + 0.35 * abs(offset));
            return from_oklab(vec3<f32>(0.73 + 0.14 * p.z, 0.15 * p.x, 0.15 * p.y));
        }
        case BY_SPEED: {
            return from_oklab(ramp(clamp((speed - view.measure.x) * view.measure.y, 0.0, 1.0)));
        }
        case BY_DENSITY: {
            let density = max(boid.velocity.w, 0.0) * view.measure.z;
            return from_oklab(ramp(density / (1.0 + density)));
        }
        default: {
            let group = boid.tag.y & 3u;
            var lab = vec3<f32>(0.72, -0.008, -0.030);
            if group == 1u {
                lab = vec3<f32>(0.80, 0.055, 0.125);
            } else if group == 2u {
                lab = vec3<f32>(0.78, -0.110, -0.060);
            }
            return from_oklab(lab);
        }
    }
}

// Blends a colour into the sky behind it: by fog, and by the part of the drawn size that a small boid does not cover.
fn blend_into_sky(colour: vec3<f32>, position: vec3<f32>, cover: f32) -> vec3<f32> {
    if flat_world() {
        return colour;
    }
    let sight = position - view.eye.xyz;
    let lost = 1.0 - (1.0 - fog(length(sight))) * clamp(cover, 0.35, 1.0);
    return mix(colour, sky(normalize(sight)), lost);
}

// Units of length that a pixel covers at a position.
fn pixel_at(position: vec3<f32>) -> f32 {
    let depth = dot(position - view.eye.xyz, view.forward.xyz);
    return view.eye.w * select(max(depth, 0.0), 1.0, flat_world());
}

// The direction of a boid; a boid that does not move sits upright.
fn heading_of(boid: Boid, speed: f32) -> vec3<f32> {
    if speed > 0.0 {
        return boid.velocity.xyz / speed;
    }
    return select(vec3<f32>(0.0, 0.0, 1.0), vec3<f32>(0.0, -1.0, 0.0), flat_world());
}

// A unit vector perpendicular to a direction and the heading.
fn perpendicular(direction: vec3<f32>, heading: vec3<f32>) -> vec3<f32> {
    let side = cross(direction, heading);
    let square = dot(side, side);
    if square < 1e-6 {
        return vec3<f32>(0.0, 1.0, 0.0);
    }
    return side * inverseSqrt(square);
}

fn resting(boid: Boid) -> bool {
    return boid.velocity.w < 0.0;
}

// Drawn length, drawn width, and the boid's length over the drawn one: distant boids are enlarged to stay visible.
fn size_of(boid: Boid) -> vec3<f32> {
    let pixel = pixel_at(boid.position.xyz);
    let own = view.boid.x * select(1.0, 0.7, resting(boid));
    let size = max(own, view.boid.z * pixel);
    return vec3<f32>(size, max(size * view.boid.y, 0.5 * view.boid.z * pixel), own / size);
}

fn boid_output(
    boid: Boid,
    heading: vec3<f32>,
    speed: f32,
    normal: vec3<f32>,
    place: vec3<f32>,
    cover: f32,
) -> BoidOutput {
    var colour = shaded(boid_colour(boid, heading, speed), normal);
    if resting(boid) {
        colour = colour * 0.4;
    }
    return BoidOutput(
        view.view_projection * vec4<f32>(place, 1.0),
        blend_into_sky(colour, boid.position.xyz, cover),
    );
}

@vertex
fn boid_vertex(boid: Boid, corner: Corner) -> BoidOutput {
    let speed = length(boid.velocity.xyz);
    let heading = heading_of(boid, speed);
    let top = select(vec3<f32>(0.0, 0.0, 1.0), vec3<f32>(0.0, 0.0, -1.0), flat_world());
    let side = perpendicular(top, heading);
    let upwards = cross(heading, side);
    let size = size_of(boid);
    let local = corner.place.xyz * size.xyy;
    let place = boid.position.xyz + heading * local.x + side * local.y + upwards * local.z;
    let normal = heading * corner.normal.x + side * corner.normal.y + upwards * corner.normal.z;
    return boid_output(boid, heading, speed, normal, place, size.z);
}

// A triangle whose broad side faces the eye.
@vertex
fn dart_vertex(@builtin(vertex_index) index: u32, boid: Boid) -> BoidOutput {
    let speed = length(boid.velocity.xyz);
    let heading = heading_of(boid, speed);
    let sight = select(boid.position.xyz - view.eye.xyz, vec3<f32>(0.0, 0.0, 1.0), flat_world());
    let side = perpendicular(heading, sight);
    let size = size_of(boid);
    let corner = array<vec2<f32>, 3>(vec2<f32>(0.58, 0.0), vec2<f32>(-0.42, 0.5), vec2<f32>(-0.42, -0.5));
    let local = corner[index] * size.xy;
    let place = boid.position.xyz + heading * local.x + side * local.y;
    // One normal for the whole triangle: between the ridge of a cone, the direction to the eye, and up.
    let top = select(vec3<f32>(0.0, 0.0, 1.0), vec3<f32>(0.0, 0.0, -1.0), flat_world());
    let normal = normalize(cross(heading, side) - 0.6 * normalize(sight) + 0.5 * top);
    return boid_output(boid, heading, speed, normal, place, size.z);
}

@fragment
fn boid_fragment(boid: BoidOutput) -> @location(0) vec4<f32> {
    return to_target(boid.colour);
}
