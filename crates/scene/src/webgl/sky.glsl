// The background, in three programs. Twin of shaders/view/sky.wgsl.
//
// GRADIENT: all but land, in few pixels, as it has no edges. ENLARGED: the gradient stretched over the picture.
// Neither: with land, in the rows that show it.
VARYING vec2 pointer;

#ifdef VERTEX

// A triangle that covers the picture.
void main() {
    pointer = vec2(float(gl_VertexID & 1) * 4.0 - 1.0, float(gl_VertexID >> 1) * 4.0 - 1.0);
    gl_Position = vec4(pointer, 0.0, 1.0);
}

#else

out vec4 colour;

#ifdef ENLARGED

uniform sampler2D gradient;

vec3 background() {
    return texture(gradient, 0.5 + 0.5 * pointer).rgb;
}

#else

// Value noise around the horizon, with `values` values per turn.
float ridge(float turn, uint values, uint seed) {
    float at = turn * float(values);
    uint first = uint(at) % values;
    uint next = (first + 1u) % values;
    float part = fract(at);
    return mix(share_of(first * 64u + seed), share_of(next * 64u + seed), part * part * (3.0 - 2.0 * part));
}

// The part of a pixel at a height that lies below an edge.
float below(float edge, float height) {
    return saturate((edge - height) / view.eye.w + 0.5);
}

const float HILLS = 0.057;

// Two ranges of hills in the haze and a line of trees on the shore.
vec3 land(vec3 behind, vec3 direction, float height) {
    if (height >= HILLS + view.eye.w) return behind;
    const vec3 dark = vec3(0.0100, 0.0090, 0.0140);
    float turn = saturate(atan(direction.y, direction.x) / 6.2831853 + 0.5);
    vec3 haze = dusk_sky(vec3(direction.xy, 0.02));
    float far = 0.024 + 0.040 * (ridge(turn, 23u, 1u) - 0.4) + 0.016 * (ridge(turn, 71u, 2u) - 0.5);
    float mid = 0.014 + 0.026 * (ridge(turn, 31u, 3u) - 0.4) + 0.007 * (ridge(turn, 117u, 4u) - 0.5);
    float crowns = 0.0060 * ridge(turn, 331u, 6u) + 0.0042 * ridge(turn, 1800u, 7u)
        + 0.0022 * ridge(turn, 6000u, 8u);
    vec3 hills = mix(behind, mix(dark, haze, 0.48), below(far, height));
    hills = mix(hills, mix(dark, haze, 0.24), below(mid, height));
    return mix(hills, dark, below(0.003 + 0.011 * ridge(turn, 41u, 5u) + crowns, height));
}

// Sky over still water, with land between them.
vec3 dusk_world(vec3 direction) {
    float height = abs(direction.z);
    vec3 world = dusk_sky(vec3(direction.xy, height));
#ifndef GRADIENT
    world = land(world, direction, height);
#endif
    if (direction.z < 0.0) {
        world *= mix(vec3(0.80, 0.80, 0.82), vec3(0.44, 0.46, 0.52), saturate(1.3 * height));
#ifndef GRADIENT
        world = mix(world, vec3(0.0120, 0.0110, 0.0150), below(0.0045, height));
#endif
    }
    return world;
}

// Tone mapping: bright parts are compressed before they are clipped, and the corners are darkened a little.
vec3 developed(vec3 seen) {
    vec3 light = seen * (1.0 - 0.09 * dot(pointer, pointer));
    vec3 over = max(light - 0.75, 0.0);
    return min(light, 0.75) + 0.25 * (1.0 - exp(-4.0 * over));
}

vec3 linear() {
    vec3 direction = normalize(view.forward.xyz + view.right.xyz * pointer.x + view.up.xyz * pointer.y);
    if (view.mode.w == DUSK) return developed(dusk_world(direction));
    if (flat_world() && view.mode.w != PAPER) {
        return mix(vec3(0.0120, 0.0125, 0.0240), vec3(0.0175, 0.0215, 0.0430), 0.5 + 0.5 * pointer.y);
    }
    return sky(direction);
}

vec3 background() {
    return to_srgb(linear());
}

#endif

void main() {
    colour = vec4(background(), 1.0);
#ifndef GRADIENT
    // Dithering by half an 8-bit step hides the steps of a gradient.
    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
    colour.rgb += noise / 255.0;
#endif
}

#endif
