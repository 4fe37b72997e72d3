//! Scattered writes from many threads: from the order of a step to id order.

use std::marker::PhantomData;

/// Values by id, written in any order.
#[derive(Debug)]
pub(crate) struct Scattered<'a, V> {
    first: *mut V,
    count: usize,
    from: PhantomData<&'a mut [V]>,
}

// SAFETY: it only writes, and no two threads write the same place, as `fill` demands.
unsafe impl<V: Send> Sync for Scattered<'_, V> {}

impl<'a, V: Copy> Scattered<'a, V> {
    pub fn new(all: &'a mut [V]) -> Self {
        Scattered { first: all.as_mut_ptr(), count: all.len(), from: PhantomData }
    }

    /// Writes each value to the place of its id, as far as there is one.
    ///
    /// # Safety
    /// No other thread writes the place of one of these ids meanwhile.
    pub unsafe fn fill(&self, ids: &[u32], values: impl Iterator<Item = V>) {
        for (id, value) in ids.iter().zip(values) {
            let id = *id as usize;
            if id < self.count {
                // SAFETY: the place is within the slice, which is borrowed for as long as this; the caller sees to it
                // that no other thread writes it.
                unsafe { self.first.add(id).write(value) };
            }
        }
    }
}
