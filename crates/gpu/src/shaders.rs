//! The shaders: built into the program, assembled from fragments, and reflected for their bindings.
//!
//! A line `//!include name.wgsl` is replaced by that fragment; each fragment is included once. `{number}` in a name
//! stands for the number type: `number/{number}.wgsl` is `number/f32.wgsl` in f32.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write;

use super::{formulas, layout, rule};

/// An assembled shader.
#[derive(Clone, Debug)]
pub struct Shader {
    pub name: &'static str,
    pub source: String,
    /// Source file and line of each assembled line.
    origins: Vec<(&'static str, usize)>,
}

/// A buffer that a shader binds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Name of the variable, and of the buffer.
    pub name: String,
    pub number: u32,
    pub kind: wgpu::BufferBindingType,
}

/// The files that shaders are assembled from, by name.
#[derive(Clone, Debug)]
pub struct Shaders {
    pub files: Vec<(&'static str, Cow<'static, str>)>,
}

impl Default for Shaders {
    /// The WGSL files of the program, and those generated from the tables in Rust.
    fn default() -> Self {
        let files = shaders::FILES.iter().map(|(name, text)| (*name, Cow::Borrowed(*text)));
        let written = layout::files().chain(rule::files()).map(|(name, text)| (name, Cow::Owned(text)));
        Shaders { files: files.chain(written).collect() }
    }
}

impl Shaders {
    /// The same files with this text for the custom terms: see [`formulas::text`].
    #[must_use]
    pub fn with_formulas(&self, text: &str) -> Self {
        let mut files = self.files.clone();
        for (name, contents) in &mut files {
            if *name == formulas::FILE {
                *contents = Cow::Owned(text.to_owned());
            }
        }
        Shaders { files }
    }

    /// Assembles a shader for a number type.
    ///
    /// # Errors
    /// When its file, or the file of a fragment, is missing.
    pub fn load(&self, name: &str, number: &str) -> Result<Shader, String> {
        let (name, _) = self.find(name, number)?;
        let mut shader = Shader { name, source: String::new(), origins: Vec::new() };
        shader.append(name, number, self, &mut BTreeSet::new())?;
        Ok(shader)
    }

    /// A file's full name and its text.
    fn find(&self, name: &str, number: &str) -> Result<(&'static str, &str), String> {
        let name = name.replace("{number}", number);
        let found = self.files.iter().find(|file| file.0 == name);
        found.map(|(name, text)| (*name, &**text)).ok_or_else(|| format!("no shader file {name}"))
    }
}

impl Shader {
    fn append(
        &mut self,
        name: &str,
        number: &str,
        shaders: &Shaders,
        taken: &mut BTreeSet<&'static str>,
    ) -> Result<(), String> {
        let (name, text) = shaders.find(name, number)?;
        if !taken.insert(name) {
            return Ok(());
        }
        for (count, line) in (1..).zip(text.lines()) {
            match line.strip_prefix("//!include ") {
                Some(fragment) => self.append(fragment.trim(), number, shaders, taken)?,
                None => {
                    self.source.push_str(line);
                    self.source.push('\n');
                    self.origins.push((name, count));
                }
            }
        }
        Ok(())
    }

    /// Parses the source.
    ///
    /// # Errors
    /// The first error, with file and line.
    pub fn parse(&self) -> Result<naga::Module, String> {
        naga::front::wgsl::parse_str(&self.source)
            .map_err(|error| self.fault(error.location(&self.source), error.message()))
    }

    /// Parses the source and validates it for a device with only these optional capabilities.
    ///
    /// # Errors
    /// The first error, with file, line and chain of causes.
    pub fn check(
        &self,
        capabilities: naga::valid::Capabilities,
    ) -> Result<(naga::Module, naga::valid::ModuleInfo), String> {
        let module = self.parse()?;
        let flags = naga::valid::ValidationFlags::all();
        let mut validator = naga::valid::Validator::new(flags, capabilities);
        match validator.validate(&module) {
            Ok(info) => Ok((module, info)),
            Err(error) => {
                let mut text = error.as_inner().to_string();
                let mut cause = std::error::Error::source(error.as_inner());
                while let Some(inner) = cause {
                    let _ = write!(text, ": {inner}");
                    cause = inner.source();
                }
                Err(self.fault(error.location(&self.source), &text))
            }
        }
    }

    /// Formats a message with the source file and line of a location in the assembled text.
    fn fault(&self, place: Option<naga::SourceLocation>, text: &str) -> String {
        let line = place.and_then(|place| self.origins.get(place.line_number.checked_sub(1)? as usize));
        let (file, line) = line.copied().unwrap_or((self.name, 0));
        format!("shaders/{file}:{line}: {text}")
    }

    /// The buffers that the shader binds.
    ///
    /// # Errors
    /// When the source cannot be parsed.
    pub fn bindings(&self) -> Result<Vec<Binding>, String> {
        let binding = |global: &naga::GlobalVariable| {
            let kind = match global.space {
                naga::AddressSpace::Storage { access } => wgpu::BufferBindingType::Storage {
                    read_only: !access.contains(naga::StorageAccess::STORE),
                },
                _ => wgpu::BufferBindingType::Uniform,
            };
            Some(Binding { name: global.name.clone()?, number: global.binding.as_ref()?.binding, kind })
        };
        Ok(self.parse()?.global_variables.iter().filter_map(|(_, global)| binding(global)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &[(&str, &str)] = &[
        ("a.wgsl", "//!include common/b.wgsl\n//!include common/c.wgsl\nfn a() {}\n"),
        ("common/b.wgsl", "//!include common/c.wgsl\nfn b() {}\n"),
        ("common/c.wgsl", "fn c() {}\n"),
        ("broken.wgsl", "//!include common/c.wgsl\nfn d() { return 1 }\n"),
        ("lost.wgsl", "//!include common/nowhere.wgsl\n"),
    ];

    fn sample() -> Shaders {
        Shaders { files: SAMPLE.iter().map(|(name, text)| (*name, Cow::Borrowed(*text))).collect() }
    }

    #[test]
    fn fragments_are_included_once_and_lines_keep_their_origin() {
        let shader = sample().load("a.wgsl", "f32").expect("all there");
        assert_eq!(shader.source, "fn c() {}\nfn b() {}\nfn a() {}\n");
        assert_eq!(shader.origins, [("common/c.wgsl", 1), ("common/b.wgsl", 2), ("a.wgsl", 3)]);
    }

    #[test]
    fn faults_name_file_and_line() {
        let broken = sample().load("broken.wgsl", "f32").expect("all there");
        let text = broken.parse().expect_err("broken");
        assert!(text.starts_with("shaders/broken.wgsl:2: "), "{text}");
        let lost = sample().load("lost.wgsl", "f32").expect_err("lost");
        assert!(lost.contains("common/nowhere.wgsl"));
        assert!(Shaders::default().load("nothing.wgsl", "f32").is_err());
    }
}
