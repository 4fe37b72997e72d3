// The exposure: a flock deeper than a picture can show is drawn relative to its deepest parts. The depth around a bird
// decides, so that birds at the edges stay single. Three small passes: the mean depth around each tile of the coverage,
// the depth of the deepest tiles, and the factor of each tile's coverage (ink.wgsl).

// Grid pixels along a side of a tile: crates/scene/src/layers.rs.
const TILE: u32 = 8u;

// Per tile: the mean depth around it, in full coverages.
@group(0) @binding(1) var depths: texture_2d<f32>;
// The depth of the deepest tiles.
@group(0) @binding(2) var<storage, read_write> deepest: f32;
@group(0) @binding(2) var<uniform> exposed: vec4<f32>;

// The mean over twice the width of a tile, sampling every fourth pixel across and down.
@fragment
fn depths_fragment(pixel: Pixel) -> @location(0) vec4<f32> {
    let first = vec2<i32>(pixel.at.xy) * i32(TILE) - i32(TILE / 2u);
    let last = vec2<i32>(textureDimensions(ink)) - 1;
    var sum = 0.0;
    for (var k = 0u; k < 16u; k++) {
        let across = vec2<u32>(k % 4u, k / 4u);
        // Each row starts at another pixel, so that no pattern of the boids is missed.
        let place = first + vec2<i32>(4u * across + vec2<u32>(across.y, across.x));
        let words = textureLoad(ink, clamp(place, vec2<i32>(0), last), 0);
        sum += f32(words.x) + select(0.0, f32(words.y), BIRDS);
    }
    return vec4<f32>(sum * pixel.unit / 16.0, 0.0, 0.0, 1.0);
}

const EXPOSERS: u32 = 256u;
// Histogram of tiles by the logarithm of depth: from LEAST on, sixteen bins per doubling.
const MIN: f32 = 0.125;
const COUNTS: u32 = 256u;
var<workgroup> tiles: array<atomic<u32>, COUNTS>;

// The depth exceeded by a fiftieth of the tiles with boids. It changes slowly, so that films do not pump.
@compute @workgroup_size(EXPOSERS)
fn expose(@builtin(local_invocation_index) local: u32) {
    view = given_view;
    let size = textureDimensions(depths);
    for (var tile = local; tile < size.x * size.y; tile += EXPOSERS) {
        let depth = textureLoad(depths, vec2<u32>(tile % size.x, tile / size.x), 0).x;
        if depth >= MIN {
            atomicAdd(&tiles[min(u32(16.0 * log2(depth / MIN)), COUNTS - 1u)], 1u);
        }
    }
    workgroupBarrier();
    if local > 0u {
        return;
    }
    var all = 0u;
    for (var k = 0u; k < COUNTS; k++) {
        all += atomicLoad(&tiles[k]);
    }
    var count = COUNTS;
    var deeper = 0u;
    while count > 0u && 50u * deeper <= all {
        count -= 1u;
        deeper += atomicLoad(&tiles[count]);
    }
    let now = MIN * exp2((f32(count) + 0.5) / 16.0);
    // Exact if nothing changes.
    deepest = now + view.bank.z * (deepest - now);
}

// Square roots of the light that birds transmit, which the eye sees as even steps: unchanged down to SPARSE, and from
// there compressed to the range of the deepest tiles, which are almost black.
const SPARSE: f32 = 0.6;
const BLACK: f32 = 0.1;

fn gain_of_birds(depth: f32, most: f32) -> f32 {
    let through = exp(-0.5 * SPARSE);
    let share = saturate((depth - SPARSE) / max(most - SPARSE, 1e-3));
    let shown = mix(through, BLACK, pow(share, 0.65));
    return min(-2.0 * log(shown) / max(depth, 1e-3), 1.0);
}

// The part of the ground that cones hide at several times full coverage: only the deepest tiles reach it.
const FAINT: f32 = 0.3;

fn gain_of_cones(depth: f32, most: f32) -> f32 {
    let shown = mix(FAINT, 1.0, saturate((depth - FAINT) / max(most - FAINT, 1e-3)));
    let deep = saturate(0.25 * most - 0.6);
    return mix(1.0, min(shown / max(depth, 1e-3), 1.0), deep);
}

fn gain_of_tile(tile: vec2<i32>) -> f32 {
    let depth = textureLoad(depths, clamp(tile, vec2<i32>(0), vec2<i32>(textureDimensions(depths)) - 1), 0).x;
    if BIRDS {
        return gain_of_birds(depth, exposed.x);
    }
    return gain_of_cones(depth, exposed.x);
}

// The factors of the tiles around a corner, for a single read per pixel: left and right above, left and right below.
@fragment
fn gains_fragment(pixel: Pixel) -> @location(0) vec4<f32> {
    let tile = vec2<i32>(pixel.at.xy);
    let above = vec2<f32>(gain_of_tile(tile - 1), gain_of_tile(tile - vec2<i32>(0, 1)));
    return vec4<f32>(above, gain_of_tile(tile - vec2<i32>(1, 0)), gain_of_tile(tile));
}
