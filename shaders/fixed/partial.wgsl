// What stretches of the flock are summed up in: vectors of two words a component, and a count.

struct Partial {
    // w: the count.
    low: vec4<u32>,
    // w unused.
    high: vec4<i32>,
}

// The sum of two.
fn join(a: Partial, b: Partial) -> Partial {
    let low = a.low + b.low;
    let carry = select(vec4<i32>(0), vec4<i32>(1), low < a.low);
    return Partial(low, a.high + b.high + vec4<i32>(carry.xyz, 0));
}
