// Which element an invocation works on: dispatches are folded into two dimensions.

const GROUP: u32 = 64u;

// What changes from dispatch to dispatch.
struct Moment {
    // The elements from `first` on, before `end`.
    first: u32,
    end: u32,
    // Number of the step, for the noise.
    step: u32,
    // Its place in the batch of steps that was submitted at once.
    turn: u32,
    // Of a pass that goes several rounds, or takes some workgroups a round: which one, and of how many.
    round: u32,
    rounds: u32,
    unused_0: u32,
    unused_1: u32,
}

fn linear(group: vec3<u32>, groups: vec3<u32>, local: u32) -> u32 {
    return (group.y * groups.x + group.x) * GROUP + local;
}
