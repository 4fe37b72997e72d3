//! A shader in every language that a backend of wgpu takes, written by naga with the options that wgpu gives it; and
//! what `spirv-val` and glslang's front ends for GLSL and HLSL say of it.
//!
//! glslang's HLSL lacks one construct that naga writes and the compilers of Direct3D take, an array that is zeroed by a
//! cast: `(uint[256])0`. It is written otherwise here, in the same place and type.

use std::collections::HashSet;
use std::path::Path;
use std::process::Command;

use naga::ShaderStage;
use naga::back::{glsl, hlsl, msl, spv};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::ModuleInfo;

use crate::scope::{self, Scope};

/// A language, of one version where the backends differ by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// SPIR-V 1.3, of Vulkan 1.1, the first with subgroups: with wgpu's checks of indices and loops.
    SpirV13,
    /// SPIR-V 1.6, of Vulkan 1.3: without those checks, as the passes run it.
    SpirV16,
    /// GLSL 4.50: in 4.30 naga writes `mix` of integers, which that version lacks.
    Glsl450,
    GlslEs310,
    Hlsl,
    Msl,
}

/// All languages.
pub const LANGUAGES: [Language; 6] = [
    Language::SpirV13,
    Language::SpirV16,
    Language::Glsl450,
    Language::GlslEs310,
    Language::Hlsl,
    Language::Msl,
];

/// naga's output for an entry point.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The shader, its entry point and its constants.
    pub origin: String,
    pub stage: ShaderStage,
    /// The name of the entry point.
    pub entry: String,
    pub language: Language,
    pub text: Vec<u8>,
}

/// An entry point of a module whose constants are set.
#[derive(Clone, Copy, Debug)]
pub struct EntryPoint<'a> {
    pub module: &'a naga::Module,
    pub info: &'a ModuleInfo,
    pub stage: ShaderStage,
    pub name: &'a str,
}

impl EntryPoint<'_> {
    /// The entry point in a language.
    ///
    /// # Errors
    /// naga's words, when the language lacks something.
    pub fn translate(&self, language: Language) -> Result<Vec<u8>, String> {
        match language {
            Language::SpirV13 => self.spirv((1, 3), true),
            Language::SpirV16 => self.spirv((1, 6), false),
            Language::Glsl450 => self.glsl(glsl::Version::Desktop(450)),
            Language::GlslEs310 => self.glsl(glsl::Version::new_gles(310)),
            Language::Hlsl => self.hlsl(),
            Language::Msl => self.msl(),
        }
    }

    fn spirv(&self, lang_version: (u8, u8), checked: bool) -> Result<Vec<u8>, String> {
        let policy = if checked { BoundsCheckPolicy::Restrict } else { BoundsCheckPolicy::Unchecked };
        let options = spv::Options {
            lang_version,
            flags: spv::WriterFlags::LABEL_VARYINGS | spv::WriterFlags::FORCE_POINT_SIZE,
            bounds_check_policies: BoundsCheckPolicies {
                index: policy,
                buffer: policy,
                image_load: policy,
                ..BoundsCheckPolicies::default()
            },
            force_loop_bounding: checked,
            ..spv::Options::default()
        };
        let point = spv::PipelineOptions { shader_stage: self.stage, entry_point: self.name.to_owned() };
        let words = spv::write_vec(self.module, self.info, &options, Some(&point));
        let words = words.map_err(|error| error.to_string())?;
        Ok(words.iter().flat_map(|word| word.to_le_bytes()).collect())
    }

    fn glsl(&self, version: glsl::Version) -> Result<Vec<u8>, String> {
        // All resources are in one group; OpenGL has none.
        let resources = self.module.global_variables.iter().filter_map(|(_, variable)| variable.binding);
        let binding_map = resources.map(|at| (at, at.binding as u8)).collect();
        let writer_flags = glsl::WriterFlags::ADJUST_COORDINATE_SPACE | glsl::WriterFlags::FORCE_POINT_SIZE;
        let options = glsl::Options { version, writer_flags, binding_map, ..glsl::Options::default() };
        let point = glsl::PipelineOptions {
            shader_stage: self.stage,
            entry_point: self.name.to_owned(),
            multiview: None,
        };
        let mut text = String::new();
        let policies = BoundsCheckPolicies::default();
        glsl::Writer::new(&mut text, self.module, self.info, &options, &point, policies)
            .and_then(|mut writer| writer.write())
            .map_err(|error| error.to_string())?;
        Ok(text.into_bytes())
    }

    fn hlsl(&self) -> Result<Vec<u8>, String> {
        let mut text = String::new();
        let point = hlsl::PipelineOptions { entry_point: Some((self.stage, self.name.to_owned())) };
        let options = hlsl::Options::default();
        let written = hlsl::Writer::new(&mut text, &options, &point).write(self.module, self.info, None);
        written.map_err(|error| error.to_string())?;
        Ok(text.into_bytes())
    }

    fn msl(&self) -> Result<Vec<u8>, String> {
        let point = msl::PipelineOptions {
            entry_point: Some((self.stage, self.name.to_owned())),
            ..msl::PipelineOptions::default()
        };
        let options = msl::Options { lang_version: (2, 0), ..msl::Options::default() };
        let written = msl::write_string(self.module, self.info, &options, &point);
        Ok(written.map_err(|error| error.to_string())?.0.into_bytes())
    }
}

