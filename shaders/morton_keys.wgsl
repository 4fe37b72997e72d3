// The sort keys of boids in dense cells: the Morton code within the cell, so that consecutive boids are near each
// other, then the id. Writes the list that merge.wgsl sorts, in the memory of the old positions.
//!include rule/world.wgsl
//!include common/dispatch.wgsl
//!include common/grid.wgsl

@group(0) @binding(0) var<storage, read> new_positions: array<vec4<Number>>;
@group(0) @binding(1) var<storage, read> arrivals: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> members: array<vec2<u32>>;
// Morton code, id, arrival, cell.
@group(0) @binding(3) var<storage, read_write> positions: array<vec4<u32>>;

// Ten binary digits, each followed by two zeros.
fn spread_digits(v: vec3<u32>) -> vec3<u32> {
    var apart = (v | (v << vec3<u32>(16u))) & vec3<u32>(0x030000ffu);
    apart = (apart | (apart << vec3<u32>(8u))) & vec3<u32>(0x0300f00fu);
    apart = (apart | (apart << vec3<u32>(4u))) & vec3<u32>(0x030c30c3u);
    return (apart | (apart << vec3<u32>(2u))) & vec3<u32>(0x09249249u);
}

// The Morton code of a position within its cell. Cells are half as long along x.
fn morton_code(position: Vector) -> u32 {
    let code = spread_digits(within_cell(position) >> vec3<u32>(1u, 0u, 0u)) << vec3<u32>(0u, 1u, 2u);
    return code.x | code.y | code.z;
}

@compute @workgroup_size(GROUP)
fn main(at: Invocation) {
    let i = element_of(at);
    if (i >= dispatch.end) {
        return;
    }
    let member = members[i];
    let code = morton_code(wrap(new_positions[member.y].xyz));
    positions[i] = vec4<u32>(code, member, arrivals[member.y].z);
}
