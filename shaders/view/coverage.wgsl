// The boids' coverage of each pixel, in integers: integer sums do not depend on the order of the boids, so a picture
// has the same bits every time. A boid smaller than a pixel adds its area: it becomes density, and does not sparkle.
// Boids that are large in the picture are collected, to be drawn as meshes.
//
// At dusk a pixel has two words: the coverage by birds that fly to the picture's right, and to its left. Otherwise it
// has four: the coverage, and red, green and blue times the coverage.

struct Near {
    position: vec4<f32>,
    velocity: vec4<f32>,
    // id, group | rest << 3, bits of the bank, unused.
    tag: vec4<u32>,
}

// The arguments of an indexed indirect draw.
struct Draw {
    indices: u32,
    instances: atomic<u32>,
    first_index: u32,
    base_vertex: u32,
    first_instance: u32,
}

struct Obstacles {
    // Spheres: centre and radius; a zero radius ends the list.
    spheres: array<vec4<f32>, MAX_SPHERES>,
}

const GROUP: u32 = 64u;
const MAX_SPHERES: u32 = 16u;
// Boids shorter than this, in pixels, are points with an area.
const POINT: f32 = 2.5;
// Maximum extent of an outline from its boid, in pixels.
const MAX: f32 = 256.0;
// The share of a trail that remains at its end (`TRAIL_LEFT` in crates/scene/src/layers.rs), and the parts in which a whole one is
// drawn.
const TRAIL_END: f32 = 0.05;
const TRAIL_PARTS: f32 = 8.0;

@group(1) @binding(0) var<storage, read> positions: array<vec4<f32>>;
@group(1) @binding(1) var<storage, read> velocities: array<vec4<f32>>;
@group(1) @binding(2) var<storage, read> tags: array<vec2<u32>>;
@group(1) @binding(3) var<storage, read_write> sums: array<atomic<u32>>;
@group(1) @binding(4) var<storage, read_write> near: array<Near>;
@group(1) @binding(5) var<storage, read_write> draw: Draw;
@group(1) @binding(6) var<uniform> obstacles: Obstacles;
// Per id, or per buffer index in a part of a flock: the level part of the heading in the last picture, and the bits of
// the bank. The array may be shorter than the flock.
@group(1) @binding(7) var<storage, read_write> banks: array<vec2<u32>>;

// A boid's contribution to a fully covered pixel: its first word, and the colour.
struct Paint {
    // Units of a full coverage; at dusk, where layers add up, more for larger birds.
    units: f32,
    // Row stride in grid pixels, copied because software adapters reload a uniform at each use.
    stride: u32,
    // Threshold of rounding up a fraction of a unit: each boid has its own, so that sums are right on average.
    rounding: f32,
    word: u32,
    colour: vec3<f32>,
}

fn add(x: i32, y: i32, coverage: f32, paint: Paint) {
    if coverage <= 0.0 {
        return;
    }
    let pixel = u32(y) * paint.stride + u32(x);
    let units = coverage * paint.units;
    if BIRDS {
        atomicAdd(&sums[2u * pixel + paint.word], u32(units + paint.rounding));
        return;
    }
    atomicAdd(&sums[4u * pixel], u32(units + paint.rounding));
    let colour = units * paint.colour + paint.rounding;
    atomicAdd(&sums[4u * pixel + 1u], u32(colour.x));
    atomicAdd(&sums[4u * pixel + 2u], u32(colour.y));
    atomicAdd(&sums[4u * pixel + 3u], u32(colour.z));
}

fn add_inside(x: i32, y: i32, coverage: f32, paint: Paint) {
    if x >= 0 && y >= 0 && x < i32(view.grid.x) && y < i32(view.grid.y) {
        add(x, y, coverage, paint);
    }
}