/// True if the validators are installed, and this call tests with them; prints a line if not.
///
/// # Panics
/// When one is missing in a call that tests with it.
pub fn can_validate() -> bool {
    if scope::left_to_all("shaders by other readers than naga") {
        return false;
    }
    for name in ["spirv-val", "glslangValidator"] {
        if Command::new(name).arg("--version").output().is_err() {
            scope::missing(Scope::All, &format!("{name} is not installed"));
            return false;
        }
    }
    true
}

/// The validators' error messages: origin and text of each translation that one refuses. No validator knows MSL.
pub fn refused(translations: &[Translation]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut seen = HashSet::new();
    let mut different = Vec::new();
    for translation in translations.iter().filter(|translation| translation.language != Language::Msl) {
        if seen.insert((translation.stage, &translation.entry, translation.language, &translation.text)) {
            different.push(translation);
        }
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = different.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let shares = different.chunks(share).enumerate().map(|(number, share)| {
            let file = folder.path().join(number.to_string());
            scope.spawn(move || share.iter().filter_map(|one| refusal(one, &file)).collect::<Vec<_>>())
        });
        let running: Vec<_> = shares.collect();
        running.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    })
}

/// The error message of a translation, which is written to the file.
fn refusal(translation: &Translation, file: &Path) -> Option<String> {
    let Translation { origin, stage, entry, language, text } = translation;
    let stage = match stage {
        ShaderStage::Vertex => "vert",
        ShaderStage::Fragment => "frag",
        ShaderStage::Compute => "comp",
        other => panic!("no shader of the program is of stage {other:?}"),
    };
    let text = if *language == Language::Hlsl { &zeroed_otherwise(text) } else { text };
    std::fs::write(file, text).expect("written");
    let output = file.with_extension("spv");
    let line = match language {
        Language::SpirV13 => "spirv-val --target-env vulkan1.1".to_owned(),
        Language::SpirV16 => "spirv-val --target-env vulkan1.3".to_owned(),
        // HLSL is read only to write SPIR-V, whose optimisation would take a second for each step.
        Language::Hlsl => {
            format!("glslangValidator -D -V -Od --quiet -e {entry} -S {stage} -o {}", output.display())
        }
        _ => format!("glslangValidator -S {stage}"),
    };
    let mut words = line.split(' ');
    let mut call = Command::new(words.next().expect("a program"));
    let said = call.args(words).arg(file).output().expect("it was found");
    let text = [said.stdout, said.stderr].concat();
    (!said.status.success()).then(|| format!("{origin}: {}", String::from_utf8_lossy(&text)))
}

/// `NAME = (T[N])0;` without the cast: a declaration loses its value, an assignment gets it from a variable.
fn zeroed_otherwise(text: &[u8]) -> Vec<u8> {
    let mut written = String::new();
    for line in String::from_utf8_lossy(text).lines() {
        match line.strip_suffix("])0;").and_then(|rest| rest.split_once(" = (")) {
            Some((left, _)) if left.trim().contains(' ') => written += &format!("{left};"),
            Some((left, kind)) => {
                let (kind, length) = kind.split_once('[').expect("an array");
                written += &format!("{{ {kind} zero[{length}]; {left} = zero; }}");
            }
            None => written += line,
        }
        written += "\n";
    }
    written.into_bytes()
}
