// Predators, obstacles, the attractor and the flock's centre. Twin of shaders/view/things.wgsl.
VARYING vec3 at;
VARYING vec3 normal;
VARYING vec4 paint;

#ifdef VERTEX

// Centre, and length or radius.
layout(location = 0) in vec4 middle;
// Direction of length 1, and width over length.
layout(location = 1) in vec4 heading;
// Linear light, and its emitted share.
layout(location = 2) in vec4 light;
layout(location = 3) in vec4 place;
layout(location = 4) in vec4 outward;

void main() {
    mat3 axes = axes_of(heading.xyz);
    at = middle.xyz + axes * (place.xyz * middle.w * vec3(1.0, heading.ww));
    normal = axes * outward.xyz;
    paint = light;
    gl_Position = view.view_projection * vec4(at, 1.0);
}

#else

out vec4 colour;

void main() {
    vec3 sight = flat_world() ? view.forward.xyz : normalize(at - view.eye.xyz);
    vec3 up = normalize(normal);
    // A rim of sky light separates a dark body from the background.
    float edge = 1.0 - abs(dot(up, sight));
    vec3 rim = edge * edge * edge * 0.22 * vec3(0.55, 0.62, 0.85);
    vec3 lit = mix(shaded(paint.rgb, up) + rim, paint.rgb, paint.a);
    if (!flat_world()) lit = mix(lit, sky(sight), 0.7 * fog(distance(at, view.eye.xyz)));
    colour = vec4(to_srgb(lit), 1.0);
}

#endif