// Distributes an area at a point among the four pixels around it.
fn add_point(at: vec2<f32>, area: f32, paint: Paint) {
    let corner = floor(at - 0.5);
    let part = at - 0.5 - corner;
    let x = i32(corner.x);
    let y = i32(corner.y);
    let cover = min(area, 1.0);
    add_inside(x, y, cover * (1.0 - part.x) * (1.0 - part.y), paint);
    add_inside(x + 1, y, cover * part.x * (1.0 - part.y), paint);
    add_inside(x, y + 1, cover * (1.0 - part.x) * part.y, paint);
    add_inside(x + 1, y + 1, cover * part.x * part.y, paint);
}

// A triangle in pixels: each edge as a unit normal and an offset, positive inside.
struct Triangle {
    a: vec3<f32>,
    b: vec3<f32>,
    c: vec3<f32>,
    area: f32,
    // Half the length of the edges.
    along: f32,
}

fn edge(start: vec2<f32>, end: vec2<f32>, side: f32) -> vec3<f32> {
    let along = end - start;
    let normal = vec2<f32>(-along.y, along.x) * (side / max(length(along), 1e-6));
    return vec3<f32>(normal, -dot(normal, start));
}

fn triangle(a: vec2<f32>, b: vec2<f32>, c: vec2<f32>) -> Triangle {
    let double = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    let side = select(-1.0, 1.0, double >= 0.0);
    let along = 0.5 * (distance(a, b) + distance(b, c) + distance(c, a));
    return Triangle(edge(a, b, side), edge(b, c, side), edge(c, a, side), 0.5 * abs(double), along);
}

// Distance from a point to the nearest edge of a triangle, positive inside.
fn depth_within(t: Triangle, at: vec2<f32>) -> f32 {
    let p = vec3<f32>(at, 1.0);
    return min(min(dot(t.a, p), dot(t.b, p)), dot(t.c, p));
}

// A boid's outline in the picture: two triangles, and a disc for the end of a cone that points to or from the eye.
struct Outline {
    at: vec2<f32>,
    first: Triangle,
    second: Triangle,
    // Centre, radius; zero radius at dusk.
    disc: vec3<f32>,
    // Half the length of the edge.
    along: f32,
    // The corners of its bounding box.
    low: vec2<f32>,
    high: vec2<f32>,
}

// The part of a pixel covered by an outline, smooth across an edge.
fn coverage_at(outline: Outline, at: vec2<f32>) -> f32 {
    var within = max(depth_within(outline.first, at), depth_within(outline.second, at));
    if !BIRDS {
        within = max(within, outline.disc.z - distance(outline.disc.xy, at));
    }
    return saturate(0.5 + within);
}

fn add_outline(outline: Outline, area: f32, paint: Paint) {
    // Corners behind the eye have no projection: the box is never larger than any outline.
    // Its pixels are those whose centres are less than half a pixel away from it.
    let low = vec2<i32>(floor(max(outline.low, outline.at - MAX)));
    let high = vec2<i32>(floor(min(outline.high, outline.at + MAX)));
    // Smooth edges make thin outlines too heavy: a strip t pixels wide, t < 1, covers (1 + t)² / 4 instead of t.
    let wide = area / max(outline.along, 1e-6);
    let weight = select(4.0 * wide / ((1.0 + wide) * (1.0 + wide)), 1.0, wide > 1.0);
    let first = max(low, vec2<i32>(0));
    let last = min(high, vec2<i32>(view.grid.xy) - 1);
    // One loop over all pixels: nested loops would make each row as long as the longest of the boids in lockstep.
    var x = first.x;
    var y = first.y;
    while y <= last.y && x <= last.x {
        add(x, y, weight * coverage_at(outline, vec2<f32>(f32(x), f32(y)) + 0.5), paint);
        x += 1;
        if x > last.x {
            x = first.x;
            y += 1;
        }
    }
}

