//! Which bits of a word are set, written down several at a time.

use core::arch::x86_64::*;

/// The set bits of a byte in ascending order, a byte each from the lowest on.
static ORDER: [u64; 256] = order();

/// How many bits of a byte are set.
static COUNT: [u8; 256] = count();

const fn order() -> [u64; 256] {
    let mut order = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut shift) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                order[byte] |= bit << shift;
                shift += 8;
            }
            bit += 1;
        }
        byte += 1;
    }
    order
}

const fn count() -> [u8; 256] {
    let mut count = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        count[byte] = (byte as u32).count_ones() as u8;
        byte += 1;
    }
    count
}

/// [`super::Vector::write_set`] for eight lanes.
///
/// # Safety
/// The processor has AVX2, and there is room for eight numbers.
#[inline(always)]
pub unsafe fn write_8(bits: u32, first: u32, numbers: &mut [u32]) -> usize {
    let byte = (bits & 0xff) as usize;
    // SAFETY: as the caller says; the unaligned store takes eight numbers.
    unsafe {
        let order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(ORDER[byte] as i64));
        let places = _mm256_add_epi32(order, _mm256_set1_epi32(first as i32));
        _mm256_storeu_si256(numbers.as_mut_ptr().cast(), places);
    }
    COUNT[byte].into()
}

/// [`super::Vector::write_set`] for sixteen lanes.
///
/// # Safety
/// The processor has AVX-512 F, and there is room for sixteen numbers.
#[inline(always)]
pub unsafe fn write_16(bits: u32, first: u32, numbers: &mut [u32]) -> usize {
    // SAFETY: as the caller says; the unaligned store takes sixteen numbers.
    unsafe {
        let all = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let places = _mm512_add_epi32(all, _mm512_set1_epi32(first as i32));
        let kept = _mm512_maskz_compress_epi32(bits as u16, places);
        _mm512_storeu_si512(numbers.as_mut_ptr().cast(), kept);
    }
    usize::from(COUNT[(bits & 0xff) as usize]) + usize::from(COUNT[(bits >> 8 & 0xff) as usize])
}
