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
//! The index needs the size of every sample, so the samples wait in an unnamed file beside the target. With the index
//! in front a browser can play the file while it loads. A recording of the window, which may end at any time, also
//! grows in fragments ([`growing`]).

pub(super) mod boxes;
mod growing;

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use self::boxes::{Track, ftyp};
use self::growing::Growing;
use super::Shape;
use crate::{AtomicFile, Existing, Failure, Result, folder_of};

/// An MP4 file under way.
pub(super) struct Mp4 {
    path: PathBuf,
    /// The file of the whole film. A growing film creates it at the end.
    file: Option<AtomicFile>,
    growing: Option<Growing>,
    spool: BufWriter<File>,
    track: Track,
    /// The current frame as NAL units, each after its length; parameter sets are kept in `track`.
    sample: Vec<u8>,
    /// Sizes of the samples, and the numbers of the key frames, from 1.
    sizes: Vec<u32>,
    keys: Vec<u32>,
}

impl Mp4 {
    /// Starts a film that appears under its name when it is complete.
    pub(super) fn whole(path: &Path, shape: Shape, existing: Existing) -> Result<Self> {
        let file = AtomicFile::create(path, existing)?;
        let mp4 = Self::new(path, &file.folder(), shape)?;
        Ok(Self { file: Some(file), ..mp4 })
    }

    /// Starts a film that can be played while it grows, under a new name.
    pub(super) fn growing(path: &Path, shape: Shape) -> Result<Self> {
        let growing = Growing::create(path).map_err(|source| Failure::create(path, source))?;
        let mp4 = Self::new(path, &folder_of(path), shape)?;
        Ok(Self { growing: Some(growing), ..mp4 })
    }

    fn new(path: &Path, folder: &Path, shape: Shape) -> Result<Self> {
        let spool = tempfile::tempfile_in(folder).map_err(|source| Failure::write(path, source))?;
        let (path, spool) = (path.to_owned(), BufWriter::new(spool));
        let track = Track { shape, sps: vec![], pps: vec![] };
        let (sample, sizes, keys) = (vec![], vec![], vec![]);
        Ok(Self { path, file: None, growing: None, spool, track, sample, sizes, keys })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a NAL unit, which begins with an Annex B start code, to the frame under way.
    pub(super) fn add(&mut self, unit: &[u8]) {
        let zeros = unit.iter().take_while(|&&byte| byte == 0).count();
        let Some(unit) = unit.get(zeros + 1..).filter(|unit| !unit.is_empty()) else { return };
        match unit[0] & 0x1f {
            // The encoder repeats the same sets at each key frame.
            7 => self.track.set_sps(unit),
            8 => self.track.pps = unit.to_vec(),
            _ => {
                self.sample.extend((unit.len() as u32).to_be_bytes());
                self.sample.extend(unit);
            }
        }
    }

    /// Ends the frame under way.
    pub(super) fn end_frame(&mut self, key: bool) -> Result<()> {
        if self.sample.is_empty() {
            return Err(Failure::encode(&self.path, "the encoder dropped a frame"));
        }
        self.sizes.push(self.sample.len() as u32);
        self.keys.extend(key.then_some(self.sizes.len() as u32));
        let mut written = self.spool.write_all(&self.sample);
        if let Some(growing) = &mut self.growing {
            written = written.and_then(|()| growing.add(&self.track, &self.sample, key));
        }
        self.sample.clear();
        written.map_err(|source| Failure::write(&self.path, source))
    }

    /// Writes index and samples, and gives the file its name.
    pub(super) fn finish(mut self) -> Result<()> {
        if !self.track.is_complete() {
            return Err(Failure::encode(&self.path, "the encoder returned no parameter sets"));
        }
        // The whole film replaces the growing one. A film shorter than a second has removed its file when it is dropped.
        let own = self.growing.take().is_some_and(|growing| growing.has_fragments());
        let existing = Existing::replaced_if(own);
        let mut file = self.file.take().map_or_else(|| AtomicFile::create(&self.path, existing), Ok)?;
        self.write(&mut file).map_err(|source| file.failed(source))?;
        file.commit()
    }

    fn write(&mut self, out: &mut impl Write) -> io::Result<()> {
        let moov = |data| self.track.moov(&self.sizes, &self.keys, data);
        let length = self.spool.stream_position()?;
        self.spool.rewind()?;
        // A 64-bit size, whatever the length: one form for all.
        let header = 16;
        let data = ftyp().len() + moov(0).len() + header;
        out.write_all(&[ftyp(), moov(data as u64)].concat())?;
        out.write_all(b"\0\0\0\x01mdat")?;
        out.write_all(&(length + header as u64).to_be_bytes())?;
        let copied = io::copy(&mut self.spool.get_ref().take(length), out)?;
        if copied == length { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}
