// Sums up crowds, a level a dispatch: from the boids, or from the crowds of the level below.
//!include number.wgsl
//!include vector.wgsl
//!include common/rule.wgsl
//!include world.wgsl
//!include common/dispatch.wgsl
//!include common/crowd.wgsl
//!include crowd.wgsl

@group(0) @binding(0) var<uniform> rule: Rule;
@group(0) @binding(1) var<uniform> moment: Moment;
@group(0) @binding(2) var<storage, read> positions: array<vec4<Number>>;
@group(0) @binding(3) var<storage, read> velocities: array<vec4<Number>>;
@group(0) @binding(4) var<storage, read_write> arrivals: array<vec4<Number>>;

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let number = linear(group, groups, local);
    if (number >= moment.end) {
        return;
    }
    // The crowds of lower levels come first.
    var below = 0u;
    var start = 0u;
    for (var level = 1u; level < moment.round; level++) {
        below = start;
        start += rule.boids >> (FAN_SHIFT * level);
    }
    var crowd = Crowd();
    for (var k = number << FAN_SHIFT; k < (number + 1u) << FAN_SHIFT; k++) {
        if (moment.round == 1u) {
            crowd = united(crowd, crowd_of(positions[k], velocities[k]));
        } else {
            crowd = united(crowd, crowd_at(below + k));
        }
    }
    let words = words_of(crowd);
    let at = (start + number) * CROWD_WORDS;
    for (var k = 0u; k < CROWD_WORDS; k++) {
        arrivals[at + k] = words[k];
    }
}
