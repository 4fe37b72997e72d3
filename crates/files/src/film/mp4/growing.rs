//! A film that can be played while it grows: its index is followed by fragments of a second, each with its own index
//! (ISO/IEC 14496-12, 8.8). However the process ends, the file is a film up to its last second.
//!
//! ```text
//! ftyp, moov               as of a whole film, without a sample
//!   mvex, trex               "fragments follow"
//! moof                     the index of a fragment
//!   mfhd                     its number
//!   traf
//!     tfhd, tfdt             the track, the time that it begins at
//!     trun                   the size of each sample, and whether it is a key frame
//! mdat                     its samples
//! ```

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::boxes::{FRAME, Track, ftyp, full, long, words};

/// Flags of a sample: a key frame depends on no other, any other frame does.
const KEY: u32 = 0x0200_0000;
const OTHER: u32 = 0x0101_0000;

/// The file, and the fragment that is not yet written.
pub(super) struct Growing {
    path: PathBuf,
    file: File,
    /// Size and flags of each sample.
    samples: Vec<[u32; 2]>,
    bytes: Vec<u8>,
    /// Fragments that are written, and the frames in them.
    fragments: u32,
    frames: u64,
}

impl Growing {
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let (file, path) = (File::create_new(path)?, path.to_owned());
        Ok(Growing { path, file, samples: vec![], bytes: vec![], fragments: 0, frames: 0 })
    }

    /// Appends a frame; writes the fragment once it is complete.
    pub(super) fn add(&mut self, track: &Track, sample: &[u8], key: bool) -> io::Result<()> {
        self.samples.push([sample.len() as u32, if key { KEY } else { OTHER }]);
        self.bytes.extend(sample);
        if self.samples.len() < track.shape.fps as usize || !track.is_complete() {
            return Ok(());
        }
        let head = if self.fragments == 0 { [ftyp(), track.moov_of_fragments()].concat() } else { vec![] };
        // The samples follow the header of `mdat`.
        let moof = self.moof(self.moof(0).len() as u32 + 8);
        self.file.write_all(&[head, moof, full(b"mdat", &[&self.bytes])].concat())?;
        self.fragments += 1;
        self.frames += self.samples.len() as u64;
        self.samples.clear();
        self.bytes.clear();
        Ok(())
    }

    /// True if the file holds a film.
    pub(super) fn has_fragments(&self) -> bool {
        self.fragments > 0
    }

    /// The index of the fragment; its samples begin `data` bytes after the beginning of the fragment.
    fn moof(&self, data: u32) -> Vec<u8> {
        let traf = [
            // Flags: offsets are relative to the beginning of the fragment.
            words(b"tfhd", &[&[0x02_0000, 1]]),
            words(b"tfdt", &[&[1 << 24], &long(self.frames * u64::from(FRAME))]),
            // Flags: the offset of the data, and size and flags of each sample.
            words(b"trun", &[&[0x601, self.samples.len() as u32, data], self.samples.as_flattened()]),
        ];
        let mfhd = words(b"mfhd", &[&[0, self.fragments + 1]]);
        full(b"moof", &[&mfhd, &full(b"traf", &[&traf.concat()])])
    }
}

impl Drop for Growing {
    /// A film without a whole second leaves no file.
    fn drop(&mut self) {
        if self.fragments == 0 && self.file.metadata().is_ok_and(|file| file.len() == 0) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
