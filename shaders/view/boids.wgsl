// Boids as meshes: those that are near, or all where the device cannot compute coverage.

struct Corner {
    // In the boid's frame: x forward, z up, length 1 from tail to tip.
    @location(3) place: vec4<f32>,
    @location(4) normal: vec4<f32>,
}

struct BoidOutput {
    @builtin(position) clip: vec4<f32>,
    @location(0) colour: vec3<f32>,
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

// Drawn length, drawn width, and the boid's length over the drawn one: distant boids are enlarged to stay visible.
fn size_of(boid: Boid) -> vec3<f32> {
    let pixel = pixel_at(boid.position.xyz);
    let own = length_of(boid);
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
    return BoidOutput(
        view.view_projection * vec4<f32>(place, 1.0),
        blend_into_sky(lit_colour(boid, heading, speed, normal), boid.position.xyz, cover),
    );
}

@vertex
fn boid_vertex(boid: Boid, corner: Corner) -> BoidOutput {
    view = given_view;
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

// A bird's wings and body; the wings turn about the body.
fn bird(boid: Boid, bank: f32, corner: Corner) -> BoidOutput {
    let speed = length(boid.velocity.xyz);
    let heading = heading_of(boid, speed);
    let wings = wings_of(heading, bank);
    let raised = wings_raised(boid.tag.x);
    let span = view.boid.w * length_of(boid);
    let wing = corner.place.y * sqrt(1.0 - raised * raised);
    let lift = corner.place.z + abs(corner.place.y) * raised;
    let offset = heading * corner.place.x + wings.side * wing + wings.upwards * lift;
    let place = boid.position.xyz + span * offset;
    let sight = boid.position.xyz - view.eye.xyz;
    let lost = 0.75 * fog(length(sight));
    let colour = mix(ink_colour(across_picture(heading)), sky(normalize(sight)), lost);
    return BoidOutput(view.view_projection * vec4<f32>(place, 1.0), colour);
}

@vertex
fn bird_vertex(boid: Boid, @location(5) bank: f32, corner: Corner) -> BoidOutput {
    view = given_view;
    return bird(boid, bank, corner);
}

// Where the device cannot keep banks.
@vertex
fn level_bird_vertex(boid: Boid, corner: Corner) -> BoidOutput {
    view = given_view;
    return bird(boid, 0.0, corner);
}

// A predator at dusk: a bird too, larger, darker and a little warm, with slow wings. The bias of its position is its span.
@vertex
fn falcon_vertex(boid: Boid, corner: Corner) -> BoidOutput {
    view = given_view;
    let heading = heading_of(boid, length(boid.velocity.xyz));
    let side = perpendicular(vec3<f32>(0.0, 0.0, 1.0), heading);
    let upwards = cross(heading, side);
    let phase = share_of(boid.tag.x) + f32(view.counts.z % 64u) * (3.0 / 64.0);
    let raised = 0.10 + 0.30 * sin(6.2831853 * phase);
    let wing = corner.place.y * sqrt(1.0 - raised * raised);
    let lift = corner.place.z + abs(corner.place.y) * raised;
    let place = boid.position.xyz + boid.position.w * (heading * corner.place.x + side * wing + upwards * lift);
    let sight = boid.position.xyz - view.eye.xyz;
    let ink = mix(vec3<f32>(0.0060, 0.0040, 0.0035), vec3<f32>(0.0700, 0.0230, 0.0090), abs(corner.place.y));
    let colour = mix(ink, sky(normalize(sight)), 0.45 * fog(length(sight)));
    return BoidOutput(view.view_projection * vec4<f32>(place, 1.0), colour);
}

// A triangle whose broad side faces the eye.
@vertex
fn dart_vertex(@builtin(vertex_index) index: u32, boid: Boid) -> BoidOutput {
    view = given_view;
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
    view = given_view;
    return to_target(boid.colour);
}
