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
//! grows in fragments ([`Growing`]).

pub(super) mod boxes;

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use self::boxes::{FRAME, Track, ftyp, full, long, words};
use crate::film::Shape;
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

/// Flags of a sample: a key frame depends on no other, any other frame does.
const KEY: u32 = 0x0200_0000;
const OTHER: u32 = 0x0101_0000;

/// A film that can be played while it grows: its index is followed by fragments of a second, each with its own index
/// (ISO/IEC 14496-12, 8.8). However the process ends, the file is a film up to its last second.
///
/// ```text
/// ftyp, moov               as of a whole film, without a sample
///   mvex, trex               "fragments follow"
/// moof                     the index of a fragment
///   mfhd                     its number
///   traf
///     tfhd, tfdt             the track, the time that it begins at
///     trun                   the size of each sample, and whether it is a key frame
/// mdat                     its samples
/// ```
struct Growing {
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
    fn create(path: &Path) -> io::Result<Self> {
        let (file, path) = (File::create_new(path)?, path.to_owned());
        Ok(Growing { path, file, samples: vec![], bytes: vec![], fragments: 0, frames: 0 })
    }

    /// Appends a frame; writes the fragment once it is complete.
    fn add(&mut self, track: &Track, sample: &[u8], key: bool) -> io::Result<()> {
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
    fn has_fragments(&self) -> bool {
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
