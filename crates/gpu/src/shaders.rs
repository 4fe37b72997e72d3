//! The shaders: built into the program, assembled from fragments, and reflected for their bindings.
//!
//! A line `//!include name.wgsl` is replaced by that fragment; each fragment is included once. `{number}` in a name stands
//! for the number type: `number/{number}.wgsl` is `number/f32.wgsl` where f32 is asked for.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write;

use super::rule;

/// An assembled shader.
#[derive(Clone, Debug)]
pub struct Shader {
    pub name: &'static str,
    pub source: String,
    /// The file and the line of each line of the source.
    origins: Vec<(&'static str, usize)>,
}

/// A buffer that a shader binds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The name of the variable and of the buffer.
    pub name: String,
    pub number: u32,
    pub kind: wgpu::BufferBindingType,
}

/// An error in a shader: file, line, message.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ShaderError(pub String);

/// The files that shaders are assembled from.
#[derive(Clone, Debug)]
pub struct Shaders {
    files: Vec<(&'static str, Cow<'static, str>)>,
}

impl Default for Shaders {
    /// The files of the program, and those written from the table of the rule.
    fn default() -> Self {
        let mut shaders = Shaders::new(shaders::FILES);
        shaders.files.extend(rule::files().map(|(name, text)| (name, Cow::Owned(text))));
        shaders
    }
}

impl Shaders {
    /// From names and texts of files.
    #[must_use]
    pub fn new(files: &[(&'static str, &'static str)]) -> Self {
        Shaders { files: files.iter().map(|(name, text)| (*name, Cow::Borrowed(*text))).collect() }
    }

    /// Adds a file.
    #[must_use]
    pub fn with(mut self, name: &'static str, text: &'static str) -> Self {
        self.files.push((name, Cow::Borrowed(text)));
        self
    }

    /// Replaces a text in a file: a mutation, for a test that must detect it.
    ///
    /// # Errors
    /// When the file is missing, or the text in it.
    pub fn altered(mut self, name: &str, from: &str, to: &str) -> Result<Self, ShaderError> {
        let file = self.files.iter_mut().find(|file| file.0 == name && file.1.contains(from));
        let (_, text) = file.ok_or_else(|| ShaderError(format!("no `{from}` in {name}")))?;
        *text = Cow::Owned(text.replace(from, to));
        Ok(self)
    }

    /// Assembles a shader for a number type.
    ///
    /// # Errors
    /// When its file, or that of a fragment, is missing.
    pub fn load(&self, name: &str, number: &str) -> Result<Shader, ShaderError> {
        let (name, _) = self.find(name, number)?;
        let mut shader = Shader { name, source: String::new(), origins: Vec::new() };
        shader.append(name, number, self, &mut BTreeSet::new())?;
        Ok(shader)
    }

    /// A file's full name and its text.
    fn find(&self, name: &str, number: &str) -> Result<(&'static str, &str), ShaderError> {
        let name = name.replace("{number}", number);
        let found = self.files.iter().find(|file| file.0 == name);
        found
            .map(|(name, text)| (*name, &**text))
            .ok_or_else(|| ShaderError(format!("no shader file {name}")))
    }
}

