//! Writes UF2, the file format of the boot loader's drive: blocks of 512 bytes, each with 256 bytes of the image and
//! their address.

use object::LittleEndian;
use object::elf::{FileHeader32, PT_LOAD};
use object::read::elf::{FileHeader as _, ProgramHeader as _};

/// The family of the RP2040.
const FAMILY: u32 = 0xe48b_ff56;

/// The flag of a block that names its family.
const HAS_FAMILY: u32 = 0x2000;

const MAGIC: [u32; 3] = [0x0a32_4655, 0x9e5d_5157, 0x0ab1_6f30];

/// Bytes of the image in a block; the flash is written in pages of as many.
const PAGE: u32 = 256;

/// Addresses of the flash.
const FLASH: std::ops::Range<u32> = 0x1000_0000..0x1100_0000;

/// Converts an ELF file: its loaded segments as whole pages, padded with zeros.
///
/// # Errors
/// When the file is not a 32-bit little-endian ELF file, is truncated, has no data, or has data outside the flash.
pub fn from_elf(elf: &[u8]) -> Result<Vec<u8>, String> {
    let segments = segments(elf)?;
    let first = segments.iter().map(|(at, _)| at / PAGE * PAGE).min().ok_or("it contains no data")?;
    let end = segments.iter().map(|(at, bytes)| at + bytes.len() as u32).max().unwrap_or(first);
    let mut image = vec![0; (end - first).next_multiple_of(PAGE) as usize];
    for (at, bytes) in segments {
        let from = (at - first) as usize;
        image[from..from + bytes.len()].copy_from_slice(bytes);
    }
    let count = image.len() as u32 / PAGE;
    let blocks = (0..count).zip(image.chunks(PAGE as usize));
    Ok(blocks.flat_map(|(k, page)| block(first + k * PAGE, k, count, page)).collect())
}

fn block(at: u32, number: u32, count: u32, page: &[u8]) -> Vec<u8> {
    let head = [MAGIC[0], MAGIC[1], HAS_FAMILY, at, PAGE, number, count, FAMILY];
    let mut block: Vec<u8> = head.iter().flat_map(|word| word.to_le_bytes()).collect();
    block.extend(page);
    block.resize(512 - 4, 0);
    block.extend(MAGIC[2].to_le_bytes());
    block
}

/// The loaded segments of an ELF file: physical addresses and contents.
fn segments(elf: &[u8]) -> Result<Vec<(u32, &[u8])>, String> {
    let header = FileHeader32::<LittleEndian>::parse(elf).map_err(|why| why.to_string())?;
    let mut found = Vec::new();
    for segment in header.program_headers(LittleEndian, elf).map_err(|why| why.to_string())? {
        let (at, bytes) =
            (segment.p_paddr(LittleEndian), segment.data(LittleEndian, elf).map_err(|()| "it is truncated")?);
        if segment.p_type(LittleEndian) != PT_LOAD || bytes.is_empty() {
            continue;
        }
        if !FLASH.contains(&at) {
            return Err(format!("it has bytes at {at:#010x}, outside the flash"));
        }
        found.push((at, bytes));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An ELF file with one segment.
    fn elf(at: u32, bytes: &[u8]) -> Vec<u8> {
        let mut file = vec![0; 84];
        file[..7].copy_from_slice(b"\x7fELF\x01\x01\x01");
        let mut put = |place: usize, word: u32| file[place..place + 4].copy_from_slice(&word.to_le_bytes());
        put(28, 52);
        put(42, 32 | 1 << 16);
        for (place, word) in [(52, 1), (56, 84), (64, at), (68, bytes.len() as u32)] {
            put(place, word);
        }
        file.extend(bytes);
        file
    }

    #[test]
    fn an_image_becomes_numbered_blocks_of_whole_pages() {
        let uf2 = from_elf(&elf(0x1000_0080, &[7; 300])).expect("good");
        assert_eq!(uf2.len(), 2 * 512);
        let word = |at: usize| u32::from_le_bytes([uf2[at], uf2[at + 1], uf2[at + 2], uf2[at + 3]]);
        for (at, value) in [(0, 0x0a32_4655), (8, 0x2000), (12, 0x1000_0000), (16, 256), (20, 0), (24, 2)] {
            assert_eq!(word(at), value, "word at {at}");
        }
        assert_eq!((word(512 + 12), word(512 + 20), word(512 + 28)), (0x1000_0100, 1, FAMILY));
        assert_eq!((word(508), word(1020)), (0x0ab1_6f30, 0x0ab1_6f30));
        let pages: Vec<u8> = [&uf2[32..288], &uf2[544..800]].concat();
        assert!(pages.iter().enumerate().all(|(k, b)| *b == if (128..428).contains(&k) { 7 } else { 0 }));
    }

    #[test]
    fn what_is_no_image_is_refused() {
        for (file, part) in [
            (b"MZ".to_vec(), "ELF header"),
            (elf(0x2000_0000, &[1]), "outside the flash"),
            (elf(0x1000_0000, &[]), "no data"),
            (elf(0x1000_0000, &[1; 9])[..90].to_vec(), "truncated"),
        ] {
            let why = from_elf(&file).expect_err(part);
            assert!(why.contains(part), "{why}");
        }
    }
}
