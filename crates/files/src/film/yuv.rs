//! Encoders of frames as YUV (BT.601, 4:2:0, limited range): H.264 in an MP4 file, and uncompressed as YUV4MPEG2.

use std::io::{self, Write};

use openh264::OpenH264API;
use openh264::encoder::{
    BitRate, ColorPrimaries, Complexity, EncoderConfig, FrameRate, FrameType, IntraFramePeriod, QpRange,
    RateControlMode, UsageType, VuiConfig,
};
use openh264::formats::{RgbaSliceU8, YUVBuffer, YUVSource as _};

use super::mp4::Mp4;
use super::{Encoder, Shape};
use crate::{AtomicFile, Failure, Result};

/// The quantizers of the worst and the best quality. (A rate control would starve a dense flock.)
const QUANTIZERS: [u32; 2] = [51, 10];
/// The bit rate that selects the stream's level, in bits per pixel. It does not limit the stream.
const BITS_PER_PIXEL: f64 = 0.5;
/// Seconds between key frames, at which a player can seek.
const KEY_SECONDS: u32 = 2;

/// Encodes frames as they come.
pub(super) struct H264 {
    encoder: openh264::encoder::Encoder,
    mp4: Mp4,
    size: (usize, usize),
}

impl H264 {
    /// `quality` is 1 to 100.
    pub(super) fn new(mp4: Mp4, shape: Shape, quality: u32) -> Result<Self> {
        let [worst, best] = QUANTIZERS;
        let quantizer = (worst - quality.min(100) * (worst - best) / 100) as u8;
        let pixels_a_second = f64::from(shape.width) * f64::from(shape.height) * f64::from(shape.fps);
        // The encoder takes at most 240 Mbit/s, the limit of its highest level.
        let rate = (pixels_a_second * BITS_PER_PIXEL).clamp(1e5, 2.4e8) as u32;
        let config = EncoderConfig::new()
            .usage_type(UsageType::CameraVideoRealTime)
            // With a single quantizer in range this is constant quality.
            .rate_control_mode(RateControlMode::Bufferbased)
            .bitrate(BitRate::from_bps(rate))
            .qp(QpRange::new(quantizer, quantizer))
            .max_frame_rate(FrameRate::from_hz(shape.fps as f32))
            .intra_frame_period(IntraFramePeriod::from_num_frames(shape.fps * KEY_SECONDS))
            .complexity(Complexity::Medium)
            // A skipped frame would shift all later frames.
            .skip_frames(false)
            // These save bits by dropping faint, slow boids from the picture.
            .background_detection(false)
            .adaptive_quantization(false)
            .scene_change_detect(false)
            // The conversion of YUVBuffer is that of BT.601; the colours themselves are sRGB's.
            .vui(VuiConfig::bt601().color_primaries(ColorPrimaries::Bt709));
        let encoder = openh264::encoder::Encoder::with_api_config(OpenH264API::from_source(), config)
            .map_err(|error| Failure::encode(mp4.path(), error))?;
        Ok(Self { encoder, mp4, size: shape.size() })
    }
}

impl Encoder for H264 {
    fn frame(&mut self, rgba: &[u8]) -> Result<()> {
        let Self { encoder, mp4, size } = self;
        let yuv = YUVBuffer::from_rgba8_source(RgbaSliceU8::new(rgba, *size));
        let bits = encoder.encode(&yuv).map_err(|error| Failure::encode(mp4.path(), error))?;
        for layer in (0..bits.num_layers()).filter_map(|i| bits.layer(i)) {
            (0..layer.nal_count()).filter_map(|i| layer.nal_unit(i)).for_each(|unit| mp4.add(unit));
        }
        mp4.end_frame(bits.frame_type() == FrameType::IDR)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.mp4.finish()
    }
}

pub(super) struct Y4m {
    file: AtomicFile,
    shape: Shape,
    /// True once the header is written, with the first frame.
    begun: bool,
}

impl Y4m {
    pub(super) fn new(file: AtomicFile, shape: Shape) -> Self {
        Self { file, shape, begun: false }
    }

    fn write(&mut self, yuv: &YUVBuffer) -> io::Result<()> {
        let Self { file, shape: Shape { width, height, fps }, begun } = self;
        if !*begun {
            // Progressive, square pixels, chroma between the pixels.
            writeln!(file, "YUV4MPEG2 W{width} H{height} F{fps}:1 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED")?;
            *begun = true;
        }
        file.write_all(b"FRAME\n")?;
        [yuv.y(), yuv.u(), yuv.v()].into_iter().try_for_each(|plane| file.write_all(plane))?;
        // A viewer shows the frame now, not with the next one.
        file.flush()
    }
}

impl Encoder for Y4m {
    fn frame(&mut self, rgba: &[u8]) -> Result<()> {
        let yuv = YUVBuffer::from_rgba8_source(RgbaSliceU8::new(rgba, self.shape.size()));
        self.write(&yuv).map_err(|source| self.file.failed(source))
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.file.commit()
    }
}
