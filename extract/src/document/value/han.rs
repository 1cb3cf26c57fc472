//! Numbers in Chinese characters, also among digits: `二百五十`, `2万5千`, `二〇二六`.

use crate::document::value::tokens::QuoteToken;

/// A part of a number in Chinese characters.
#[derive(Debug, Clone, Copy, PartialEq)]
enum HanPart {
    Digit(f64),
    /// Ten, a hundred, a thousand, or a power of ten thousand.
    Unit(f64),
    /// A number in digits.
    Number(f64),
    Point,
}

/// The numbers that a quote expresses in Chinese characters.
#[derive(Debug, Default)]
pub(super) struct HanNumbers {
    pub(super) values: Vec<f64>,
    /// Whether there is a number other than 一, which is also part of many words.
    pub(super) says_number: bool,
    /// Whether a character or word may be a number that is not known: 几, 半, いつつ.
    pub(super) is_uncertain: bool,
}

/// The part that `c` is.
fn part(c: char) -> Option<HanPart> {
    let digit = match c {
        '〇' | '零' => 0.0,
        '一' | '壹' | '壱' | '弌' => 1.0,
        '二' | '两' | '兩' | '贰' | '貳' | '弐' => 2.0,
        '三' | '叁' | '參' | '参' => 3.0,
        '四' | '肆' => 4.0,
        '五' | '伍' => 5.0,
        '六' | '陆' | '陸' => 6.0,
        '七' | '柒' => 7.0,
        '八' | '捌' => 8.0,
        '九' | '玖' => 9.0,
        _ => return unit(c).map(HanPart::Unit),
    };
    Some(HanPart::Digit(digit))
}

fn unit(c: char) -> Option<f64> {
    match c {
        '十' | '拾' => Some(1e1),
        '百' | '佰' => Some(1e2),
        '千' | '仟' => Some(1e3),
        '万' | '萬' => Some(1e4),
        '亿' | '億' => Some(1e8),
        '兆' => Some(1e12),
        _ => None,
    }
}

/// The Korean unit that `c` is. It counts only after a number, because these syllables are also
/// parts of other words.
fn korean_unit(c: char) -> Option<HanPart> {
    let unit = match c {
        '십' => 1e1,
        '백' => 1e2,
        '천' => 1e3,
        '만' => 1e4,
        '억' => 1e8,
        '조' => 1e12,
        _ => return None,
    };
    Some(HanPart::Unit(unit))
}

/// Returns whether `c` is a digit or unit of a number in Chinese characters.
pub(crate) fn is_chinese_numeral(c: char) -> bool {
    part(c).is_some()
}

/// Characters and words for a number that is not said, or said in another way.
const VAGUE: [&str; 19] = [
    "几",
    "幾",
    "数",
    "數",
    "多",
    "余",
    "餘",
    "半",
    "双",
    "雙",
    "対",
    "俩",
    "仨",
    "つ",
    "ひとり",
    "ふたり",
    "とお",
    "倍",
    "打",
];

/// The numbers in Chinese characters of `tokens`.
pub(super) fn han(tokens: &[QuoteToken]) -> HanNumbers {
    let mut han = HanNumbers::default();
    // A number in digits may have two readings.
    for reading in 0..2 {
        HanReader { reading, run: Vec::new(), before: None, han: &mut han }.read(tokens);
    }
    let vague = |word: &str| VAGUE.iter().any(|one| word.contains(one));
    han.is_uncertain = tokens.iter().filter_map(QuoteToken::word).any(vague);
    han
}

struct HanReader<'h> {
    reading: usize,
    run: Vec<HanPart>,
    /// The number before `分之`: in `三分之二`, two thirds, three.
    before: Option<f64>,
    han: &'h mut HanNumbers,
}

/// Maximum parts of a number. More are a text about numbers.
const MOST_PARTS: usize = 40;

impl HanReader<'_> {
    fn read(mut self, tokens: &[QuoteToken]) {
        for token in tokens {
            match token {
                QuoteToken::Number(values) => {
                    let Some(value) = values.get(self.reading).or(values.last()) else { continue };
                    if self.run.last().is_some_and(|last| !matches!(last, HanPart::Unit(_))) {
                        self.end("");
                    }
                    self.run.push(HanPart::Number(*value));
                }
                QuoteToken::Word(word) => self.word(word),
                QuoteToken::Mark(_) | QuoteToken::Unknown => self.end(""),
            }
        }
        self.end("");
    }

    fn word(&mut self, word: &str) {
        for (at, c) in word.char_indices() {
            let is_point = matches!(c, '点' | '點') && matches!(self.run.last(), Some(HanPart::Digit(_)));
            match part(c).or_else(|| korean_unit(c).filter(|_| !self.run.is_empty())) {
                Some(part) if self.run.len() < MOST_PARTS => self.run.push(part),
                None if is_point => self.run.push(HanPart::Point),
                _ => self.end(&word[at..]),
            }
        }
    }

    /// Ends the number before `rest`.
    fn end(&mut self, rest: &str) {
        let run = std::mem::take(&mut self.run);
        let is_number = |part: &HanPart| matches!(part, HanPart::Number(_));
        if run.iter().all(is_number) {
            // A number in digits alone is not read here, but `5割` is 50 %.
            if let [HanPart::Number(value)] = run[..] {
                self.ratio(value, rest);
            }
            return;
        }
        self.han.says_number |=
            run != [HanPart::Digit(1.0)] && run.iter().any(|part| !matches!(part, HanPart::Point));
        let values = values(&run);
        let Some(value) = values.first().copied() else { return };
        self.han.values.extend(values);
        if let Some(under) = self.before.take().filter(|under| *under > 0.0) {
            self.han.values.push(value / under);
        }
        self.ratio(value, rest);
    }

    fn ratio(&mut self, value: f64, rest: &str) {
        if rest.starts_with("分之") {
            self.before = Some(value);
        } else if rest.starts_with(['割', '成']) {
            self.han.values.extend([value * 10.0, value / 10.0]);
        } else if let Some(under) = self.before.take().filter(|under| *under > 0.0) {
            self.han.values.push(value / under);
        }
    }
}

