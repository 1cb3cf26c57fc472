//! Words and signs that multiply a number by a power of ten: `million`, `k`, `%`, `万`.

use super::tokens::WordLexicon;
use crate::document::value::tokens::QuoteToken;

/// The exponents that a word or sign may mean, and its forms. A form with `*` may go on, as may all
/// forms without case, because many such scripts have no spaces.
const WORDS: &[(&[i32], &str)] = &[
    (
        &[-2],
        "% \u{66a} percent* pct prozent* pourcent* percento porcentaje procent* procint* pc vh \
            процент* प्रतिशत ร้อยละ เปอร์เซ็นต์ 퍼센트 프로 パーセント درصد بالمئة بالمائة אחוז* τοις phần yüzde \
            százalék*",
    ),
    (&[-3], "‰ \u{609} promille* permille*"),
    (&[-4], "‱ \u{60a} bp bps"),
    (&[-6], "ppm"),
    (&[-9], "ppb"),
    (
        &[-2],
        "¢ cent cents ct cts penny pence centime* centavo* céntimo* centimo* \
            centesimi cêntimo* копе* पैसे",
    ),
    (&[2], "hundred* hundert* honderd* hundra* hundre* 백 ร้อย"),
    (
        &[3],
        "k thousand* tsd tausend* mille mila mil miles milhar* millier* duizend* tusen* tusind* \
            tysiąc* tysięc* tys tisíc* tis bin ribu ezer mii tuhat* тыс* тис* хиляд* χιλιάδ* हजार \
            हज़ार ألف آلاف هزار אלף nghìn ngàn พัน 천 teur keur kusd kchf kgbp t",
    ),
    (&[4], "หมื่น 만 万 萬"),
    (&[5], "lakh* lac lacs लाख แสน"),
    (
        &[6],
        "m mm mn mio mln million* milion* millon* millón mill miljo* milhõ* milhão* miljoen* milione* \
            milyon* milió* millió* milioane juta triệu meur musd mchf mgbp млн миллион* мільйон* \
            милион* εκατομμύρι* εκατ मिलियन مليون* ملايين میلیون מיליון ล้าน 백만 百万",
    ),
    (&[7], "crore* cr करोड़ करोड 千万"),
    (&[8], "億 亿 억"),
    (&[9, 12], "billion* bilion* biljo* billon* billón bilhõ* bilhão* bln b bn"),
    (
        &[9],
        "milliard* miliard* miljard* mrd md mld mia mrd milyar* miliar tỷ tỉ млрд миллиард* мільярд* \
            милиард* δισεκατομμύρι* مليار* میلیارد מיליארד 십억 十億 十亿",
    ),
    (&[12], "兆 조"),
    (&[12, 18], "trillion* trilion* triljo* trillón trilhõ* tn trn t трлн триллион* تريليون"),
];

/// Marks and words between the numbers of one list or range: in `5 to 10 million`, the word is
/// about both.
const BETWEEN: &str = "- / , ~ 〜 、 & + ; to or and through bis oder und et ou à y o a e tot en of of till \
    och eller og do lub i až nebo 至 到 或 和 から または 또는 에서 и или до إلى أو و से या ถึง หรือ";

/// Words that lead over to a scale: `per cent`, `pour mille`.
const PER: &str = "per pour por pro par";

/// Maximum numbers of one list that share a scale, and maximum words of one scale.
const MOST_SHARED: usize = 16;
const MOST_WORDS: usize = 3;

/// The words and signs of scales.
pub(super) struct ScaleWords {
    words: WordLexicon<&'static [i32]>,
    between: WordLexicon<()>,
    per: WordLexicon<()>,
}

/// The numbers that a quote expresses with scales.
#[derive(Debug, Default)]
pub(super) struct ScaledNumbers {
    /// Numbers multiplied by the scale beside them.
    pub(super) values: Vec<f64>,
    /// The exponents of scales beside no number, such as `in thousands` above a table.
    pub(super) free: Vec<i32>,
}

impl ScaledNumbers {
    /// Adds the exponents of a scale beside no number. `hundreds` above a table is not usual.
    fn add_free(&mut self, exponents: &[i32]) {
        for exponent in exponents {
            if *exponent != 2 && !self.free.contains(exponent) {
                self.free.push(*exponent);
            }
        }
    }
}

/// Returns whether the token may be a scale beside no number. A letter or two are more often
/// something else: the `t` of `don't`.
fn may_be_free(token: &QuoteToken) -> bool {
    token.word().is_none_or(|word| word.chars().count() > 2 || !word.contains(char::is_lowercase))
}

impl ScaleWords {
    pub(super) fn new() -> Self {
        Self {
            words: WordLexicon::new(WORDS.iter().map(|(exponents, forms)| (*forms, *exponents))),
            between: WordLexicon::new([(BETWEEN, ())]),
            per: WordLexicon::new([(PER, ())]),
        }
    }

    pub(super) fn scaled(&self, tokens: &[QuoteToken]) -> ScaledNumbers {
        let mut scaled = ScaledNumbers::default();
        let mut at = 0;
        while at < tokens.len() {
            let (exponents, end) = self.scale(tokens, at);
            if end == at {
                at += 1;
                continue;
            }
            let mut has_number = false;
            for number in self.numbers_before(tokens, at) {
                has_number = true;
                scaled.values.extend(multiplied(tokens[number].values(), &exponents));
            }
            match tokens.get(end) {
                _ if has_number => {}
                Some(QuoteToken::Number(values)) => scaled.values.extend(multiplied(values, &exponents)),
                _ if may_be_free(&tokens[at]) => scaled.add_free(&exponents),
                _ => {}
            }
            at = end;
        }
        scaled
    }

    /// The exponents of the scale that begins at `at`, and its end; `at` if there is none. Each
    /// beginning of `hundred thousand million` is a scale.
    fn scale(&self, tokens: &[QuoteToken], at: usize) -> (Vec<i32>, usize) {
        let (mut all, mut before, mut end) = (Vec::new(), vec![0], at);
        while end < tokens.len() && end < at + MOST_WORDS {
            let is_per = self.per.has(&tokens[end]);
            let Some(exponents) = self.words.get(tokens.get(end + usize::from(is_per))) else { break };
            // `per cent` is not a hundred, and `per mille` is not a thousand.
            let sign = |exponent: i32| if is_per { -exponent.abs() } else { exponent };
            before =
                before.iter().flat_map(|sum| exponents.iter().map(move |one| sum + sign(*one))).collect();
            all.extend(&before);
            end += 1 + usize::from(is_per);
        }
        (all, end)
    }

    /// The indices of the numbers that a scale at `at` is about.
    fn numbers_before(&self, tokens: &[QuoteToken], at: usize) -> Vec<usize> {
        let mut numbers = Vec::new();
        let mut next = at.checked_sub(1);
        while let Some(index) = next.filter(|index| tokens[*index].is_number() && numbers.len() < MOST_SHARED)
        {
            numbers.push(index);
            let between =
                tokens[..index].iter().rev().take(2).take_while(|token| self.between.has(token)).count();
            next = index.checked_sub(between + 1).filter(|_| between > 0);
        }
        numbers
    }
}

fn multiplied(values: &[f64], exponents: &[i32]) -> Vec<f64> {
    values.iter().flat_map(|value| exponents.iter().map(move |one| scaled(*value, *one))).collect()
}

/// `value` times ten to the power of `exponent`.
pub(super) fn scaled(value: f64, exponent: i32) -> f64 {
    value * 10_f64.powi(exponent)
}
