// The view, the sky and colours, shared by all passes. Twin of shaders/view/common.wgsl, with the same names.
precision highp float;
precision highp int;

// A file holds both stages of a pass: the outputs of the first are the inputs of the second.
#ifdef VERTEX
#define VARYING out
#else
#define VARYING in
#endif

layout(std140) uniform View {
    mat4 view_projection;
    vec4 right, up, forward, eye, light, centre, scale, measure, boid, grid;
    uvec4 mode, counts;
    vec4 bank;
} view;

const uint DUSK = 0u;
const uint PAPER = 2u;
const uint WATER = 3u;
const vec3 PAPER_WHITE = vec3(0.955, 0.955, 0.948);

bool flat_world() {
    return view.mode.y == 1u;
}

float saturate(float x) {
    return clamp(x, 0.0, 1.0);
}

// A unit vector perpendicular to a direction and the heading.
vec3 perpendicular(vec3 direction, vec3 heading) {
    vec3 side = cross(direction, heading);
    float square = dot(side, side);
    return square < 1e-6 ? vec3(0.0, 1.0, 0.0) : side * inversesqrt(square);
}

// The axes of a level body: forward, to its left, upwards.
mat3 axes_of(vec3 heading) {
    vec3 side = perpendicular(vec3(0.0, 0.0, flat_world() ? -1.0 : 1.0), heading);
    return mat3(heading, side, cross(heading, side));
}

// A number in [0, 1) derived from an integer by hashing.
float share_of(uint number) {
    uint state = number * 747796405u + 2891336453u;
    uint word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return float(((word >> 22u) ^ word) >> 8u) * 5.9604645e-8;
}

const vec2 SUNSET = vec2(0.764842, 0.644218);

vec3 blue_hour(float height, float west) {
    vec3 low = mix(vec3(0.270, 0.335, 0.500), vec3(0.430, 0.475, 0.620), west);
    vec3 root = mix(vec3(0.105, 0.160, 0.345), low, exp2(-4.5 * height));
    return root + west * exp2(-22.0 * height) * vec3(0.150, 0.060, 0.010);
}

vec3 dusk_sky(vec3 direction) {
    float level = max(length(direction.xy), 1e-6);
    float west = smoothstep(-0.75, 0.95, dot(direction.xy, SUNSET) / level);
    vec3 zenith = mix(vec3(0.251, 0.306, 0.478), vec3(0.267, 0.333, 0.510), west);
    vec3 slate = mix(vec3(0.380, 0.420, 0.545), vec3(0.480, 0.470, 0.605), west);
    vec3 mauve = mix(vec3(0.545, 0.525, 0.600), vec3(0.720, 0.590, 0.605), west);
    vec3 peach = mix(vec3(0.695, 0.590, 0.610), vec3(0.925, 0.685, 0.510), west);
    vec3 glow = mix(vec3(0.705, 0.620, 0.640), vec3(0.995, 0.805, 0.530), west);
    vec3 low = mix(vec3(0.590, 0.580, 0.640), vec3(0.990, 0.750, 0.460), west);
    float height = max(direction.z, 0.0);
    vec3 root = mix(low, glow, smoothstep(0.0, 0.061, height));
    root = mix(root, peach, saturate((height - 0.061) / 0.095));
    root = mix(root, mauve, saturate((height - 0.156) / 0.136));
    root = mix(root, slate, saturate((height - 0.292) / 0.162));
    root = mix(root, zenith, saturate((height - 0.454) / 0.215));
    float near_sun = dot(direction.xy, SUNSET) + 0.03 * height;
    root += exp(14.0 * (near_sun - 1.0)) * vec3(0.10, 0.075, 0.035);
    root = mix(root, blue_hour(height, west), view.up.w);
    return root * root;
}

vec3 dark_ground(vec3 direction) {
    vec3 far = direction.z > 0.0 ? vec3(0.0115, 0.0140, 0.0230) : vec3(0.0080, 0.0086, 0.0125);
    return mix(far, vec3(0.0250, 0.0300, 0.0460), exp2(-5.0 * abs(direction.z)));
}

vec3 water(vec3 direction) {
    float up = direction.z;
    vec3 root = mix(vec3(0.030, 0.095, 0.140), vec3(0.105, 0.300, 0.345), smoothstep(-0.60, 0.10, up));
    root = mix(root, vec3(0.300, 0.590, 0.600), smoothstep(0.0, 0.70, up));
    root = mix(root, vec3(0.720, 0.900, 0.860), smoothstep(0.60, 1.0, up));
    return root * root;
}

vec3 sky(vec3 direction) {
    switch (view.mode.w) {
        case DUSK: return dusk_sky(direction);
        case PAPER: return PAPER_WHITE;
        case WATER: return water(direction);
        default: return dark_ground(direction);
    }
}

// The share of an object that fog hides at a distance from the eye.
float fog(float distance) {
    float reach = max(view.forward.w, 1e-6);
    return 1.0 - exp(-view.light.w * max(distance / reach - 0.45, 0.0));
}

// Light on a surface.
vec3 shaded(vec3 colour, vec3 normal) {
    float key = max(dot(normal, view.light.xyz), 0.0);
    float ambient = 0.36 + 0.16 * (flat_world() ? -normal.z : normal.z);
    return colour * (ambient * vec3(0.86, 0.93, 1.10) + key * vec3(0.98, 0.88, 0.76));
}

vec3 to_srgb(vec3 linear) {
    vec3 c = clamp(linear, 0.0, 1.0);
    return mix(1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, 12.92 * c, lessThanEqual(c, vec3(0.0031308)));
}
