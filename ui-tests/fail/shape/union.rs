use extract::Extractable;

#[derive(Extractable)]
union Bits {
    a: u8,
    b: i8,
}

fn main() {}
