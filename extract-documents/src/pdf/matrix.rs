//! Transformations of positions on a page.

/// A transformation `[a b c d e f]` as PDF writes it (ISO 32000-1, 8.3.3): a point `(x, y)` goes to
/// `(a·x + c·y + e, b·x + d·y + f)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PageMatrix(pub(super) [f32; 6]);

impl PageMatrix {
    pub(super) const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    pub(super) fn moved(x: f32, y: f32) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// Applies `self` first, then `next`.
    pub(super) fn then(self, next: Self) -> Self {
        let (right, up) = (next.turned(self.0[0], self.0[1]), next.turned(self.0[2], self.0[3]));
        let moved = next.turned(self.0[4], self.0[5]);
        Self([right.0, right.1, up.0, up.1, moved.0 + next.0[4], moved.1 + next.0[5]])
    }

    /// Transforms a vector.
    fn turned(self, x: f32, y: f32) -> (f32, f32) {
        (x * self.0[0] + y * self.0[2], x * self.0[1] + y * self.0[3])
    }

    /// The image of the origin.
    pub(super) fn origin(self) -> (f32, f32) {
        (self.0[4], self.0[5])
    }

    /// The length and direction of the transformed unit vector to the right.
    pub(super) fn rightwards(self) -> (f32, (f32, f32)) {
        let (x, y) = (self.0[0], self.0[1]);
        let length = x.hypot(y);
        if length > 0.0 && length.is_finite() {
            (length, (x / length, y / length))
        } else {
            (0.0, (1.0, 0.0))
        }
    }

    /// The length of the transformed unit vector upwards: the size of letters.
    pub(super) fn height(self) -> f32 {
        self.0[2].hypot(self.0[3])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transformations_follow_each_other() {
        let (twice, moved) = (PageMatrix([2.0, 0.0, 0.0, 2.0, 0.0, 0.0]), PageMatrix::moved(3.0, 4.0));
        assert_eq!(moved.then(twice).origin(), (6.0, 8.0));
        assert_eq!(twice.then(moved).origin(), (3.0, 4.0));
        let turned = PageMatrix([0.0, 2.0, -2.0, 0.0, 0.0, 0.0]);
        assert_eq!(turned.rightwards(), (2.0, (0.0, 1.0)));
        assert!((turned.height() - 2.0).abs() < f32::EPSILON);
    }
}
