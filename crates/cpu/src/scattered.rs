//! Writing from many threads into places that are no ranges: what is in the order of a step goes to id order.

use std::marker::PhantomData;

/// A number of a vector that is handed out.
pub(crate) trait Finite: Copy {
    fn finite(self) -> bool;
}

impl Finite for f32 {
    fn finite(self) -> bool {
        self.is_finite()
    }
}

impl Finite for f64 {
    fn finite(self) -> bool {
        self.is_finite()
    }
}

/// Vectors by id, written in any order.
#[derive(Debug)]
pub(crate) struct Scattered<'a, T> {
    first: *mut [T; 3],
    count: usize,
    from: PhantomData<&'a mut [[T; 3]]>,
}

// SAFETY: it only writes, and no two threads the same place, as `fill` demands.
unsafe impl<T: Send> Sync for Scattered<'_, T> {}

impl<'a, T: Finite> Scattered<'a, T> {
    pub fn new(all: &'a mut [[T; 3]]) -> Self {
        Scattered { first: all.as_mut_ptr(), count: all.len(), from: PhantomData }
    }

    /// Writes each vector to the place of its id, as far as there is one; returns whether all are finite.
    ///
    /// # Safety
    /// No other thread writes the place of one of these ids meanwhile.
    pub unsafe fn fill(&self, ids: &[u32], vectors: impl Iterator<Item = [T; 3]>) -> bool {
        let mut finite = true;
        for (id, vector) in ids.iter().zip(vectors) {
            finite &= vector.iter().all(|c| c.finite());
            let id = *id as usize;
            if id < self.count {
                // SAFETY: the place is within the slice, which is borrowed for as long as this; the caller sees to it that
                // no other thread writes it.
                unsafe { self.first.add(id).write(vector) };
            }
        }
        finite
    }
}
