// Which element an invocation works on: dispatches are folded into two dimensions.
//!include written/constants.wgsl
//!include written/DispatchParameters.wgsl

@group(0) @binding(14) var<uniform> dispatch: DispatchParameters;

struct Invocation {
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
}

// The workgroup's number; those along z have the same.
fn workgroup_of(at: Invocation) -> u32 { return at.group.y * at.groups.x + at.group.x; }

// The element of an invocation; there is none from dispatch.end on.
fn element_of(at: Invocation) -> u32 { return dispatch.first + workgroup_of(at) * GROUP + at.local; }
