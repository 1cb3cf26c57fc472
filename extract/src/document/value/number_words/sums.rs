//! The number that several number words say together.

use super::languages::{NumberAtom, NumberOrder};

/// The number that `atoms` say in this order; `None` if they are not one number: `two three`.
pub(super) fn sum(atoms: &[NumberAtom], order: NumberOrder) -> Option<f64> {
    let mut parts: Vec<f64> = Vec::new();
    for atom in atoms {
        if atom.is_multiplier {
            // Everything smaller is multiplied: the `two hundred` of `a million two hundred thousand`.
            let at = parts.iter().position(|part| *part < atom.value).unwrap_or(parts.len());
            let smaller: f64 = parts.split_off(at).iter().sum();
            parts.push(if smaller > 0.0 { smaller * atom.value } else { atom.value });
        } else if parts.last().is_none_or(|last| follows(*last, atom.value, order)) {
            parts.push(atom.value);
        } else {
            return None;
        }
    }
    Some(parts.iter().sum())
}

/// Returns whether `next` can be added to `last`: a unit after tens, tens after hundreds.
/// `soixante-quinze` is 60 and 15.
fn follows(last: f64, next: f64, order: NumberOrder) -> bool {
    let is_unit = |number: f64| (1.0..10.0).contains(&number);
    let is_tens = |number: f64| (20.0..100.0).contains(&number) && number % 10.0 == 0.0;
    if order == NumberOrder::UnitsFirst && is_unit(last) && is_tens(next) {
        return true;
    }
    let is_sixty_or_eighty = is_tens(last) && last >= 60.0 && last % 20.0 == 0.0;
    if is_sixty_or_eighty && (10.0..20.0).contains(&next) {
        return true;
    }
    let room = [10.0, 100.0, 1_000.0].into_iter().find(|room| next < *room);
    next > 0.0 && room.is_some_and(|room| last >= room && last % room == 0.0)
}

/// The other numbers that `atoms` may be: `nineteen ninety-nine` is a year, `five five one` is
/// three digits.
pub(super) fn spelled(atoms: &[NumberAtom], order: NumberOrder) -> Vec<f64> {
    /// A double holds that many digits exactly.
    const MOST_DIGITS: usize = 15;
    let mut numbers = Vec::new();
    let is_digit = |atom: &NumberAtom| atom.value < 10.0 && atom.value % 1.0 == 0.0;
    if (2..=MOST_DIGITS).contains(&atoms.len()) && atoms.iter().all(is_digit) {
        numbers.push(atoms.iter().fold(0.0, |number, atom| number * 10.0 + atom.value));
    }
    if let [four, twenty, rest @ ..] = atoms
        && [four, twenty] == [&NumberAtom::number(4.0), &NumberAtom::number(20.0)]
    {
        // `quatre vingts`
        let eighty: Vec<NumberAtom> =
            std::iter::once(NumberAtom::number(80.0)).chain(rest.iter().copied()).collect();
        numbers.extend(sum(&eighty, order));
    }
    for at in 1..atoms.len().min(3) {
        let (century, year) = atoms.split_at(at);
        let year = if year.len() > 2 { None } else { sum(year, order) };
        if let (Some(century), Some(year)) = (sum(century, order), year)
            && (10.0..100.0).contains(&century)
            && (10.0..100.0).contains(&year)
        {
            numbers.push(century * 100.0 + year);
        }
    }
    numbers
}

/// The fraction whose decimals are `atoms`: of `two point one five`, the `one five`.
pub(super) fn decimals(atoms: &[NumberAtom], order: NumberOrder) -> Option<f64> {
    let is_digit = |atom: &NumberAtom| atom.value < 10.0;
    let digits: String = if atoms.iter().all(is_digit) {
        atoms.iter().map(|atom| atom.value.to_string()).collect()
    } else {
        sum(atoms, order)?.to_string()
    };
    format!("0.{digits}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{
        super::{languages::LANGUAGES, parse::parse},
        *,
    };

    #[test]
    fn number_words_are_added_and_multiplied() {
        for (language, words, expected) in [
            (0, "twenty five", 25.0),
            (0, "one hundred twentythree thousand four hundred", 123_400.0),
            (0, "twentyfive hundred", 2_500.0),
            (0, "two million three hundred thousand", 2_300_000.0),
            (0, "five lakh thirty thousand", 530_000.0),
            (1, "fünfundzwanzig", 25.0),
            (1, "zweitausenddreihunderteinundzwanzig", 2_321.0),
            (1, "dreissigste", 30.0),
            (2, "soixantequinze", 75.0),
            (2, "quatrevingtdixsept", 97.0),
            (2, "deux cent cinquante mille", 250_000.0),
            (3, "doscientos cincuenta", 250.0),
            (3, "treinta dos", 32.0),
            (4, "duzentos vinte cinco", 225.0),
            (5, "duecentocinquantotto", 258.0),
            (5, "ventitremila", 23_000.0),
            (6, "vijfentwintig", 25.0),
            (6, "tweeëntwintig", 22.0),
            (7, "tvåhundrafemtio", 250.0),
            (8, "femoghalvtreds", 55.0),
            (9, "toogtjue", 22.0),
            (10, "dwieście pięćdziesiąt", 250.0),
            (11, "pětadvacet", 25.0),
        ] {
            let language = &LANGUAGES[language];
            let atoms: Vec<NumberAtom> =
                words.split(' ').flat_map(|word| parse(language, word).expect(word).atoms).collect();
            assert_eq!(sum(&atoms, language.order), Some(expected), "{words}");
        }
    }

    #[test]
    fn a_list_is_not_a_number() {
        let atoms =
            |values: &[f64]| values.iter().map(|value| NumberAtom::number(*value)).collect::<Vec<_>>();
        for list in [&[2.0, 3.0][..], &[25.0, 6.0], &[20.0, 30.0], &[5.0, 20.0]] {
            assert_eq!(sum(&atoms(list), NumberOrder::TensFirst), None, "{list:?}");
        }
        assert_eq!(spelled(&atoms(&[19.0, 90.0, 9.0]), NumberOrder::TensFirst), [1999.0]);
        assert_eq!(spelled(&atoms(&[5.0, 5.0, 1.0]), NumberOrder::TensFirst), [551.0]);
        assert_eq!(decimals(&atoms(&[2.0, 5.0]), NumberOrder::TensFirst), Some(0.25));
    }
}