/// The numbers that `run` may be; the first is the usual reading.
fn values(run: &[HanPart]) -> Vec<f64> {
    let digits = |parts: &[HanPart]| {
        let digit = |part: &HanPart| if let HanPart::Digit(digit) = part { Some(*digit) } else { None };
        parts.iter().map(digit).collect::<Option<Vec<f64>>>()
    };
    if let Some(at) = run.iter().position(|part| *part == HanPart::Point) {
        let whole = values(&run[..at]).first().copied();
        let fraction = digits(&run[at + 1..]).filter(|fraction| !fraction.is_empty());
        let (Some(whole), Some(fraction)) = (whole, fraction) else { return Vec::new() };
        return vec![whole + fraction.iter().rev().fold(0.0, |sum, digit| (sum + digit) / 10.0)];
    }
    match digits(run) {
        // `三四` is three or four, `二〇二六` a year.
        Some(digits) => {
            let whole = digits.iter().fold(0.0, |number, digit| number * 10.0 + digit);
            std::iter::once(whole).chain(digits).collect()
        }
        None => composed(run),
    }
}

/// The number that digits and units say together. A digit at the end, after hundreds or more, may
/// be of the next unit: `两千五` is 2,500.
fn composed(run: &[HanPart]) -> Vec<f64> {
    let mut parts: Vec<f64> = Vec::new();
    let (mut number, mut unit, mut has_zero) = (None::<f64>, 0.0, false);
    for part in run {
        match *part {
            HanPart::Digit(digit) => {
                has_zero |= digit == 0.0;
                number = Some(number.unwrap_or_default() * 10.0 + digit);
            }
            HanPart::Number(value) => number = Some(value),
            HanPart::Point => {}
            HanPart::Unit(worth) => {
                parts.extend(number.take());
                let at = parts.iter().position(|part| *part < worth).unwrap_or(parts.len());
                let smaller: f64 = parts.split_off(at).iter().sum();
                parts.push(if smaller > 0.0 { smaller * worth } else { worth });
                (unit, has_zero) = (worth, false);
            }
        }
    }
    let rest = number.unwrap_or_default();
    let sum: f64 = parts.iter().sum();
    let mut values = vec![sum + rest];
    if rest > 0.0 && rest < 10.0 && unit >= 100.0 && !has_zero {
        values.push(sum + rest * unit / 10.0);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::value::{numerals::numerals, tokens::tokens};

    fn read(quote: &str) -> HanNumbers {
        han(&tokens(quote, &numerals(quote)))
    }

    #[test]
    fn numbers_in_chinese_characters_have_their_values() {
        for (quote, expected) in [
            ("二百五十毫克", 250.0),
            ("十五", 15.0),
            ("一百零五", 105.0),
            ("两千五", 2_500.0),
            ("两千零五", 2_005.0),
            ("一万二千三百四十五", 12_345.0),
            ("一億二千万円", 120_000_000.0),
            ("二〇二六年", 2_026.0),
            ("3万", 30_000.0),
            ("1.5億", 150_000_000.0),
            ("2万5千円", 25_000.0),
            ("1億2,000万円", 120_000_000.0),
            ("3만 5천", 35_000.0),
            ("三点五", 3.5),
            ("百分之五", 0.05),
            ("三分之二", 2.0 / 3.0),
            ("5割", 50.0),
            ("贰佰伍拾", 250.0),
            ("三四天", 4.0),
        ] {
            let values = read(quote).values;
            assert!(values.iter().any(|value| (value - expected).abs() < 1e-9), "{quote}: {values:?}");
        }
        for quote in ["250円", "天气", "만남", "250"] {
            assert_eq!(read(quote).values, [] as [f64; 0], "{quote}");
        }
    }

    #[test]
    fn what_a_number_is_not_certain_of_is_told() {
        assert!(read("二百五十").says_number && !read("统一").says_number && !read("毫克").says_number);
        assert!(read("几片").is_uncertain && !read("五片").is_uncertain);
    }
}
