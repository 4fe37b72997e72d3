// Predators, obstacles, the attractor and the flock's centre: larger meshes, shaded per pixel; and thin lines.

struct Thing {
    // Centre, and length or radius.
    @location(0) place: vec4<f32>,
    // Direction of length 1, and width / length.
    @location(1) heading: vec4<f32>,
    // Linear light, and the emitted part of it.
    @location(2) colour: vec4<f32>,
}

struct ThingOutput {
    @builtin(position) clip: vec4<f32>,
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) colour: vec4<f32>,
}

@vertex
fn thing_vertex(thing: Thing, corner: Corner) -> ThingOutput {
    view = given_view;
    let axes = axes_of(thing.heading.xyz);
    let width = thing.heading.w;
    let position = thing.place.xyz + axes * (corner.place.xyz * thing.place.w * vec3<f32>(1.0, width, width));
    let normal = axes * corner.normal.xyz;
    return ThingOutput(view.view_projection * vec4<f32>(position, 1.0), position, normal, thing.colour);
}

fn thing_colour(thing: ThingOutput) -> vec3<f32> {
    let normal = normalize(thing.normal);
    let sight = select(normalize(thing.position - view.eye.xyz), view.forward.xyz, flat_world());
    // A rim of sky light separates a dark body from the background.
    let edge = 1.0 - abs(dot(normal, sight));
    let rim = edge * edge * edge * 0.22 * vec3<f32>(0.55, 0.62, 0.85);
    let colour = mix(shaded(thing.colour.rgb, normal) + rim, thing.colour.rgb, thing.colour.a);
    let lost = select(fog(distance(thing.position, view.eye.xyz)) * 0.7, 0.0, flat_world());
    return mix(colour, sky(sight), lost);
}

@fragment
fn thing_fragment(thing: ThingOutput) -> @location(0) vec4<f32> {
    view = given_view;
    return to_target(thing_colour(thing));
}

// An obstacle: boids hidden by it are left out of the coverage, so the others fly in front of it.
@fragment
fn obstacle_fragment(thing: ThingOutput) -> @location(0) vec4<f32> {
    view = given_view;
    return to_target(with_boids(thing_colour(thing), thing.clip.xy, coverage_scale(), at_dusk()));
}

struct LineOutput {
    @builtin(position) clip: vec4<f32>,
    @location(0) colour: vec4<f32>,
    // 1 if the line is in front of the boids, 0 behind them.
    @location(1) before: f32,
}

@vertex
fn line_vertex(@location(0) place: vec4<f32>, @location(1) colour: vec4<f32>) -> LineOutput {
    view = given_view;
    return LineOutput(view.view_projection * vec4<f32>(place.xyz, 1.0), colour, place.w);
}

@fragment
fn line_fragment(line: LineOutput) -> @location(0) vec4<f32> {
    view = given_view;
    let seen = max(line.before, 1.0 - boids_at(line.clip.xy, coverage_scale(), at_dusk()).a);
    return vec4<f32>(to_target(line.colour.rgb).rgb, line.colour.a * seen);
}
