//! A film that can be played while it grows: after its index come fragments of a second, each with an index of its own
//! (ISO/IEC 14496-12, 8.8). However its process ends, what stands is a film up to its last second.
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
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::boxes::{Body, full};
use super::index::{FRAME, Index, ftyp};
use crate::error::{Error, Result};

/// Flags of a sample: a key frame depends on no other, any other frame does.
const KEY: u32 = 0x0200_0000;
const OTHER: u32 = 0x0101_0000;

/// The file, and the fragment that is not written yet.
pub(in crate::film) struct Growing {
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
    pub(super) fn create(path: &Path) -> Result<Self> {
        let file = File::create_new(path).map_err(|source| Error::create(path, source))?;
        let path = path.to_owned();
        Ok(Growing { path, file, samples: vec![], bytes: vec![], fragments: 0, frames: 0 })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a frame, which the index counts already. A fragment goes to the file as a whole.
    pub(super) fn sample(&mut self, index: &Index, bytes: &[u8], key: bool) -> Result<()> {
        self.samples.push([bytes.len() as u32, if key { KEY } else { OTHER }]);
        self.bytes.extend(bytes);
        if self.samples.len() < index.shape.fps as usize || !index.is_complete() {
            return Ok(());
        }
        let head = if self.fragments == 0 { [ftyp(), index.moov_of_fragments()].concat() } else { vec![] };
        let written = self.file.write_all(&[head, self.fragment()].concat());
        written.map_err(|source| Error::write(&self.path, source))?;
        self.fragments += 1;
        self.frames += self.samples.len() as u64;
        self.samples.clear();
        self.bytes.clear();
        Ok(())
    }

    fn fragment(&self) -> Vec<u8> {
        // The samples follow the header of `mdat`.
        let data = self.moof(0).len() + 8;
        [self.moof(data as u32), full(b"mdat", [&self.bytes])].concat()
    }

    /// The index of the fragment, for samples that begin `data` bytes after it does.
    fn moof(&self, data: u32) -> Vec<u8> {
        let mut mfhd = Body::version(0, 0);
        mfhd.u32s(&[self.fragments + 1]);
        // Flags: places are counted from the fragment's beginning.
        let mut tfhd = Body::default();
        tfhd.u32s(&[0x02_0000, 1]);
        let mut tfdt = Body::version(1, 0);
        tfdt.u64s(&[self.frames * u64::from(FRAME)]);
        // Flags: the place of the data, and size and flags of each sample.
        let mut trun = Body::default();
        trun.u32s(&[0x601, self.samples.len() as u32, data]).u32s(self.samples.as_flattened());
        let traf = full(b"traf", [tfhd.close(b"tfhd"), tfdt.close(b"tfdt"), trun.close(b"trun")]);
        full(b"moof", [mfhd.close(b"mfhd"), traf])
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
