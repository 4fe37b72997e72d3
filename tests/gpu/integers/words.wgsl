// Each operation on words, for a test that compares the results with those of the CPU.
//!include number/{number}.wgsl

const ROWS: u32 = 14u;

@group(0) @binding(0) var<storage, read> inputs: array<vec4<i32>>;
@group(0) @binding(1) var<storage, read_write> outputs: array<vec4<i32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= arrayLength(&inputs)) {
        return;
    }
    let v = inputs[id.x];
    let words = bitcast<vec4<u32>>(v);
    let row = id.x * ROWS;
    outputs[row] = vec4<i32>(add(v.x, v.y), subtract(v.x, v.y), multiply(v.x, v.y), divide(v.x, v.y));
    let high = mul_high(words.xyz, words.yzw);
    outputs[row + 1u] = vec4<i32>(bitcast<vec3<i32>>(high), i32(reciprocal_root(words.x | 0x40000000u)));
    let short = vec3<i32>(v.x >> 2u, v.y >> 2u, v.z >> 2u);
    outputs[row + 2u] = vec4<i32>(shift_right_word(short, words.w % 31u), half_of(words.w % 31u));
    outputs[row + 3u] = vec4<i32>(mean(v.xyz >> vec3<u32>(2u), v.yzw >> vec3<u32>(2u), words.w & 15u, (words.w >> 8u) + 1u), 0);
    outputs[row + 4u] = vec4<i32>(plus(v.xyz, v.yzw), largest(v.xyz));
    outputs[row + 5u] = vec4<i32>(minus(v.xyz, v.yzw), 0);
    outputs[row + 6u] = vec4<i32>(times(v.xyz, v.w), 0);
    let p = polar(v.xyz);
    outputs[row + 7u] = vec4<i32>(p.unit, i32(p.root));
    outputs[row + 8u] = vec4<i32>(unit_vector(p), length_of(p));
    outputs[row + 9u] = vec4<i32>(limit(v.xyz, v.w), p.shift + i32(p.halving));
    outputs[row + 10u] = vec4<i32>(toward(v.xyz, v.w), select(0, 1, within(v.xyz, v.w)));

    let product = mul_wide(v.xyz, v.yzw);
    let shifted = shift_right(product, words.w % 63u);
    outputs[row + 11u] = vec4<i32>(bitcast<vec3<i32>>(shifted.low), folded(shift_left(product, words.w & 63u)));
    outputs[row + 12u] = vec4<i32>(narrow(product), folded(weigh(product, v.w)));
    let count = (words.w >> 8u) + 1u;
    let quotient = divide_wide(shift_right(product, 3u), count);
    outputs[row + 13u] = vec4<i32>(saturate_wide(product), folded(quotient));
}

// All words of a vector in one.
fn folded(wide: Wide) -> i32 {
    let low = bitcast<vec3<i32>>(wide.low) * vec3<i32>(3, 5, 7);
    let high = wide.high * vec3<i32>(11, 13, 17);
    return low.x + low.y + low.z + high.x + high.y + high.z;
}
