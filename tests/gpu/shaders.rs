//! Every shader, as the program loads it: checked as on a device without extras, translated for every backend, and
//! its structs compared with their twins in Rust, field by field.

use flock::formula::Prepared;
use flock::{Fixed, Parameters, Rule};
use gpu::Kernel;
use gpu::layout::{self, Layout};
use gpu::number::OnGpu;
use gpu::passes::Pass;
use gpu::probe::SHADERS as PROBES;
use gpu::rule;
use gpu::shaders::{Binding, Shader, Shaders};
use naga::back::{PipelineConstants, pipeline_constants::process_overrides};
use naga::proc::GlobalCtx;
use naga::valid::Capabilities;
use scene::{Near, ViewUniform, source};

use crate::translations::{EntryPoint, LANGUAGES, Language, Translation, can_validate, refused};

/// All shaders, those of the engine and those of the view.
fn all() -> Vec<Shader> {
    let engine = engine().into_iter().map(|(_, shader)| shader);
    let view = [sample("view/all.wgsl", &source())];
    let probes =
        PROBES.iter().flat_map(|name| ["f32", "fixed"].map(|folder| Shaders::default().load(name, folder)));
    engine
        .chain(with_formulas::<f32>())
        .chain(with_formulas::<Fixed>())
        .chain(view)
        .chain(probes.map(|probe| probe.expect("part of the program")))
        .collect()
}

/// The steps of a rule with custom terms.
fn with_formulas<T: OnGpu>() -> impl Iterator<Item = Shader> {
    let terms = crate::formulas::written(crate::formulas::ALL);
    let rule = Rule::<T>::new(&Parameters { terms, ..Parameters::default() });
    let text = gpu::formulas::text(Prepared::new(&rule).expect("they fit").as_ref(), true);
    Kernel::ALL.into_iter().map(move |(kernel, _)| {
        Pass::Step.shader::<T>(&Shaders::default().with_formulas(&text), kernel).expect("part of the program")
    })
}

/// Those of the engine's passes, for every number type and kernel.
fn engine() -> Vec<(Pass, Shader)> {
    let mut all = of::<f32>();
    all.extend(of::<Fixed>());
    all
}

fn of<T: OnGpu>() -> Vec<(Pass, Shader)> {
    let shaders = Shaders::default();
    let mut all = Vec::new();
    let shader =
        |pass: Pass, kernel| (pass, pass.shader::<T>(&shaders, kernel).expect("part of the program"));
    all.extend(Pass::of::<T>().iter().map(|pass| shader(*pass, Kernel::Plain)));
    all.push(shader(Pass::Step, Kernel::Shared));
    all
}

fn sample(name: &'static str, text: &str) -> Shader {
    let text = String::leak(text.to_owned());
    Shaders { files: vec![(name, (&*text).into())] }.load(name, "f32").expect("given")
}

/// The extras of a device that a shader may use: it is run by no other.
fn extras(shader: &Shader) -> Capabilities {
    if shader.name.ends_with("shared.wgsl") { Capabilities::SUBGROUP } else { Capabilities::empty() }
}

/// A shader in every language, at every setting of its constants.
#[derive(Default)]
struct Translated {
    /// naga's output with its shader, entry point and language.
    texts: Vec<Translation>,
    /// naga's error messages.
    faults: Vec<String>,
}

fn translated(shader: &Shader) -> Translated {
    let mut all = Translated::default();
    let (module, info) = match shader.check(extras(shader)) {
        Ok(checked) => checked,
        Err(error) => return Translated { faults: vec![error], ..all },
    };
    for (setting, constants) in settings(&module).into_iter().enumerate() {
        for entry in &module.entry_points {
            let point = (entry.stage, entry.name.as_str());
            // Setting 0 is the constants as they stand, setting 1 all of them at 0.
            let origin = format!("{}, {}, setting {setting}", shader.name, entry.name);
            let (module, info) = match process_overrides(&module, &info, Some(point), &constants) {
                Ok(set) => set,
                Err(error) => {
                    all.faults.push(format!("{origin}: {error}"));
                    continue;
                }
            };
            let point = EntryPoint { module: &module, info: &info, stage: entry.stage, name: &entry.name };
            for language in LANGUAGES {
                match point.translate(language) {
                    Ok(text) => {
                        let (origin, stage, entry) = (origin.clone(), entry.stage, entry.name.clone());
                        all.texts.push(Translation { origin, stage, entry, language, text });
                    }
                    Err(error) => all.faults.push(format!("{origin}, {language:?}: {error}")),
                }
            }
        }
    }
    all
}

