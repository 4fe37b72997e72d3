// The background without the boids.

// The surroundings of the boids. A pipeline constant: software adapters run both sides of a branch.
override BACKGROUND: u32 = 3u;
const PLANE_GROUND: u32 = 0u;
const DARK_GROUND: u32 = 1u;
const DUSK_WORLD: u32 = 2u;
// Dusk, for the rows of the picture that show land.
const LAND: u32 = 3u;
const PAPER_GROUND: u32 = 4u;
const WATER_WORLD: u32 = 5u;

// Value noise in [0, 1) around the horizon, `turn` in [0, 1), with `values` values per turn.
fn ridge(turn: f32, values: u32, seed: u32) -> f32 {
    let at = turn * f32(values);
    let first = u32(at) % values;
    let next = (first + 1u) % values;
    let part = fract(at);
    return mix(share_of(first * 64u + seed), share_of(next * 64u + seed), part * part * (3.0 - 2.0 * part));
}

// The part of a pixel at a height that lies below an edge; heights are angles in radians.
fn below(edge: f32, height: f32) -> f32 { return saturate((edge - height) / view.eye.w + 0.5); }

// Maximum height of the hills, and of the trees and the near hill.
const HILLS: f32 = 0.057;
const TREES: f32 = 0.034;

// Two ranges of hills in the haze and a line of trees on the shore, in front of the sky or its reflection; `height` is
// the angle above the horizon, or below it in the water. A loop that runs at most once is a branch, which software
// adapters skip if no pixel takes it.
fn land(behind: vec3<f32>, direction: vec3<f32>, height: f32) -> vec3<f32> {
    let dark = vec3<f32>(0.0100, 0.0090, 0.0140);
    var colour = behind;
    for (var hills = height < HILLS + view.eye.w; hills; hills = false) {
        let turn = saturate(atan2(direction.y, direction.x) / 6.2831853 + 0.5);
        let haze = dusk_sky(vec3<f32>(direction.xy, 0.02));
        let far = 0.024 + 0.040 * (ridge(turn, 23u, 1u) - 0.4) + 0.016 * (ridge(turn, 71u, 2u) - 0.5);
        colour = mix(colour, mix(dark, haze, 0.48), below(far, height));
        for (var trees = height < TREES + view.eye.w; trees; trees = false) {
            let mid = 0.014 + 0.026 * (ridge(turn, 31u, 3u) - 0.4) + 0.007 * (ridge(turn, 117u, 4u) - 0.5);
            colour = mix(colour, mix(dark, haze, 0.24), below(mid, height));
            let crowns = 0.0060 * ridge(turn, 331u, 6u) + 0.0042 * ridge(turn, 1800u, 7u)
                + 0.0022 * ridge(turn, 6000u, 8u);
            colour = mix(colour, dark, below(0.003 + 0.011 * ridge(turn, 41u, 5u) + crowns, height));
        }
    }
    return colour;
}

// The world at dusk: sky over still water, with land between them.
fn dusk_world(direction: vec3<f32>) -> vec3<f32> {
    let height = abs(direction.z);
    let mirrored = vec3<f32>(direction.xy, height);
    var colour = dusk_sky(mirrored);
    if BACKGROUND == LAND {
        colour = land(colour, direction, height);
    }
    if direction.z < 0.0 {
        // The steeper the view into the water, the less light it reflects.
        colour = colour * mix(vec3<f32>(0.80, 0.80, 0.82), vec3<f32>(0.44, 0.46, 0.52), saturate(1.3 * height));
        if BACKGROUND == LAND {
            let shore = vec3<f32>(0.0120, 0.0110, 0.0150);
            colour = mix(colour, shore, below(0.0045, height));
        }
    }
    return colour;
}

// Direction of the light in the water: above the camera's initial view, slightly to its left.
const SUNBEAM: vec3<f32> = vec3<f32>(0.506, 0.322, 0.800);

// Water with shafts of light, which fan out from the sun and fade with depth.
fn lit_water(direction: vec3<f32>) -> vec3<f32> {
    let along = dot(direction, SUNBEAM);
    let first = normalize(cross(SUNBEAM, vec3<f32>(0.0, 0.0, 1.0)));
    let second = cross(SUNBEAM, first);
    let turn = saturate(atan2(dot(direction, second), dot(direction, first)) / 6.2831853 + 0.5);
    let broad = ridge(turn, 19u, 9u) * ridge(turn, 43u, 10u);
    let shafts = broad * (0.6 + 0.4 * ridge(turn, 131u, 11u));
    let reach = smoothstep(-0.45, 0.75, direction.z) * smoothstep(1.0, 0.85, along);
    let glow = exp(5.0 * (along - 1.0));
    let light = vec3<f32>(0.55, 0.85, 0.75);
    return water(direction) + light * (0.34 * shafts * reach + 0.22 * glow);
}

// Compresses bright parts before clamping, and darkens the corners slightly.
fn developed(colour: vec3<f32>, pointer: vec2<f32>) -> vec3<f32> {
    let light = colour * (1.0 - 0.09 * dot(pointer, pointer));
    let over = max(light - 0.75, vec3<f32>(0.0));
    return min(light, vec3<f32>(0.75)) + 0.25 * (1.0 - exp(-4.0 * over));
}

// Square roots of the background's colour at a point of the picture: they mix and round as the eye expects.
fn background(pointer: vec2<f32>) -> vec3<f32> {
    let direction = normalize(view.forward.xyz + view.right.xyz * pointer.x + view.up.xyz * pointer.y);
    var colour = dark_plane(pointer.y);
    if BACKGROUND == DUSK_WORLD || BACKGROUND == LAND {
        colour = developed(dusk_world(direction), pointer);
    } else if BACKGROUND == DARK_GROUND {
        colour = dark_ground(direction);
    } else if BACKGROUND == PAPER_GROUND {
        colour = PAPER_WHITE;
    } else if BACKGROUND == WATER_WORLD {
        colour = lit_water(direction);
    }
    return sqrt(colour);
}

@fragment
fn sky_fragment(pixel: Pixel) -> @location(0) vec4<f32> {
    view = given_view;
    return vec4<f32>(background(pixel.pointer), 1.0);
}
