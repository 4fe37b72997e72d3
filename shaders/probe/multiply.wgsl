// Arithmetic throughput: multiplications each followed by an addition, in independent chains, on registers only.
//!include number/{number}.wgsl

const SIDE: u32 = 256u;
// Each round multiplies and adds 4 chains of 4 numbers, 4 times.
const ROUNDS: u32 = 64u;

// A factor, a summand, and a result that is never read.
@group(0) @binding(0) var<storage, read_write> numbers: array<vec4<Number>, 3>;

@compute @workgroup_size(SIDE)
fn main(@builtin(local_invocation_index) local: u32) {
    let factor = numbers[0];
    let summand = numbers[1];
    var a = summand + vec4<Number>(Number(local));
    var b = a + summand;
    var c = b + summand;
    var d = c + summand;
    for (var round = 0u; round < ROUNDS; round++) {
        a = a * factor + summand;
        b = b * factor + summand;
        c = c * factor + summand;
        d = d * factor + summand;
        a = a * factor + summand;
        b = b * factor + summand;
        c = c * factor + summand;
        d = d * factor + summand;
        a = a * factor + summand;
        b = b * factor + summand;
        c = c * factor + summand;
        d = d * factor + summand;
        a = a * factor + summand;
        b = b * factor + summand;
        c = c * factor + summand;
        d = d * factor + summand;
    }
    // Keeps the compiler from removing unused results.
    let sum = a + b + c + d;
    if (sum.x == Number(3)) {
        numbers[2] = sum;
    }
}
