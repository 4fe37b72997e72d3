//! Firmware files: reads UF2 into the contents of the flash memory.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use config::io_reason;
use engine::{EngineError, Result};

/// Address of the flash.
const FLASH: u32 = 0x1000_0000;
/// Size of the flash of a stock Pico, in bytes.
const FLASH_SIZE: usize = 2 * 1024 * 1024;
/// Maximum size of a file in bytes: an endless one, such as `/dev/zero`, would fill the memory.
const MAX_BYTES: u64 = 64 << 20;
/// A UF2 file is a sequence of blocks of this size. The first two words and the last word of each are magic numbers.
const UF2_BLOCK: usize = 512;
const UF2_MAGIC: [u32; 3] = [0x0a32_4655, 0x9e5d_5157, 0x0ab1_6f30];
/// Offset of the payload in a block.
const UF2_PAYLOAD: usize = 32;

/// The contents of the flash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Contents from the first byte of the flash.
    pub flash: Vec<u8>,
}

/// Environment variable that names the firmware if no option does.
const VARIABLE: &str = "MURMURATION_FIRMWARE";
/// File name of the default image; the image of any preset serves all presets.
const NAME: &str = "cornell-125.uf2";
/// The folder that `cargo xtask firmware` writes to.
const BUILT: &str = "target/firmware";

/// Search path of the image: a release's folder, the folder of packages, beside the programs that a clone builds, and a
/// clone that is the working folder.
fn places() -> Vec<PathBuf> {
    let program = std::env::current_exe().ok();
    let folder = program.as_deref().and_then(Path::parent);
    let beside = ["firmware", "../share/murmuration/firmware", "../firmware"];
    let beside = beside.iter().filter_map(|below| Some(folder?.join(below)));
    beside.chain([BUILT.into()]).map(|folder| folder.join(NAME)).collect()
}

impl Image {
    /// Reads the firmware at a path, else the file that `MURMURATION_FIRMWARE` names, else the first image on the
    /// search path.
    ///
    /// # Errors
    /// See [`Image::read`]; also when there is none.
    pub fn find(asked: Option<&Path>) -> Result<Self> {
        let asked = asked.map(|path| ("--firmware", path.as_os_str().to_owned()));
        let variable = || Some((VARIABLE, std::env::var_os(VARIABLE).filter(|name| !name.is_empty())?));
        let named = asked.or_else(variable);
        let found = match &named {
            Some((by, path)) => Self::read(Path::new(path)).map_err(|problem| format!("{by}: {problem}")),
            None => Self::find_built(),
        };
        found.map_err(|problem| EngineError::Firmware { problem, named: named.is_some() })
    }

    /// Reads the first image on the search path.
    fn find_built() -> Result<Self, String> {
        if cfg!(target_arch = "wasm32") {
            return Err(
                "the emulated board is not available in a browser; use the desktop program".to_owned()
            );
        }
        let beside = "firmware/ or ../share/murmuration/firmware/ beside the program";
        let missing = || format!("{NAME} not found in {beside}, or in {BUILT}/");
        Self::read(&places().into_iter().find(|path| path.is_file()).ok_or_else(missing)?)
    }

    /// Reads a UF2 file.
    ///
    /// # Errors
    /// When the file cannot be read, is not a UF2 file, or loads bytes outside the flash.
    pub fn read(path: &Path) -> Result<Self, String> {
        let mut bytes = Vec::new();
        let length = File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
        let image = match length {
            Ok(length) if length as u64 > MAX_BYTES => Err(format!("larger than {} MiB", MAX_BYTES >> 20)),
            Ok(_) => Self::parse(&bytes),
            Err(source) => Err(io_reason(&source)),
        };
        image.map_err(|problem| format!("{}: {problem}", path.display()))
    }

    /// Parses the bytes of a UF2 file.
    ///
    /// # Errors
    /// When the bytes are not such a file, are cut off, or load bytes outside the flash.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        if word(bytes, 0) != Some(UF2_MAGIC[0]) {
            return Err("not a UF2 file".to_owned());
        }
        let mut image = Image { flash: Vec::new() };
        image.load_uf2(bytes)?;
        if image.flash.is_empty() {
            return Err("it contains no data for the flash".to_owned());
        }
        Ok(image)
    }

    fn load_uf2(&mut self, bytes: &[u8]) -> Result<(), String> {
        let (blocks, rest) = bytes.as_chunks::<UF2_BLOCK>();
        if !rest.is_empty() {
            return Err("the UF2 file is cut off".to_owned());
        }
        for (index, block) in blocks.iter().enumerate() {
            let magic = [0, 4, UF2_BLOCK - 4].map(|at| word(block, at));
            let [Some(address), Some(length)] = [12, 16].map(|at| word(block, at)) else { continue };
            let payload = block.get(UF2_PAYLOAD..UF2_PAYLOAD + length as usize);
            match payload {
                Some(payload) if magic == UF2_MAGIC.map(Some) => self.place(address, payload)?,
                _ => return Err(format!("block {index} of the UF2 file is damaged")),
            }
        }
        Ok(())
    }

    fn place(&mut self, address: u32, contents: &[u8]) -> Result<(), String> {
        let start = address.checked_sub(FLASH).map(|start| start as usize);
        let Some(start) = start.filter(|start| start + contents.len() <= FLASH_SIZE) else {
            return Err(format!("{} bytes at {address:#010x} are outside the flash", contents.len()));
        };
        let end = start + contents.len();
        if self.flash.len() < end {
            self.flash.resize(end, 0xff);
        }
        self.flash[start..end].copy_from_slice(contents);
        Ok(())
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uf2(address: u32, payload: &[u8]) -> Vec<u8> {
        let mut block = vec![0; UF2_BLOCK];
        let words = [UF2_MAGIC[0], UF2_MAGIC[1], 0, address, payload.len() as u32, 0, 1, 0xe48b_ff56];
        for (index, word) in words.iter().enumerate() {
            block[4 * index..4 * index + 4].copy_from_slice(&word.to_le_bytes());
        }
        block[UF2_PAYLOAD..UF2_PAYLOAD + payload.len()].copy_from_slice(payload);
        block[UF2_BLOCK - 4..].copy_from_slice(&UF2_MAGIC[2].to_le_bytes());
        block
    }

    #[test]
    fn blocks_lie_at_their_addresses() {
        let blocks = [uf2(FLASH + 6, &[3]), uf2(FLASH + 4, &[1, 2])].concat();
        assert_eq!(Image::parse(&blocks), Ok(Image { flash: vec![0xff, 0xff, 0xff, 0xff, 1, 2, 3] }));
    }

    #[test]
    fn what_is_no_firmware_is_refused() {
        let mut damaged = uf2(FLASH, &[1]);
        damaged[UF2_BLOCK - 1] ^= 1;
        let cases = [
            (b"#!/bin/sh".to_vec(), "not a UF2 file"),
            (b"\x7fELF\x01\x01".to_vec(), "not a UF2 file"),
            (uf2(FLASH, &[1])[..500].to_vec(), "cut off"),
            (damaged, "block 0 of the UF2 file is damaged"),
            (uf2(0x2000_0000, &[1]), "1 bytes at 0x20000000 are outside the flash"),
            (uf2(FLASH + FLASH_SIZE as u32, &[1]), "outside the flash"),
            (uf2(FLASH, &[]), "no data for the flash"),
        ];
        for (bytes, expected) in cases {
            let problem = Image::parse(&bytes).expect_err("it is no firmware");
            assert!(problem.contains(expected), "{problem}");
        }
    }
}
