//! Tuples.

use super::{GrowthOf, Progress, WrittenPart};
use crate::derive_support::DescribedType;

/// The members of a tuple.
#[derive(Debug)]
pub enum TupleGrowth {}

macro_rules! tuples {
    ($($($name:ident $index:tt)+;)+) => {$(
        impl<$($name: DescribedType),+> GrowthOf<($($name,)+)> for TupleGrowth {
            type Writing = ($(Progress<$name>,)+);

            fn writing(part: WrittenPart<'_>) -> Self::Writing {
                ($(part.element($index).progress::<$name>(),)+)
            }

            fn known(tuple: ($($name,)+)) -> Option<Self::Writing> {
                Some(($(Progress::Done(tuple.$index),)+))
            }
        }
    )+};
}

tuples! {
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 F 5;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15;
}
