// Boids: cones, darts in a flat world, birds at dusk. Twin of shaders/view/boid.wgsl and boids.wgsl.
// The fourth component is opacity.
VARYING vec4 shade;

#ifdef VERTEX

// Per boid: position and roll tangent of a bird (span of a falcon); velocity and number of neighbours, -1 at rest; id,
// group | rest << 3. Per vertex of the mesh: position and normal.
#ifdef FAR

// Far birds are three triangles, two wings and a body, in one draw call: software draws instances one by one. Two
// texels per bird: its position; its velocity and id, encoded as -1 - id at rest.
uniform highp sampler2D birds;
vec4 position, velocity, place, normal;
uvec2 tag;
const int body = 1;
const vec2 OUTLINE[9] = vec2[9](
    vec2(0.13, 0.0), vec2(-0.08, 0.5), vec2(-0.10, 0.0),
    vec2(0.13, 0.0), vec2(-0.10, 0.0), vec2(-0.08, -0.5),
    vec2(0.27, 0.0), vec2(-0.30, 0.065), vec2(-0.30, -0.065)
);
// These triangles cover less than the outlines whose depth `coverage.wgsl` adds up.
const float INK = 1.4;

void fetch() {
    int first = gl_VertexID / 9 * 2;
    int width = textureSize(birds, 0).x;
    ivec2 at = ivec2(first % width, first / width);
    position = texelFetch(birds, at, 0);
    velocity = texelFetch(birds, at + ivec2(1, 0), 0);
    tag = uvec2(velocity.w < 0.0 ? -1.0 - velocity.w : velocity.w, 0.0);
    place = vec4(OUTLINE[gl_VertexID % 9], 0.0, 0.0);
}

#else

layout(location = 0) in vec4 position;
layout(location = 1) in vec4 velocity;
layout(location = 2) in uvec2 tag;
layout(location = 3) in vec4 place;
layout(location = 4) in vec4 normal;
uniform int body;
const float INK = 1.0;

void fetch() {}

#endif

const int BIRD = 1;
const int FALCON = 2;

// Minimum span of a drawn bird, in pixels: a smaller bird is enlarged and more transparent.
const float MIN = 3.0;

const vec3 BLUE_INK = vec3(0.0035, 0.0050, 0.0110);

vec3 from_oklab(vec3 lab) {
    vec3 c = lab * mat3(1.0, 0.3963377774, 0.2158037573, 1.0, -0.1055613458, -0.0638541728, 1.0, -0.0894841775, -1.2914855480);
    c = c * c * c;
    vec3 rgb = c * mat3(4.0767416621, -3.3077115913, 0.2309699292, -1.2684380046, 2.6097574011, -0.3413193965,
        -0.0041960863, -0.7034186147, 1.7076147010);
    return clamp(rgb, 0.0, 1.0);
}

vec3 ramp(float t) {
    vec3 first = mix(vec3(0.60, -0.020, -0.115), vec3(0.75, -0.085, 0.010), smoothstep(0.0, 0.5, t));
    return mix(first, vec3(0.90, 0.035, 0.105), smoothstep(0.5, 1.0, t));
}

vec3 group_colour(uint group) {
    switch (group) {
        case 1u: return vec3(0.80, 0.055, 0.125);
        case 2u: return vec3(0.78, -0.110, -0.060);
        case 3u: return vec3(0.70, 0.190, -0.040);
        case 4u: return vec3(0.90, -0.120, 0.160);
        case 5u: return vec3(0.56, -0.030, -0.180);
        case 6u: return vec3(0.56, 0.150, 0.085);
        case 7u: return vec3(0.74, 0.080, -0.120);
        default: return vec3(0.72, -0.008, -0.030);
    }
}

vec3 lab_of(vec3 heading, float speed) {
    float swift = saturate((speed - view.measure.x) * view.measure.y);
    switch (view.mode.x) {
        case 0u: return vec3(0.73 + 0.10 * heading.z, 0.125 * heading.xy);
        case 1u: {
            vec3 offset = (position.xyz - view.centre.xyz) * view.scale.xyz;
            vec3 p = offset / (1.0 + 0.35 * abs(offset));
            return vec3(0.73 + 0.14 * p.z, 0.15 * p.xy);
        }
        case 2u: return ramp(swift);
        case 3u: {
            float density = max(velocity.w, 0.0) * view.measure.z;
            return ramp(density / (1.0 + density));
        }
        case 5u: return vec3(0.70 + 0.18 * heading.y, 0.0, 0.125 * heading.x);
        case 6u: return mix(vec3(0.46, -0.010, -0.095), vec3(0.92, -0.015, 0.140), swift);
        default: return group_colour(tag.y & 7u);
    }
}

