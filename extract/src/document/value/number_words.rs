//! Number words.

use crate::document::{fold::Folded, value::numerals::digit};

/// Number words of Western European and some Slavic languages, in lower case. A word of four
/// letters or more also counts as a part of another one: `fünfundzwanzig`.
const WORDS: &[&str] = &[
    // English
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "teen",
    "twenty",
    "thirty",
    "forty",
    "fifty",
    "sixty",
    "seventy",
    "eighty",
    "ninety",
    "hundred",
    "thousand",
    "million",
    "billion",
    "trillion",
    "dozen",
    "half",
    "quarter",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "tenth",
    "once",
    "twice",
    "thrice",
    "both",
    "pair",
    "couple",
    "double",
    "triple",
    "single",
    "score",
    "second",
    "first",
    "several",
    "few",
    "lakh",
    "crore",
    // German
    "zwei",
    "zwo",
    "drei",
    "vier",
    "fünf",
    "sechs",
    "sieben",
    "acht",
    "neun",
    "zehn",
    "elf",
    "zwölf",
    "zwanzig",
    "dreißig",
    "dreissig",
    "zig",
    "hundert",
    "tausend",
    "million",
    "milliarde",
    "dutzend",
    "halb",
    "hälfte",
    "drittel",
    "viertel",
    "beide",
    "paar",
    "doppel",
    // French
    "deux",
    "trois",
    "quatre",
    "cinq",
    "sept",
    "huit",
    "neuf",
    "dix",
    "onze",
    "douze",
    "treize",
    "quatorze",
    "quinze",
    "seize",
    "vingt",
    "trente",
    "quarante",
    "cinquante",
    "soixante",
    "cent",
    "mille",
    "milliard",
    "douzaine",
    "demi",
    "moitié",
    "tiers",
    // Spanish, Portuguese, Italian
    "dos",
    "tres",
    "cuatro",
    "cinco",
    "seis",
    "siete",
    "ocho",
    "nueve",
    "diez",
    "once",
    "doce",
    "trece",
    "catorce",
    "quince",
    "veinte",
    "treinta",
    "cuarenta",
    "cincuenta",
    "sesenta",
    "setenta",
    "ochenta",
    "noventa",
    "cien",
    "ciento",
    "mil",
    "millón",
    "docena",
    "medio",
    "media",
    "dois",
    "duas",
    "três",
    "quatro",
    "sete",
    "oito",
    "nove",
    "dez",
    "doze",
    "vinte",
    "trinta",
    "quarenta",
    "cem",
    "milhão",
    "meia",
    "due",
    "tre",
    "quattro",
    "cinque",
    "sei",
    "sette",
    "otto",
    "dieci",
    "undici",
    "dodici",
    "venti",
    "trenta",
    "cinquanta",
    "sessanta",
    "cento",
    "mezzo",
    "metà",
    "dozzina",
    // Dutch, Swedish, Danish, Norwegian
    "twee",
    "drie",
    "vijf",
    "zes",
    "zeven",
    "negen",
    "tien",
    "twaalf",
    "twintig",
    "dertig",
    "honderd",
    "duizend",
    "helft",
    "två",
    "fyra",
    "fem",
    "sex",
    "sju",
    "åtta",
    "nio",
    "tio",
    "tolv",
    "tjugo",
    "trettio",
    "hundra",
    "tusen",
    "halv",
    "to",
    "fire",
    "seks",
    "syv",
    "otte",
    "åtte",
    "ni",
    "ti",
    "tyve",
    "tredive",
    "hundrede",
    "hundre",
    "tusind",
    // Polish, Czech
    "dwa",
    "dwie",
    "trzy",
    "cztery",
    "pięć",
    "sześć",
    "siedem",
    "osiem",
    "dziewięć",
    "dziesięć",
    "naście",
    "sto",
    "tysiąc",
    "pół",
    "dva",
    "dvě",
    "tři",
    "čtyři",
    "pět",
    "šest",
    "sedm",
    "osm",
    "devět",
    "deset",
    "tisíc",
    "půl",
];

/// Words that are frequent in these languages and rare in others.
const COMMON: &[&str] = &[
    "the", "and", "of", "was", "were", "with", "this", "that", "from", // English
    "und", "das", "ist", "nicht", "wurde", "eine", "für", // German
    "les", "avec", "pour", "dans", "une", // French
    "los", "las", "del", "não", "uma", "dos", "della", "sono", "gli", // Spanish, Portuguese, Italian
    "het", "een", "voor", "niet", "och", "inte", "ikke", // Dutch, Swedish, Danish, Norwegian
    "jest", "się", "nie", "oraz", "przez", "který", "není", // Polish, Czech
];

/// Words of a text that are examined to detect its language, and one in how many must be a common
/// word. In the sentences of a book one in eight is, in a list of medications one in thirty.
const LOOKED_AT: usize = 2_000;
const ONE_IN: usize = 100;

/// Whether the number words of the language of `text` are known.
pub(in crate::document) fn knows_number_words(text: &str) -> bool {
    let (mut all, mut common) = (0, 0);
    let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    for word in words.take(LOOKED_AT) {
        all += 1;
        let is_common = COMMON.iter().any(|known| known.eq_ignore_ascii_case(word));
        common += usize::from(is_common);
    }
    common * ONE_IN >= all && common > 0
}

/// Whether `quote` may contain a number that is not written in digits.
pub(super) fn may_have_number_words(quote: &str) -> bool {
    // Fractions and superscript digits, which normalisation would turn into plain ones.
    if quote.contains(|c: char| c.is_numeric() && digit(c).is_none()) {
        return true;
    }
    let folded = Folded::new(quote);
    let mut words = folded.text().split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.any(|word| {
        // Number words of other scripts are not known.
        let is_foreign = |c: char| !is_latin(c) && digit(c).is_none();
        word.contains(is_foreign)
            || is_roman(word)
            || WORDS.iter().any(|number| word == *number || (number.len() > 3 && word.contains(number)))
    })
}

/// Whether `quote` has digits, in any script.
pub(super) fn has_digits(quote: &str) -> bool {
    quote.contains(|c| digit(c).is_some())
}

fn is_latin(c: char) -> bool {
    c < '\u{250}' || matches!(c, '\u{1e00}'..='\u{1eff}' | '\u{300}'..='\u{36f}')
}

/// Whether `word` is a Roman numeral, such as `ii` or `xiv`. A single letter is more often
/// something else.
fn is_roman(word: &str) -> bool {
    word.len() > 1 && word.bytes().all(|byte| b"ivxlcdm".contains(&byte))
}