impl Shader {
    fn append(
        &mut self,
        name: &str,
        number: &str,
        shaders: &Shaders,
        taken: &mut BTreeSet<&'static str>,
    ) -> Result<(), ShaderError> {
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

    /// The file and line of a line of the source, counted from 1.
    #[must_use]
    pub fn origin(&self, line: usize) -> (&'static str, usize) {
        line.checked_sub(1).and_then(|line| self.origins.get(line)).copied().unwrap_or((self.name, 0))
    }

    /// Parses the source.
    ///
    /// # Errors
    /// With file and line of the first error.
    pub fn parse(&self) -> Result<naga::Module, ShaderError> {
        naga::front::wgsl::parse_str(&self.source).map_err(|error| {
            let place = error.location(&self.source).map(|at| self.origin(at.line_number as usize));
            self.fault(place, error.message())
        })
    }

    /// Parses the source and validates it for a device with no other optional capabilities than these.
    ///
    /// # Errors
    /// With file, line and the chain of causes of the first error.
    pub fn check(
        &self,
        capabilities: naga::valid::Capabilities,
    ) -> Result<(naga::Module, naga::valid::ModuleInfo), ShaderError> {
        let module = self.parse()?;
        let flags = naga::valid::ValidationFlags::all();
        let mut validator = naga::valid::Validator::new(flags, capabilities);
        match validator.validate(&module) {
            Ok(info) => Ok((module, info)),
            Err(error) => {
                let place = error.location(&self.source).map(|at| self.origin(at.line_number as usize));
                let mut text = error.as_inner().to_string();
                let mut cause = std::error::Error::source(error.as_inner());
                while let Some(inner) = cause {
                    let _ = write!(text, ": {inner}");
                    cause = inner.source();
                }
                Err(self.fault(place, &text))
            }
        }
    }

    fn fault(&self, place: Option<(&str, usize)>, text: &str) -> ShaderError {
        let (file, line) = place.unwrap_or((self.name, 0));
        ShaderError(format!("shaders/{file}:{line}: {text}"))
    }

    /// The buffers that it binds, sorted by number.
    ///
    /// # Errors
    /// When the source cannot be parsed.
    pub fn bindings(&self) -> Result<Vec<Binding>, ShaderError> {
        let module = self.parse()?;
        let mut found: Vec<Binding> = module
            .global_variables
            .iter()
            .filter_map(|(_, global)| {
                let kind = match global.space {
                    naga::AddressSpace::Uniform => wgpu::BufferBindingType::Uniform,
                    naga::AddressSpace::Storage { access } => wgpu::BufferBindingType::Storage {
                        read_only: !access.contains(naga::StorageAccess::STORE),
                    },
                    _ => return None,
                };
                let number = global.binding.as_ref()?.binding;
                Some(Binding { name: global.name.clone()?, number, kind })
            })
            .collect();
        found.sort_by_key(|binding| binding.number);
        Ok(found)
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
        ("pass.wgsl", "//!include number/{number}.wgsl\nfn pass() {}\n"),
        ("number/f32.wgsl", "fn real() {}\n"),
        ("number/fixed.wgsl", "fn whole() {}\n"),
    ];

    #[test]
    fn fragments_are_included_once_and_lines_keep_their_origin() {
        let shader = Shaders::new(SAMPLE).load("a.wgsl", "f32").expect("all there");
        assert_eq!(shader.source, "fn c() {}\nfn b() {}\nfn a() {}\n");
        assert_eq!(shader.origin(2), ("common/b.wgsl", 2));
        assert_eq!(shader.origin(3), ("a.wgsl", 3));
    }

    #[test]
    fn a_number_type_has_its_own_files() {
        let source = |number| Shaders::new(SAMPLE).load("pass.wgsl", number).expect("all there").source;
        assert_eq!(source("f32"), "fn real() {}\nfn pass() {}\n");
        assert_eq!(source("fixed"), "fn whole() {}\nfn pass() {}\n");
        assert!(Shaders::new(SAMPLE).load("pass.wgsl", "f64").is_err());
    }

    #[test]
    fn files_are_altered_and_added() {
        let shaders = Shaders::new(SAMPLE).with("new.wgsl", "//!include common/c.wgsl\n");
        let source = |shaders: Shaders| shaders.load("new.wgsl", "f32").expect("all there").source;
        assert_eq!(source(shaders.clone()), "fn c() {}\n");
        let altered = shaders.clone().altered("common/c.wgsl", "c()", "d()").expect("it is there");
        assert_eq!(source(altered), "fn d() {}\n");
        assert!(shaders.altered("common/c.wgsl", "e()", "d()").is_err());
    }

    #[test]
    fn faults_name_file_and_line() {
        let text = Shaders::new(SAMPLE)
            .load("broken.wgsl", "f32")
            .expect("all there")
            .parse()
            .expect_err("broken")
            .to_string();
        assert!(text.starts_with("shaders/broken.wgsl:2: "), "{text}");
        assert!(
            Shaders::new(SAMPLE)
                .load("lost.wgsl", "f32")
                .expect_err("lost")
                .to_string()
                .contains("common/nowhere.wgsl")
        );
        assert!(Shaders::default().load("nothing.wgsl", "f32").is_err());
    }
}
