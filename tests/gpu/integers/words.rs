//! The arithmetic of `shaders/number/fixed.wgsl` against that of `flock::fixed`, word by word.

use flock::fixed::word::{self, mul_wide, shift_right, shift_right_word};
use flock::fixed::{Wide, polar};
use flock::{Fixed, Requests, Vec3, random};
use gpu::Gpu;
use gpu::shaders::Shaders;

use crate::{altered, read};

const ROWS: usize = 14;

/// Words at the ends of what there is, and words of every length.
fn inputs() -> Vec<[i32; 4]> {
    let edges =
        [0, 1, -1, 2, -2, 0xffff, -0xffff, 1 << 20, -(1 << 20), 1 << 29, -(1 << 29), i32::MAX, i32::MIN];
    let mut all = Vec::new();
    for x in edges {
        for y in edges {
            all.extend(edges.iter().map(|z| [x, y, *z, y ^ *z]));
        }
    }
    all.extend((0..20_000).map(|k| {
        let words = random::draw(7, 1, k, 2);
        let lengths = random::draw(7, 2, k, 2);
        std::array::from_fn(|i| words[i] as i32 >> (lengths[i] % 31))
    }));
    all
}

fn vector(v: [i32; 3]) -> Vec3<Fixed> {
    Vec3::from(v.map(Fixed))
}

fn row(v: Vec3<Fixed>, last: i32) -> [i32; 4] {
    [v.x.0, v.y.0, v.z.0, last]
}

fn folded(Wide { x, y, z }: Wide) -> i32 {
    let part = |c: i64, low: i32, high: i32| {
        (c as i32).wrapping_mul(low).wrapping_add(((c >> 32) as i32).wrapping_mul(high))
    };
    part(x, 3, 11).wrapping_add(part(y, 5, 13)).wrapping_add(part(z, 7, 17))
}

/// The expected output of `words.wgsl`.
fn expected(v: [i32; 4]) -> [[i32; 4]; ROWS] {
    let [x, y, z, w] = v.map(Fixed);
    let words = v.map(|c| c as u32);
    let (a, b) = (vector([v[0], v[1], v[2]]), vector([v[1], v[2], v[3]]));
    let count = (words[3] >> 8) + 1;
    let p = polar(a);
    let (unit, root) = p.map_or(([0; 3], 0), |p| (p.unit, p.root));
    let (direction, length) = a.direction().unwrap_or((Vec3::zero(), Fixed(0)));
    let wide = Wide { x: mul_wide(x.0, y.0), y: mul_wide(y.0, z.0), z: mul_wide(z.0, w.0) };
    let low = wide.map(|c| shift_right(c, words[3] % 63));
    let by = words[3] & 63;
    [
        [(x + y).0, (x - y).0, (x * y).0, (x / y).0],
        [
            word::mul_high(words[0], words[1]) as i32,
            word::mul_high(words[1], words[2]) as i32,
            word::mul_high(words[2], words[3]) as i32,
            word::reciprocal_root(words[0] | 1 << 30) as i32,
        ],
        {
            let short = |c: i32| shift_right_word(c >> 2, words[3] % 31);
            [short(v[0]), short(v[1]), short(v[2]), (1_i32 << (words[3] % 31)) >> 1]
        },
        {
            let mean = |k: usize| word::mean(v[k] >> 2, v[k + 1] >> 2, words[3] & 15, count);
            [mean(0), mean(1), mean(2), 0]
        },
        row(a + b, a.largest().0),
        row(a - b, 0),
        row(a * w, 0),
        [unit[0], unit[1], unit[2], root as i32],
        row(direction, length.0),
        row(a.limit(w), p.map_or(0, |p| p.inverse_exponent())),
        row(Fixed::toward(a, w), i32::from(Fixed::within(a, w))),
        [low.x as i32, low.y as i32, low.z as i32, folded(wide.map(|c| c << by))],
        row(Fixed::narrow(wide), folded(wide.weighed(w))),
        {
            let cut = |c: i64| c.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
            let quotient = wide.map(|c| shift_right(c, 3)).divided(count);
            [cut(wide.x), cut(wide.y), cut(wide.z), folded(quotient)]
        },
    ]
}

/// The output of `words.wgsl` on a GPU.
fn answers(gpu: &Gpu, shaders: &Shaders, inputs: &[[i32; 4]]) -> Vec<[[i32; 4]; ROWS]> {
    let shader = shaders.load("words.wgsl", "fixed").expect("given").source;
    let device = &gpu.device;
    let source = wgpu::ShaderSource::Wgsl(shader.into());
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("main"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let buffer = |size: usize, usage| {
        let (size, usage) = (size as u64, wgpu::BufferUsages::STORAGE | usage);
        device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
    };
    let given = buffer(size_of_val(inputs), wgpu::BufferUsages::COPY_DST);
    let answered = buffer(size_of_val(inputs) * ROWS, wgpu::BufferUsages::COPY_SRC);
    gpu.queue.write_buffer(&given, 0, bytemuck::cast_slice(inputs));
    let layout = pipeline.get_bind_group_layout(0);
    let [first, second] = [(0, &given), (1, &answered)]
        .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() });
    let entries = &[first, second];
    let group =
        device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout: &layout, entries });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.dispatch_workgroups((inputs.len() as u32).div_ceil(64), 1, 1);
    drop(pass);
    gpu.queue.submit([encoder.finish()]);
    read(gpu, &answered)
}

fn shaders() -> Shaders {
    let mut shaders = Shaders::default();
    shaders.files.push(("words.wgsl", include_str!("words.wgsl").into()));
    shaders
}

/// Inputs and rows whose answers differ.
fn differences(gpu: &Gpu, shaders: &Shaders) -> Vec<String> {
    let inputs = inputs();
    let mut found = Vec::new();
    for (input, answer) in inputs.iter().zip(answers(gpu, shaders, &inputs)) {
        for (row, (ours, theirs)) in expected(*input).iter().zip(&answer).enumerate() {
            if ours != theirs {
                found.push(format!("{input:?}, row {row}: {theirs:?}, not {ours:?}"));
            }
        }
    }
    found
}

pub fn words_have_the_same_bits(gpu: &Gpu) {
    let found = differences(gpu, &shaders());
    assert!(found.is_empty(), "{} of them:\n{}", found.len(), found[..found.len().min(20)].join("\n"));
}

pub fn a_slip_is_seen(gpu: &Gpu) {
    for (file, from, to) in [
        ("number/fixed.wgsl", "remainder >= count - remainder", "remainder > count - remainder"),
        ("number/fixed.wgsl", "(middle & mask)", "(low & mask)"),
    ] {
        let shaders = altered(shaders(), file, from, to);
        assert!(!differences(gpu, &shaders).is_empty(), "`{to}` in {file} goes unseen");
    }
}