// A stroke with butt ends, smooth across its sides.
fn add_stroke(start: vec2<f32>, end: vec2<f32>, half: f32, paint: Paint) {
    let along = end - start;
    let square = max(dot(along, along), 1e-6);
    // Pixels whose centres are less than half a pixel away, as in `add_outline`; thin strips likewise.
    let first = max(vec2<i32>(floor(min(start, end) - half - 0.5)), vec2<i32>(0));
    let last = min(vec2<i32>(floor(max(start, end) + half + 0.5)), vec2<i32>(view.grid.xy) - 1);
    let wide = 2.0 * half;
    let weight = select(4.0 * wide / ((1.0 + wide) * (1.0 + wide)), 1.0, wide > 1.0);
    var x = first.x;
    var y = first.y;
    while y <= last.y && x <= last.x {
        let off = vec2<f32>(f32(x), f32(y)) + 0.5 - start;
        let part = dot(off, along) / square;
        if part >= 0.0 && part < 1.0 {
            add(x, y, weight * saturate(0.5 + half - distance(off, part * along)), paint);
        }
        x += 1;
        if x > last.x {
            x = first.x;
            y += 1;
        }
    }
}

// The strip that the end of a cone swept since the last picture, straight and fading; `half` is its width to each side
// in grid pixels. The camera moved, too.
fn add_swept(from_end: vec3<f32>, velocity: vec3<f32>, half: f32, paint: Paint) {
    let behind = -view.scale.w * velocity;
    let fade = max(view.centre.w, TRAIL_END);
    // No part for a boid without width, so that the number depends on the boid, too: see `view`.
    let parts = select(0.0, max(ceil(TRAIL_PARTS * log2(fade) / log2(TRAIL_END)), 1.0), half > 0.0);
    var start = project(from_end);
    for (var k = 1.0; k <= parts; k += 1.0) {
        let point = from_end + (k / parts) * behind;
        let before = grid_place(view.before * vec4<f32>(point, 1.0));
        let end = mix(project(point), before, k / parts);
        let seen = flat_world() | (dot(point - view.eye.xyz, view.forward.xyz) > 0.1 * view.forward.w);
        let pixels = distance(start, end);
        if !seen || !(pixels < MAX) {
            return;
        }
        let units = paint.units * pow(fade, (k - 0.5) / parts);
        if pixels > 0.5 {
            add_stroke(start, end, half, Paint(units, paint.stride, paint.rounding, paint.word, paint.colour));
        }
        start = end;
    }
}

// Projects a point to the coverage grid.
fn project(point: vec3<f32>) -> vec2<f32> {
    return grid_place(view.view_projection * vec4<f32>(point, 1.0));
}

fn grid_place(clip: vec4<f32>) -> vec2<f32> {
    let pointer = clip.xy / max(clip.w, 1e-9);
    return vec2<f32>(0.5 + 0.5 * pointer.x, 0.5 - 0.5 * pointer.y) * view.grid.xy;
}

// True if an obstacle hides a point from the eye.
fn hidden(point: vec3<f32>) -> bool {
    let sight = point - view.eye.xyz;
    let far = dot(sight, sight);
    for (var k = 0u; k < MAX_SPHERES; k++) {
        let sphere = obstacles.spheres[k];
        // The end of the list, by a value that depends on the boid, too: see `view`.
        if sphere.w * far <= 0.0 {
            return false;
        }
        // The point of the line of sight nearest to the centre, between eye and point.
        let centre = sphere.xyz - view.eye.xyz;
        let along = clamp(dot(centre, sight) / max(far, 1e-12), 0.0, 1.0);
        let off = centre - along * sight;
        if dot(off, off) < sphere.w * sphere.w && far > dot(centre, centre) {
            return true;
        }
    }
    return false;
}

// Collects a boid to be drawn as a mesh; false if the list is full.
fn collect(boid: Boid, bank: f32) -> bool {
    let slot = atomicAdd(&draw.instances, 1u);
    if slot < view.counts.y {
        near[slot] = Near(boid.position, boid.velocity, vec4<u32>(boid.tag.xy, bitcast<u32>(bank), 0u));
        return true;
    }
    atomicSub(&draw.instances, 1u);
    return false;
}