/// The constants as they stand, then all at 0, and all at 1.
fn settings(module: &naga::Module) -> Vec<PipelineConstants> {
    let names: Vec<String> = module.overrides.iter().filter_map(|(_, o)| o.name.clone()).collect();
    let mut all = vec![PipelineConstants::default()];
    if !names.is_empty() {
        for value in [0.0, 1.0] {
            all.push(names.iter().map(|name| (name.clone(), value)).collect());
        }
    }
    all
}

/// The differences between a shader's struct and its twin; `None` if the shader lacks it.
fn layout_faults(shader: &Shader, twin: &Layout) -> Option<Vec<String>> {
    let module = shader.parse().expect("checked by another test");
    let (_, found) = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some(twin.name))?;
    let naga::TypeInner::Struct { members, span } = &found.inner else {
        return Some(vec![format!("{} is no struct", twin.name)]);
    };
    let context: GlobalCtx<'_> = module.to_ctx();
    let theirs: Vec<(String, usize, usize)> = members
        .iter()
        .map(|member| {
            let size = module.types[member.ty].inner.size(context);
            (member.name.clone().unwrap_or_default(), member.offset as usize, size as usize)
        })
        .collect();
    let mut faults = Vec::new();
    if *span as usize != twin.size {
        faults.push(format!("{}: {span} bytes in {}, {} in Rust", twin.name, shader.name, twin.size));
    }
    if theirs.len() != twin.fields.len() {
        faults.push(format!("{}: {} fields, {} in Rust", twin.name, theirs.len(), twin.fields.len()));
    }
    for (theirs, (name, _, offset, size)) in theirs.iter().zip(twin.fields) {
        let ours = (*name, *offset, *size);
        if (theirs.0.as_str(), theirs.1, theirs.2) != ours {
            faults.push(format!("{}: {theirs:?} in {}, {ours:?} in Rust", twin.name, shader.name));
        }
    }
    Some(faults)
}

/// Much quicker than the translations: `cargo xtask prove shaders` asks it which mutants are WGSL at all.
#[test]
fn every_shader_passes_validation() {
    for shader in all() {
        let (module, info) = shader.check(extras(&shader)).unwrap_or_else(|error| panic!("{error}"));
        for (setting, constants) in settings(&module).into_iter().enumerate() {
            let set = process_overrides(&module, &info, None, &constants);
            assert!(set.is_ok(), "{}, setting {setting}: {:?}", shader.name, set.err());
        }
    }
}

#[test]
fn every_shader_is_valid_and_translates_to_what_other_readers_take() {
    let mut texts = Vec::new();
    for shader in all() {
        let Translated { texts: more, faults } = translated(&shader);
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        texts.extend(more);
    }
    for language in LANGUAGES {
        assert!(texts.iter().any(|text| text.language == language), "nothing in {language:?}");
    }
    if !can_validate() {
        return;
    }
    let found = refused(&texts);
    assert!(found.is_empty(), "{}", found.join("\n"));
    // The control: a broken text is named beside a sound one.
    for language in LANGUAGES.into_iter().filter(|language| *language != Language::Msl) {
        let sound = texts.iter().find(|text| text.language == language).expect("there is one");
        let mut broken = Translation { origin: "broken".to_owned(), ..sound.clone() };
        match language {
            // The end of the last function.
            Language::SpirV13 | Language::SpirV16 => broken.text.truncate(broken.text.len() - 4),
            _ => broken.text.extend(b"\nuint broken() { return undeclared; }\n"),
        }
        let found = refused(&[sound.clone(), broken]);
        assert!(found.len() == 1 && found[0].starts_with("broken"), "{language:?}: {found:?}");
    }
}

