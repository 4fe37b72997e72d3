//! A firmware file, ELF or UF2, as the bytes of the flash memory.

use std::path::{Path, PathBuf};

/// Where the flash begins in the chip's address space.
const FLASH: u32 = 0x1000_0000;
/// What a stock Pico's flash holds, in bytes.
const FLASH_SIZE: usize = 2 * 1024 * 1024;
/// A UF2 file is a row of blocks of this size, each with the words below at its begin and end.
const UF2_BLOCK: usize = 512;
const UF2_MAGIC: [u32; 3] = [0x0a32_4655, 0x9e5d_5157, 0x0ab1_6f30];
/// Where a block's payload begins.
const UF2_PAYLOAD: usize = 32;

/// What the flash holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// From the begin of the flash.
    pub flash: Vec<u8>,
}

/// Why a firmware file cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// It is not there, or cannot be read.
    #[error("{}: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    /// It is not what it should be.
    #[error("{}: {problem}", path.display())]
    Unfit { path: PathBuf, problem: String },
}

/// The variable that names another firmware than the one that is built here.
pub const VARIABLE: &str = "MURMURATION_FIRMWARE";
/// Where `cargo xtask firmware` puts it.
const BUILT: &str = "target/firmware/cornell-125.uf2";

/// The firmware that `MURMURATION_FIRMWARE` names.
#[must_use]
pub fn named() -> Option<PathBuf> {
    std::env::var_os(VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from)
}

impl Image {
    /// The firmware that `MURMURATION_FIRMWARE` names, or the one that was built here. Any preset's will do.
    ///
    /// # Errors
    /// As [`Image::read`].
    pub fn find() -> Result<Self, ImageError> {
        Self::read(&named().unwrap_or_else(|| BUILT.into()))
    }

    /// Reads an ELF or UF2 file.
    ///
    /// # Errors
    /// When it cannot be read, or is neither, or does not lie in the flash.
    pub fn read(path: &Path) -> Result<Self, ImageError> {
        let bytes =
            std::fs::read(path).map_err(|source| ImageError::Read { path: path.to_owned(), source })?;
        Self::parse(&bytes).map_err(|problem| ImageError::Unfit { path: path.to_owned(), problem })
    }

    /// Takes the flash's bytes from those of an ELF or UF2 file.
    ///
    /// # Errors
    /// When it is neither, is cut off, or does not lie in the flash.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let mut image = Image { flash: Vec::new() };
        if bytes.starts_with(b"\x7fELF\x01\x01") {
            image.take_elf(bytes)?;
        } else if word(bytes, 0) == Some(UF2_MAGIC[0]) {
            image.take_uf2(bytes)?;
        } else {
            return Err("neither a 32-bit ELF file nor a UF2 file".to_owned());
        }
        if image.flash.is_empty() {
            return Err("nothing in it lies in the flash".to_owned());
        }
        Ok(image)
    }

    /// The segments that are loaded, each at its physical address.
    fn take_elf(&mut self, bytes: &[u8]) -> Result<(), String> {
        const LOAD: u32 = 1;
        let cut = || "the ELF file is cut off".to_owned();
        let headers = word(bytes, 28).ok_or_else(cut)? as usize;
        let [size, count] = [42, 44].map(|at| half(bytes, at).map(usize::from));
        for index in 0..count.ok_or_else(cut)? {
            let at = headers + index * size.ok_or_else(cut)?;
            let field = |offset| word(bytes, at + offset).ok_or_else(cut);
            let (kind, offset, address, length) =
                (field(0)?, field(4)? as usize, field(12)?, field(16)? as usize);
            if kind == LOAD && length > 0 {
                let contents = bytes.get(offset..).and_then(|rest| rest.get(..length)).ok_or_else(cut)?;
                self.place(address, contents)?;
            }
        }
        Ok(())
    }

    fn take_uf2(&mut self, bytes: &[u8]) -> Result<(), String> {
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
            return Err(format!("{} bytes at {address:#010x} do not lie in the flash", contents.len()));
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

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at + 2)?.try_into().ok().map(u16::from_le_bytes)
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

    fn elf(address: u32, payload: &[u8]) -> Vec<u8> {
        let mut file = vec![0; 52 + 32];
        file[..6].copy_from_slice(b"\x7fELF\x01\x01");
        file[28..32].copy_from_slice(&52_u32.to_le_bytes());
        file[42..44].copy_from_slice(&32_u16.to_le_bytes());
        file[44..46].copy_from_slice(&1_u16.to_le_bytes());
        for (index, word) in [1, 84, 0x2000_0000, address, payload.len() as u32].iter().enumerate() {
            file[52 + 4 * index..56 + 4 * index].copy_from_slice(&word.to_le_bytes());
        }
        file.extend(payload);
        file
    }

    #[test]
    fn both_kinds_of_file_give_the_same_flash() {
        let expected = Image { flash: vec![0xff, 0xff, 0xff, 0xff, 1, 2, 3] };
        assert_eq!(Image::parse(&uf2(FLASH + 4, &[1, 2, 3])), Ok(expected.clone()));
        assert_eq!(Image::parse(&elf(FLASH + 4, &[1, 2, 3])), Ok(expected));
    }

    #[test]
    fn what_is_no_firmware_is_refused() {
        let mut damaged = uf2(FLASH, &[1]);
        damaged[UF2_BLOCK - 1] ^= 1;
        let cases = [
            (b"#!/bin/sh".to_vec(), "neither"),
            (uf2(FLASH, &[1])[..500].to_vec(), "cut off"),
            (damaged, "block 0 of the UF2 file is damaged"),
            (uf2(0x2000_0000, &[1]), "1 bytes at 0x20000000 do not lie in the flash"),
            (uf2(FLASH + FLASH_SIZE as u32, &[1]), "do not lie"),
            (elf(FLASH, &[1, 2])[..85].to_vec(), "cut off"),
            (elf(FLASH, &[]), "nothing in it"),
        ];
        for (bytes, expected) in cases {
            let problem = Image::parse(&bytes).expect_err("it is no firmware");
            assert!(problem.contains(expected), "{problem}");
        }
    }
}
