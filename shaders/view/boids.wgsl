// Boids as meshes: those that are large in the picture.

struct BoidOutput {
    @builtin(position) clip: vec4<f32>,
    @location(0) colour: vec3<f32>,
}

// A cone, or a dart in a flat world.
@vertex
fn boid_vertex(boid: Boid, corner: Corner) -> BoidOutput {
    view = given_view;
    let speed = length(boid.velocity.xyz);
    let heading = heading_of(boid, speed);
    // Distant boids are enlarged to stay visible.
    let pixel = pixel_at(boid.position.xyz);
    let own = length_of(boid);
    let size = max(own, view.boid.z * pixel);
    let width = max(size * view.boid.y, 0.5 * view.boid.z * pixel);
    let axes = axes_of(heading);
    let place = boid.position.xyz + axes * (corner.place.xyz * vec3<f32>(size, width, width));
    let lit = lit_colour(boid, heading, speed, axes * corner.normal.xyz);
    // Lost to fog, and to the part of the drawn size that the boid does not cover.
    let sight = boid.position.xyz - view.eye.xyz;
    let lost = 1.0 - (1.0 - fog(length(sight))) * clamp(own / size, 0.35, 1.0);
    let colour = select(mix(lit, sky(normalize(sight)), lost), lit, flat_world());
    return BoidOutput(view.view_projection * vec4<f32>(place, 1.0), colour);
}

@vertex
fn bird_vertex(boid: Boid, corner: Corner) -> BoidOutput {
    view = given_view;
    let heading = heading_of(boid, length(boid.velocity.xyz));
    let wings = wings_of(heading, bitcast<f32>(boid.tag.z));
    let raised = bird_raised(boid.tag.x);
    let clip = bird_corner(boid.position.xyz, heading, wings, view.boid.w * length_of(boid), raised, corner);
    let sight = boid.position.xyz - view.eye.xyz;
    let lost = 0.75 * fog(length(sight));
    return BoidOutput(clip, mix(ink_colour(across_picture(heading), view.up.w), dusk_sky(normalize(sight)), lost));
}

// A predator at dusk: a larger, slightly warm bird with slow wings. It is darker than any ink of the flock, also in fog,
// as layers of ink hide the sky in spite of fog. The bias of its position is its span.
@vertex
fn falcon_vertex(boid: Boid, corner: Corner) -> BoidOutput {
    view = given_view;
    let heading = heading_of(boid, length(boid.velocity.xyz));
    let raised = 0.10 + 0.30 * beat(boid.tag.x, 3.0);
    let ink = mix(vec3<f32>(0.0060, 0.0040, 0.0035), vec3<f32>(0.0400, 0.0090, 0.0030), abs(corner.place.y));
    let clip = bird_corner(boid.position.xyz, heading, wings_of(heading, 0.0), boid.position.w, raised, corner);
    return BoidOutput(clip, mix(ink, BLUE_INK, 0.8 * view.up.w));
}

@fragment
fn boid_fragment(boid: BoidOutput) -> @location(0) vec4<f32> {
    view = given_view;
    return to_target(boid.colour);
}
