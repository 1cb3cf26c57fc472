//! Keeps the largest of many items.

/// The `N` largest items that were added, the largest first; on a tie the earlier ones.
pub(super) struct Top<T, const N: usize>(Vec<(u128, T)>);

impl<T, const N: usize> Default for Top<T, N> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T, const N: usize> Top<T, N> {
    /// Adds an item, which is only created if it is among the largest.
    pub(super) fn add(&mut self, size: u128, item: impl FnOnce() -> T) {
        let place = self.0.partition_point(|(known, _)| *known >= size);
        if place < N {
            self.0.insert(place, (size, item()));
            self.0.truncate(N);
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|(_, item)| item)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_stay_in_order() {
        let mut top = Top::<_, 3>::default();
        for (at, size) in [3, 9, 1, 9, 5].into_iter().enumerate() {
            top.add(size, || at);
        }
        assert_eq!(top.iter().copied().collect::<Vec<_>>(), [1, 3, 4]);
    }
}
