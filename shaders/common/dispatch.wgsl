// The element of each invocation: dispatches are folded into two dimensions.
//!include written/constants.wgsl
//!include written/DispatchParameters.wgsl

@group(0) @binding(14) var<uniform> dispatch: DispatchParameters;

struct Invocation {
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
}

// Index of the workgroup, without its z coordinate.
fn workgroup_of(at: Invocation) -> u32 { return at.group.y * at.groups.x + at.group.x; }

// Element of an invocation; valid only below dispatch.end.
fn element_of(at: Invocation) -> u32 { return dispatch.first + workgroup_of(at) * GROUP + at.local; }