vec3 boid_colour(vec3 heading, float speed) {
    vec3 lab = lab_of(heading, speed);
    return from_oklab(view.mode.w == PAPER ? vec3(0.10 + 0.62 * lab.x, 1.25 * lab.yz) : lab);
}

// Units of length per pixel at a position.
float pixel_at(vec3 at) {
    float depth = dot(at - view.eye.xyz, view.forward.xyz);
    return view.eye.w * (flat_world() ? 1.0 : max(depth, 0.0));
}

float beat(float beats) {
    return sin(6.2831853 * (share_of(tag.x) + float(view.counts.z) * (beats / 16384.0)));
}

void cone(vec3 at, vec3 heading, float speed, float own) {
    float pixel = pixel_at(at);
    float size = max(own, view.boid.z * pixel);
    float width = max(size * view.boid.y, 0.5 * view.boid.z * pixel);
    mat3 axes = axes_of(heading);
    vec3 lit = shaded(boid_colour(heading, speed), axes * normal.xyz) * (velocity.w < 0.0 ? 0.4 : 1.0);
    if (!flat_world()) {
        vec3 sight = at - view.eye.xyz;
        float lost = 1.0 - (1.0 - fog(length(sight))) * clamp(own / size, 0.35, 1.0);
        lit = mix(lit, sky(normalize(sight)), lost);
    }
    shade = vec4(lit, 1.0);
    gl_Position = view.view_projection * vec4(at + axes * (place.xyz * vec3(size, width, width)), 1.0);
}

// Wings of a span on a rolled body, raised about the body by the angle with sine `raised`.
void wings(vec3 at, vec3 heading, float span, float raised, float roll) {
    mat3 axes = axes_of(heading);
    float level = inversesqrt(1.0 + roll * roll);
    axes = mat3(heading, level * (axes[1] - roll * axes[2]), level * (axes[2] + roll * axes[1]));
    vec3 corner = vec3(place.x, place.y * sqrt(1.0 - raised * raised), place.z + abs(place.y) * raised);
    gl_Position = view.view_projection * vec4(at + span * (axes * corner), 1.0);
}

void bird(vec3 at, vec3 heading, float own) {
    float span = view.boid.w * own;
    float pixel = pixel_at(at);
    float shown = max(span, MIN * pixel);
    float across = dot(heading, normalize(view.right.xyz));
    vec3 gold = mix(vec3(0.0045, 0.0105, 0.0300), vec3(0.0330, 0.0150, 0.0090), 0.5 + 0.5 * across);
    vec3 ink = mix(gold, BLUE_INK, 0.8 * view.up.w);
    float strength = mix(1.15, 3.5, smoothstep(3.0, 14.0, span / pixel));
    float air = 1.0 - 0.75 * fog(length(at - view.eye.xyz));
    float depth = INK * air * strength * span * span / (shown * shown);
    // Each layer of ink transmits a part of the light. Colours are blended as sRGB values, roughly 2.2th roots.
    shade = vec4(ink, 1.0 - exp(-depth / 2.2));
    wings(at, heading, shown, 0.12 + 0.45 * beat(6.0), position.w);
}

void falcon(vec3 heading) {
    vec3 ink = mix(vec3(0.0060, 0.0040, 0.0035), vec3(0.0400, 0.0090, 0.0030), abs(place.y));
    shade = vec4(mix(ink, BLUE_INK, 0.8 * view.up.w), 1.0);
    wings(position.xyz, heading, position.w, 0.10 + 0.30 * beat(3.0), 0.0);
}

void main() {
    fetch();
    float speed = length(velocity.xyz);
    vec3 still = flat_world() ? vec3(0.0, -1.0, 0.0) : vec3(0.0, 0.0, 1.0);
    vec3 heading = speed > 0.0 ? velocity.xyz / speed : still;
    vec3 at = position.xyz + view.measure.w * velocity.xyz;
    float own = view.boid.x * (velocity.w < 0.0 ? 0.7 : 1.0);
    if (body == BIRD) bird(at, heading, own);
    else if (body == FALCON) falcon(heading);
    else cone(at, heading, speed, own);
}

#else

out vec4 colour;

void main() {
    colour = vec4(to_srgb(shade.rgb), shade.a);
}

#endif