macro_rules! fields {
    ($twin:ty { $($field:ident: $type:ty),* }) => {
        &[$((
            stringify!($field),
            stringify!($type),
            std::mem::offset_of!($twin, $field),
            size_of::<$type>(),
        )),*]
    };
}

/// The view's uniform.
const VIEW: Layout = Layout {
    name: "View",
    size: size_of::<ViewUniform>(),
    fields: fields!(ViewUniform {
        view_projection: [[f32; 4]; 4],
        right: [f32; 4],
        up: [f32; 4],
        forward: [f32; 4],
        eye: [f32; 4],
        light: [f32; 4],
        centre: [f32; 4],
        scale: [f32; 4],
        measure: [f32; 4],
        boid: [f32; 4],
        grid: [f32; 4],
        mode: [u32; 4],
        counts: [u32; 4],
        bank: [f32; 4],
        before: [[f32; 4]; 4]
    }),
};

/// A boid that is drawn as a mesh.
const NEAR: Layout = Layout {
    name: "Near",
    size: size_of::<Near>(),
    fields: fields!(Near { position: [f32; 4], velocity: [f32; 4], tag: [u32; 4] }),
};

#[test]
fn structs_lie_alike_on_both_sides() {
    let shaders = all();
    let mut found = Vec::new();
    let rule = Layout { name: "Rule", size: rule::size(), fields: Vec::leak(rule::layout()) };
    for twin in layout::LAYOUTS.iter().map(|(_, twin)| twin).chain([&rule]) {
        let checked: Vec<_> = shaders
            .iter()
            .filter(|shader| !shader.name.starts_with("view/"))
            .filter_map(|shader| layout_faults(shader, twin))
            .collect();
        assert!(!checked.is_empty(), "no shader has {}", twin.name);
        found.extend(checked.into_iter().flatten());
    }
    for shader in shaders.iter().filter(|shader| shader.name.starts_with("view/")) {
        found.extend(layout_faults(shader, &VIEW).expect("every drawing shader has a view"));
    }
    let near: Vec<_> = shaders.iter().filter_map(|shader| layout_faults(shader, &NEAR)).collect();
    assert_eq!(near.len(), 1, "one shader collects near boids");
    found.extend(near.into_iter().flatten());
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn bindings_stay_within_what_every_device_has() {
    let limits = wgpu::Limits::default();
    for (pass, shader) in engine() {
        let name = pass.name();
        let module = shader.parse().expect("checked by another test");
        let bindings = shader.bindings().expect("checked by another test");
        let storage = |b: &&Binding| matches!(b.kind, wgpu::BufferBindingType::Storage { .. });
        let count = bindings.iter().filter(storage).count() as u32;
        assert!(count <= limits.max_storage_buffers_per_shader_stage, "{name}: {count} storage buffers");
        let invocations: u32 = module.entry_points[0].workgroup_size.iter().product();
        assert!(invocations <= limits.max_compute_invocations_per_workgroup, "{name}: {invocations}");
    }
}

#[test]
fn faults_are_found() {
    let main = |line: &str| format!("@compute @workgroup_size(1)\nfn main() {{\n    {line}\n}}\n");
    let broken = translated(&sample("broken.wgsl", &main("let x: u32 = 1.5;"))).faults;
    assert!(broken[0].starts_with("shaders/broken.wgsl:3:"), "{broken:?}");
    // Doubles are an extra that not every device has, and so are subgroups.
    assert!(!translated(&sample("extra.wgsl", &main("var x: f64 = 1.0lf;"))).faults.is_empty());
    let shared = Pass::Step.shader::<f32>(&Shaders::default(), Kernel::Shared).expect("part of the program");
    assert!(shared.check(Capabilities::empty()).is_err());
    let mut twins = layout::LAYOUTS.iter().map(|(_, twin)| twin);
    let parameters = twins.find(|twin| twin.name == "DispatchParameters").expect("shared");
    for members in ["first: u32, step: u32, end: u32, turn: u32", "first: u32, end: u32"] {
        let other = sample("other.wgsl", &format!("struct DispatchParameters {{ {members} }}\n"));
        assert!(!layout_faults(&other, parameters).expect("has it").is_empty(), "{members}");
    }
}
