// Which element an invocation works on: dispatches are folded into two dimensions.

const GROUP: u32 = 64u;

struct DispatchParameters {
    // The elements from `first` on, before `end`.
    first: u32,
    end: u32,
    // Number of the step, for the noise.
    step: u32,
    // Index of the step in its batch, which is submitted at once.
    turn: u32,
    // The round of a pass that takes several, and their number; each has its own elements or workgroups.
    round: u32,
    rounds: u32,
    unused_0: u32,
    unused_1: u32,
}

fn linear(group: vec3<u32>, groups: vec3<u32>, local: u32) -> u32 {
    return (group.y * groups.x + group.x) * GROUP + local;
}
