// The lake at dusk, in two programs. Twin of shaders/view/lake.wgsl, with pictures for the ink.
//
// RIPPLED: the background of the lake, moved by the ripples. Else the mirrored boids: the factor of the lake's light, which
// is the light that the boids above the horizon leave of their background.
VARYING vec2 pointer;
VARYING vec3 sight;

#ifdef VERTEX

// A triangle that covers the picture, behind every body.
void main() {
    pointer = vec2(float(gl_VertexID & 1) * 4.0 - 1.0, float(gl_VertexID >> 1) * 4.0 - 1.0);
    sight = view.forward.xyz + view.right.xyz * pointer.x + view.up.xyz * pointer.y;
    gl_Position = vec4(pointer, 0.0, 1.0);
}

#else

// The picture before and with the boids.
uniform sampler2D bare;
uniform sampler2D flock;
out vec4 colour;

const float RIPPLE = 0.016;
const float SPREAD = 0.05;
const float MIRRORED = 0.80;

float ripples(vec2 place, float depth) {
    float grain = view.eye.w / (depth * depth);
    vec3 turns = 6.2831853 * fract(vec3(23.0, 34.0, 57.0) * view.right.w);
    vec3 phases = vec3(dot(place, vec2(1.9, 1.5)), dot(place, vec2(3.1, -4.3)), dot(place, vec2(-11.0, 9.5))) + turns;
    vec3 seen = clamp(1.2 - grain * vec3(1.4, 3.0, 8.0), 0.0, 1.0);
    return RIPPLE * saturate(20.0 * depth) * dot(sin(phases), seen * vec3(0.40, 0.38, 0.30));
}

// The place in the picture, in device coordinates, in a direction with the horizontal part of this sight, so much higher.
vec2 raised(float rise) {
    float near = 1.0 / max(1.0 + rise * view.forward.z, 0.05);
    return vec2(pointer.x, pointer.y + rise * view.up.z / dot(view.up.xyz, view.up.xyz)) * near;
}

vec3 picture(sampler2D picture, vec2 place) {
    return texture(picture, 0.5 + 0.5 * place).rgb;
}

// The part of the light of the background that the boids leave.
vec3 left_at(float rise) {
    vec2 place = raised(rise);
    return min(picture(flock, place) / max(picture(bare, place), 0.004), 1.0);
}

void main() {
    float depth = max(-sight.z, 1e-5);
    float offset = ripples(sight.xy / depth, depth);
#ifdef RIPPLED
    colour = vec4(picture(bare, raised(-max(offset, -depth))), 1.0);
#else
    float high = (2.0 + SPREAD) * depth + 1.4 * offset;
    vec3 left = left_at((2.0 - SPREAD) * depth + 0.6 * offset) + left_at(high);
    float edge = 0.5 - 0.5 * raised(high).y;
    float known = saturate(edge / 0.15) * saturate(8.0 + 16.0 * depth * view.forward.z);
    colour = vec4(mix(vec3(1.0), 0.5 * left, MIRRORED * known), 1.0);
#endif
}

#endif