// The bank of a bird, kept for the next picture: the tangent of its roll to the left. In a level turn it is the lateral
// acceleration over that of gravity; the turn is averaged over some steps, as birds take a moment to roll.
fn bank_of(slot: u32, heading: vec3<f32>) -> f32 {
    if slot >= arrayLength(&banks) {
        return 0.0;
    }
    let kept = banks[slot];
    let before = unpack2x16snorm(kept.x);
    let turned = (before.x * heading.y - before.y * heading.x) / max(length(heading.xy), 0.1);
    let bank = view.bank.x * bitcast<f32>(kept.y) + view.bank.y * turned;
    banks[slot] = vec2<u32>(pack2x16snorm(heading.xy), bitcast<u32>(bank));
    return clamp(bank, -2.5, 2.5);
}

// A bird at dusk: two wings across the heading. A loop that runs at most once is a branch, which software adapters skip
// if no boid takes it.
fn add_bird(boid: Boid, heading: vec3<f32>, bank: f32, at: vec2<f32>, pixel: f32) {
    let sight = boid.position.xyz - view.eye.xyz;
    let wings = wings_of(heading, bank);
    let span = view.boid.w * length_of(boid);
    let pixels = span / pixel;
    let id = boid.tag.x;
    let across = across_picture(heading);
    // A random choice: the probability that a bird counts as flying to the right follows from its heading.
    let word = select(0u, 1u, share_of(id ^ 0x5bd1e995u) < 0.5 + 0.5 * across);
    let air = 1.0 - 0.75 * fog(length(sight));
    let strength = air * mix(1.15, 3.5, smoothstep(3.0, 14.0, pixels));
    let paint = Paint(strength * view.grid.z, view.counts.w, share_of(id), word, vec3<f32>(0.0));
    for (var once = pixels < POINT; once; once = false) {
        let facing = abs(dot(wings.upwards, normalize(sight)));
        add_point(at, 0.21 * pixels * pixels * (0.18 + 0.82 * facing), paint);
    }
    for (var once = pixels >= POINT; once; once = false) {
        // A dart when small: the larger it is, the narrower are its wings, and the more body shows.
        let grown = smoothstep(7.0, 12.0, pixels);
        let raised = bird_raised(id);
        let wing = span * (sqrt(1.0 - raised * raised) * wings.side * 0.5);
        let tip = boid.position.xyz - span * mix(0.06, 0.10, grown) * heading + span * 0.5 * raised * wings.upwards;
        let nose = project(boid.position.xyz + span * mix(0.22, 0.12, grown) * heading);
        let tail = project(boid.position.xyz - span * mix(0.22, 0.10, grown) * heading);
        let left = project(tip - wing);
        let right = project(tip + wing);
        let first = triangle(nose, tail, left);
        let second = triangle(nose, tail, right);
        let low = min(min(nose, tail), min(left, right));
        let high = max(max(nose, tail), max(left, right));
        // The body is visible even when the wings are edge-on.
        let area = max(first.area + second.area, 0.03 * pixels * pixels);
        let along = first.along + second.along;
        add_outline(Outline(at, first, second, vec3<f32>(at, -1e3), along, low, high), area, paint);
        for (var body = grown > 0.0; body; body = false) {
            let bill = project(boid.position.xyz + span * 0.27 * heading);
            let end = boid.position.xyz - span * 0.30 * heading;
            let port = project(end + span * 0.065 * wings.side);
            let starboard = project(end - span * 0.065 * wings.side);
            let trunk = triangle(bill, port, starboard);
            let low = min(bill, min(port, starboard));
            let high = max(bill, max(port, starboard));
            let whole = Paint(grown * paint.units, paint.stride, paint.rounding, word, paint.colour);
            let least = max(trunk.area, 0.02 * pixels * pixels);
            add_outline(Outline(at, trunk, trunk, vec3<f32>(at, -1e3), trunk.along, low, high), least, whole);
        }
    }
}

