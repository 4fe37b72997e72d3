// What the boids of crowded cells are sorted by: along a curve through their cell, so that those who follow each other
// are near each other, and where that cannot tell them apart by id. Begins the list that merge.wgsl sorts, in the room
// of the positions that were.
//!include number.wgsl
//!include vector.wgsl
//!include common/rule.wgsl
//!include world.wgsl
//!include common/grid.wgsl
//!include cells.wgsl
//!include common/dispatch.wgsl

@group(0) @binding(0) var<uniform> rule: Rule;
@group(0) @binding(1) var<uniform> grid: Grid;
@group(0) @binding(2) var<uniform> moment: Moment;
@group(0) @binding(3) var<storage, read> new_positions: array<vec4<Number>>;
@group(0) @binding(4) var<storage, read> arrivals: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> members: array<vec2<u32>>;
// Place on the curve, id, arrival, cell.
@group(0) @binding(6) var<storage, read_write> positions: array<vec4<u32>>;

// Ten binary digits each with two zeros after each of them.
fn spread(digits_of: vec3<u32>) -> vec3<u32> {
    var apart = (digits_of | (digits_of << vec3<u32>(16u))) & vec3<u32>(0x030000ffu);
    apart = (apart | (apart << vec3<u32>(8u))) & vec3<u32>(0x0300f00fu);
    apart = (apart | (apart << vec3<u32>(4u))) & vec3<u32>(0x030c30c3u);
    return (apart | (apart << vec3<u32>(2u))) & vec3<u32>(0x09249249u);
}

// Where on Morton's curve through its cell a position lies. Cells are half as long along x.
fn curve(position: vec3<Number>) -> u32 {
    let code = spread(within_cell(position) >> vec3<u32>(1u, 0u, 0u)) << vec3<u32>(0u, 1u, 2u);
    return code.x | code.y | code.z;
}

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = moment.first + linear(group, groups, local);
    if (i >= moment.end) {
        return;
    }
    let member = members[i];
    let place = curve(wrap(new_positions[member.y].xyz));
    positions[i] = vec4<u32>(place, member, arrivals[member.y].z);
}
