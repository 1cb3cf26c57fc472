//! The tuples that are supported.

/// Calls a macro for each size of tuples.
macro_rules! each_tuple {
    ($for_one:ident) => {
        $for_one!(1: A 0);
        $for_one!(2: A 0 B 1);
        $for_one!(3: A 0 B 1 C 2);
        $for_one!(4: A 0 B 1 C 2 D 3);
        $for_one!(5: A 0 B 1 C 2 D 3 E 4);
        $for_one!(6: A 0 B 1 C 2 D 3 E 4 F 5);
        $for_one!(7: A 0 B 1 C 2 D 3 E 4 F 5 G 6);
        $for_one!(8: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7);
        $for_one!(9: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8);
        $for_one!(10: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9);
        $for_one!(11: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10);
        $for_one!(12: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11);
        $for_one!(13: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12);
        $for_one!(14: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13);
        $for_one!(15: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14);
        $for_one!(16: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15);
    };
}

pub(super) use each_tuple;