// A cone, or a dart in a flat world: the triangle that it fills in the picture.
fn add_cone(boid: Boid, heading: vec3<f32>, speed: f32, at: vec2<f32>, pixel: f32) {
    let own = length_of(boid);
    let size = max(own, view.boid.z * pixel);
    let sight = select(boid.position.xyz - view.eye.xyz, vec3<f32>(0.0, 0.0, 1.0), flat_world());
    let direction = normalize(sight);
    let side = perpendicular(heading, direction);
    // One normal for the whole boid: between the ridge of a cone, the direction to the eye, and up.
    let normal = normalize(cross(heading, side) - 0.6 * direction + 0.5 * top());
    let colour = clamp(lit_colour(boid, heading, speed, normal), vec3<f32>(0.0), vec3<f32>(1.0));
    let air = select(1.0 - fog(length(sight)), 1.0, flat_world());
    // A boid enlarged to stay visible is fainter.
    let strength = air * clamp(own * own / (size * size), 0.3, 1.0);
    let paint = Paint(strength * view.grid.z, view.counts.w, share_of(boid.tag.x), 0u, colour);
    let half = 0.5 * size * view.boid.y;
    let facing = abs(dot(heading, direction));
    let pixels = size / pixel;
    for (var once = (view.scale.w > 0.0) & (pixels > 0.0); once; once = false) {
        add_swept(boid.position.xyz - 0.42 * size * heading, boid.velocity.xyz, half / pixel, paint);
    }
    for (var once = pixels < POINT; once; once = false) {
        add_point(at, pixels * pixels * view.boid.y * (0.5 + 0.3 * facing), paint);
    }
    for (var once = pixels >= POINT; once; once = false) {
        let back = boid.position.xyz - 0.42 * size * heading;
        let nose = project(boid.position.xyz + 0.58 * size * heading);
        let tail = project(back);
        let left = project(back - half * side);
        let right = project(back + half * side);
        let radius = half / pixel * facing;
        let first = triangle(nose, left, right);
        let low = min(min(nose, tail - radius), min(left, right));
        let high = max(max(nose, tail + radius), max(left, right));
        let area = max(first.area, 3.14159 * radius * radius);
        let along = max(first.along, 3.14159 * radius);
        add_outline(Outline(at, first, first, vec3<f32>(tail, radius), along, low, high), area, paint);
    }
}

@compute @workgroup_size(GROUP)
fn cover_pixels(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    view = given_view;
    let i = (group.y * groups.x + group.x) * GROUP + local;
    if i >= arrayLength(&tags) {
        return;
    }
    let ahead = vec4<f32>(view.measure.w * velocities[i].xyz, 0.0);
    let boid = Boid(positions[i] + ahead, velocities[i], vec3<u32>(tags[i], 0u));
    let speed = length(boid.velocity.xyz);
    if !(speed < 1e30) {
        return;
    }
    let heading = heading_of(boid, speed);
    var bank = 0.0;
    if BIRDS {
        // Updated outside the picture, too, so that a bird enters it in flight.
        bank = bank_of(select(boid.tag.x, i, view.bank.w > 0.0), heading);
    }
    let depth = dot(boid.position.xyz - view.eye.xyz, view.forward.xyz);
    if !(flat_world() | (depth > 1e-3 * view.forward.w)) {
        return;
    }
    let pixel = pixel_at(boid.position.xyz);
    let at = project(boid.position.xyz);
    let reach = view.boid.w * view.boid.x / pixel + 2.0;
    if !(all(at > vec2<f32>(-reach)) && all(at < view.grid.xy + reach)) || hidden(boid.position.xyz) {
        return;
    }
    let large = view.boid.w * length_of(boid) > view.grid.w * pixel;
    if large && collect(boid, bank) {
        return;
    }
    if BIRDS {
        add_bird(boid, heading, bank, at, pixel);
    } else {
        add_cone(boid, heading, speed, at, pixel);
    }
}
