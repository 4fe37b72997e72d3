//! MP4 (ISO/IEC 14496-12 and -15): one H.264 track, its index before its data.
//!
//! ```text
//! ftyp                     what the file is
//! moov                     the index
//!   mvhd                     time scale, duration
//!   trak
//!     tkhd                   size on screen
//!     mdia
//!       mdhd, hdlr           time scale, "a video track"
//!       minf
//!         vmhd, dinf         "the data is in this file"
//!         stbl
//!           stsd, avc1, avcC   the codec and its parameter sets
//!           stts, stss         one duration for all, the key frames
//!           stsc, stsz, co64   one chunk, the size of each sample, where it begins
//! mdat                     the samples, one after another
//! ```
//!
//! The index needs the size of every sample, so the samples wait in an unnamed file beside the
//! target. With the index in front a browser plays while it loads. A film of the window, which may end at any time,
//! grows in fragments meanwhile ([`growing`]).

mod boxes;
mod growing;
mod index;

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use self::growing::Growing;
use self::index::{Index, ftyp};
use super::encoder::Shape;
use crate::atomic::{AtomicFile, folder_of};
use crate::error::{Error, Result};

/// One frame, as length-prefixed NAL units; parameter sets go beside it.
#[derive(Default)]
pub(super) struct Sample {
    pub(super) key: bool,
    bytes: Vec<u8>,
    sps: Option<Vec<u8>>,
    pps: Option<Vec<u8>>,
}

impl Sample {
    /// Adds a NAL unit that begins with an Annex B start code.
    pub(super) fn add(&mut self, unit: &[u8]) {
        let zeros = unit.iter().take_while(|&&byte| byte == 0).count();
        let Some(unit) = unit.get(zeros + 1..).filter(|unit| !unit.is_empty()) else {
            return;
        };
        match unit[0] & 0x1f {
            7 => self.sps = Some(unit.to_vec()),
            8 => self.pps = Some(unit.to_vec()),
            _ => {
                self.bytes.extend((unit.len() as u32).to_be_bytes());
                self.bytes.extend(unit);
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

/// What stands at the film's name until the film is whole.
pub(super) enum Target {
    /// Nothing, or an older file.
    Whole(AtomicFile),
    /// The film up to its last second.
    Growing(Growing),
}

impl Target {
    /// A film that can be played while it grows, of a name that no file has.
    pub(super) fn growing(path: &Path) -> Result<Self> {
        Growing::create(path).map(Self::Growing)
    }

    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Whole(file) => file.path(),
            Self::Growing(growing) => growing.path(),
        }
    }

    fn folder(&self) -> PathBuf {
        match self {
            Self::Whole(file) => file.folder(),
            Self::Growing(growing) => folder_of(growing.path()),
        }
    }

    /// The file that the whole film is written to.
    fn whole(self) -> Result<AtomicFile> {
        match self {
            Self::Whole(file) => Ok(file),
            Self::Growing(growing) => AtomicFile::create(growing.path()),
        }
    }
}

/// An MP4 file under way.
pub(super) struct Mp4 {
    target: Target,
    spool: BufWriter<File>,
    index: Index,
}

impl Mp4 {
    pub(super) fn new(target: Target, shape: Shape) -> Result<Self> {
        let spool = tempfile::tempfile_in(target.folder());
        let spool = BufWriter::new(spool.map_err(|source| Error::write(target.path(), source))?);
        let index = Index { shape, sps: vec![], pps: vec![], sizes: vec![], keys: vec![] };
        Ok(Self { target, spool, index })
    }

    pub(super) fn path(&self) -> &Path {
        self.target.path()
    }

    /// Appends a frame.
    pub(super) fn sample(&mut self, sample: Sample) -> Result<()> {
        self.spool.write_all(&sample.bytes).map_err(|source| Error::write(self.path(), source))?;
        let index = &mut self.index;
        index.sizes.push(sample.bytes.len() as u32);
        if sample.key {
            index.keys.push(index.sizes.len() as u32);
        }
        // The encoder repeats the same sets at each key frame.
        if let Some(sps) = sample.sps {
            index.sps = sps;
        }
        if let Some(pps) = sample.pps {
            index.pps = pps;
        }
        match &mut self.target {
            Target::Whole(_) => Ok(()),
            Target::Growing(growing) => growing.sample(index, &sample.bytes, sample.key),
        }
    }

    /// Writes index and samples, and gives the file its name.
    pub(super) fn finish(self) -> Result<()> {
        if !self.index.is_complete() {
            return Err(Error::encode(self.path(), "the encoder gave no parameter sets"));
        }
        let mut file = self.target.whole()?;
        write(&mut file, self.spool, &self.index).map_err(|source| file.failed(source))?;
        file.commit()
    }
}

fn write(out: &mut impl Write, spool: BufWriter<File>, index: &Index) -> io::Result<()> {
    let mut spool = spool.into_inner().map_err(io::IntoInnerError::into_error)?;
    let length = spool.stream_position()?;
    spool.rewind()?;
    let ftyp = ftyp();
    // A 64-bit size, whatever the length: one form for all.
    let header = 16;
    let data = |moov_len: usize| (ftyp.len() + moov_len + header) as u64;
    let moov_len = index.moov(0).len();
    out.write_all(&ftyp)?;
    out.write_all(&index.moov(data(moov_len)))?;
    out.write_all(&1_u32.to_be_bytes())?;
    out.write_all(b"mdat")?;
    out.write_all(&(length + header as u64).to_be_bytes())?;
    let copied = io::copy(&mut spool.take(length), out)?;
    if copied == length { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

#[cfg(test)]
mod tests;
