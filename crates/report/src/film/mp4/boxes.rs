//! Boxes: size, four letters, contents.

/// A box of complete parts.
pub(super) fn full<const N: usize>(kind: &[u8; 4], parts: [impl AsRef<[u8]>; N]) -> Vec<u8> {
    let mut body = Body::default();
    for part in parts {
        body.bytes(part.as_ref());
    }
    body.close(kind)
}

/// The contents of a box under construction; numbers are big-endian.
#[derive(Default)]
pub(super) struct Body(Vec<u8>);

impl Body {
    pub(super) fn version(version: u8, flags: u8) -> Self {
        Self(vec![version, 0, 0, flags])
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend(bytes);
        self
    }

    pub(super) fn u16s(&mut self, numbers: &[u16]) -> &mut Self {
        self.0.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
        self
    }

    pub(super) fn u32s(&mut self, numbers: &[u32]) -> &mut Self {
        self.0.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
        self
    }

    pub(super) fn u64s(&mut self, numbers: &[u64]) -> &mut Self {
        self.0.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
        self
    }

    pub(super) fn close(self, kind: &[u8; 4]) -> Vec<u8> {
        let mut whole = ((self.0.len() + 8) as u32).to_be_bytes().to_vec();
        whole.extend(kind);
        whole.extend(self.0);
        whole
    }
}
