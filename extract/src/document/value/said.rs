//! Everything that a quote says besides its digits: with words, scales, units and other signs.
//!
//! Everything here may only excuse a number that is not written in the quote with digits; it never
//! proves one.

use std::sync::LazyLock;

pub(crate) use super::han::is_chinese_numeral;
use super::{
    han,
    number_words::number_words,
    numerals::{self, WrittenNumber},
    tokens::{QuoteToken, WordLexicon, tokens},
};
use crate::document::characters::is_east_asian;

static SCALES: LazyLock<ScaleWords> = LazyLock::new(ScaleWords::new);
static UNITS: LazyLock<UnitWords> = LazyLock::new(UnitWords::new);
static PARTS: LazyLock<SaidParts> = LazyLock::new(SaidParts::new);

/// The numbers that a quote may say.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is something that was seen")]
pub(super) struct SaidNumbers {
    /// The numbers, without sign.
    values: Vec<f64>,
    /// The numbers in digits, and the exponents of scales that may be about any number.
    numerals: Vec<f64>,
    exponents: Vec<i32>,
    /// The numbers in digits, in the neighbours of their units.
    converted: Vec<f64>,
    /// Parts and multiples that it names.
    factors: Vec<f64>,
    /// Whether a word or sign may be a number that is not known.
    pub(super) is_uncertain: bool,
    /// Whether it has a number in words, and its language shows in them.
    pub(super) shows_language: bool,
    /// Whether it has a number in digits or in a special character, such as `½`.
    pub(super) has_digits: bool,
    /// Whether it has a word that is neither a number nor the unit after one.
    pub(super) has_other_words: bool,
}

impl SaidNumbers {
    /// Reads `quote`, which has these `numerals`.
    pub(super) fn of(quote: &str, numerals: &[WrittenNumber]) -> Self {
        let tokens = tokens(quote, numerals);
        let numerals: Vec<f64> = tokens.iter().flat_map(QuoteToken::values).copied().collect();
        // With digits, no other number counts unless it is known.
        let has_digits = tokens.iter().any(QuoteToken::is_number);
        let words = number_words(&tokens, !has_digits);
        let han = han::han(&tokens);
        let scaled = SCALES.scaled(&tokens);
        let mut values = numerals.clone();
        values.extend(&words.values);
        values.extend(han.values);
        values.extend(scaled.values);
        values.extend(fractions(&tokens));
        values.extend(tokens.iter().filter_map(QuoteToken::word).filter_map(numerals::value));
        values.extend(years(&tokens, &values));
        let is_known = |c| han.says_number && is_east_asian(c);
        let is_unknown = |token: &QuoteToken| match token {
            QuoteToken::Word(word) => word.contains(|c| !(is_latin(c) || is_known(c))),
            QuoteToken::Unknown => true,
            QuoteToken::Number(_) | QuoteToken::Mark(_) => false,
        };
        let factors = PARTS.factors(&tokens);
        let is_uncertain = words.is_uncertain
            || han.is_uncertain
            || !factors.is_empty()
            || PARTS.has_vague(&tokens)
            || tokens.iter().any(is_unknown);
        let is_other = |(at, token): (usize, &QuoteToken)| {
            let is_number = |at: usize| tokens[at].is_number() || words.is_number[at];
            token.word().is_some() && !is_number(at) && !at.checked_sub(1).is_some_and(is_number)
        };
        Self {
            values,
            numerals,
            exponents: scaled.free,
            converted: UNITS.converted(&tokens),
            factors,
            is_uncertain,
            has_digits,
            shows_language: words.shows_language || han.says_number,
            has_other_words: tokens.iter().enumerate().any(is_other),
        }
    }

    /// Returns whether it says a number in words.
    pub(super) fn has_number(&self) -> bool {
        !self.values.is_empty()
    }

    /// Returns whether it says `number`, which has no sign, in another unit.
    pub(super) fn converts_to(&self, number: f64) -> bool {
        self.converted.iter().any(|value| same(*value, number))
    }

    /// Returns whether it may say `number`, which has no sign.
    pub(super) fn may_be(&self, number: f64) -> bool {
        let is_part = |factor: f64| {
            same(number, factor)
                || self.says(number / factor)
                || (factor < 2.0 && factor % 1.0 != 0.0 && number > factor && self.says(number - factor))
        };
        self.says(number) || self.factors.iter().any(|factor| is_part(*factor))
    }

    fn says(&self, number: f64) -> bool {
        let is_scaled = |exponent: i32| self.numerals.iter().any(|one| same(scaled(*one, exponent), number));
        self.values.iter().any(|value| same(*value, number))
            || self.exponents.iter().any(|one| is_scaled(*one))
    }
}

/// Returns whether both are the same number, apart from errors of computing.
fn same(one: f64, other: f64) -> bool {
    const ERROR: f64 = 1e-12;
    (one - other).abs() <= ERROR * one.abs().max(other.abs())
}

fn is_latin(c: char) -> bool {
    c < '\u{250}' || matches!(c, '\u{1e00}'..='\u{1eff}' | '\u{300}'..='\u{36f}')
}

/// The values of the fractions and powers in `tokens`. A fraction is also rounded to two to four
/// decimals.
fn fractions(tokens: &[QuoteToken]) -> Vec<f64> {
    let mut found = Vec::new();
    for (at, three) in tokens.windows(3).enumerate() {
        let [QuoteToken::Number(left), mark, QuoteToken::Number(right)] = three else { continue };
        let (Some(left), Some(right)) = (left.first(), right.first()) else { continue };
        if mark.is_mark('^') {
            found.push(left.powf(*right));
        }
        if (mark.is_mark('/') || mark.is_mark('\u{2044}')) && *right > 0.0 {
            let fraction = left / right;
            let whole = at.checked_sub(1).and_then(|before| tokens[before].values().first());
            for whole in whole.into_iter().chain([&0.0]) {
                let value = whole + fraction;
                let rounded = [1e2, 1e3, 1e4].map(|places| (value * places).round() / places);
                found.extend(rounded.into_iter().chain([value]));
            }
        }
    }
    found
}

/// Factors, and their words.
const WORDS: &[(f64, &str)] = &[
    (
        0.5,
        "half halves halb* hälfte* demi demie moitié medio media mitad meio meia metade mezzo mezza \
            metà helft halve halv* hälften pół połowa połowę půl polovin* половин* пол نصف نیم आधा आधी \
            ครึ่ง 절반 반 半",
    ),
    (
        0.25,
        "quarter* viertel* quart quarts cuarto* quarto* kwart* fjärdedel* \
            fjerdedel* ćwierć čtvrt* четверт* ربع",
    ),
    (0.75, "dreiviertel* trekvart*"),
    (1.0 / 3.0, "third thirds drittel* tiers tercio* terço* terzo terzi derde tredjedel* ثلث"),
    (0.2, "fifths fünftel* cinquièmes"),
    (0.1, "tenth tenths zehntel*"),
    (1.5, "anderthalb* eineinhalb* półtora"),
    (12.0, "dozen* dutzend* douzaine* docena* dúzia* dozzin* dozijn* dussin* tuzin* tucet* дюжин* 打"),
    (20.0, "score scores"),
    (
        2.0,
        "double* both pair pairs couple twice twofold doppelt* beide* paar doble* dobro duplo doppi* \
            coppia dubbel* begge både dvojn* podwójn* двойн* 双 雙 倍 対",
    ),
    (3.0, "triple* thrice dreifach* drievoud* trippel* potrójn* trojn* тройн*"),
];

/// Words for a number that is not said.
const VAGUE: &str = "several few many some mehrere einige viele plusieurs quelques varios varias \
    algunos algunas vários várias alguns algumas diversi alcuni alcune enkele meerdere flera några \
    flere nogle noen kilka kilku několik single";

struct SaidParts {
    words: WordLexicon<f64>,
    vague: WordLexicon<()>,
}

impl SaidParts {
    fn new() -> Self {
        Self {
            words: WordLexicon::new(WORDS.iter().map(|(factor, forms)| (*forms, *factor))),
            vague: WordLexicon::new([(VAGUE, ())]),
        }
    }

    /// The factors that `tokens` name, each once.
    fn factors(&self, tokens: &[QuoteToken]) -> Vec<f64> {
        let mut factors: Vec<f64> = Vec::new();
        for factor in tokens.iter().filter_map(|token| self.words.get(Some(token))) {
            if !factors.contains(&factor) {
                factors.push(factor);
            }
        }
        factors
    }

    /// Returns whether a word stands for a number that is not said.
    fn has_vague(&self, tokens: &[QuoteToken]) -> bool {
        tokens.iter().any(|token| self.vague.has(token))
    }
}

/// Units that have a neighbour of the same quantity by a factor of a thousand: a dose of `0.5 g` is
/// 500 in milligrams. A factor of ten or a hundred is left out, although `2.5 cm` are 25 mm: it is
/// also what a misplaced decimal point looks like.
const UNIT_WORDS: &str = "t kg g gr mg μg ug mcg ng pg kt mt kcal cal km m mm μm um nm l ml μl ul cc w kw \
    mw gw tw wh kwh mwh gwh v kv mv a ma μa j kj mj hz khz mhz ghz pa kpa mpa bar mbar mol mmol μmol \
    umol nmol mm eq meq s ms μs ns b kb mb gb tb pb kbit mbit gbit n kn mn ω kω bq kbq mbq gbq sv msv \
    μsv gy mgy gram* kilogram* miligram* milligram* mikrogram* microgram* kilo kilos grammi \
    milligrammi ton tons tonne* tonnellat* tonelad* meter* metre* mètre* metro* kilomet* kilómet* \
    quilómet* chilomet* milimet* millimet* milímet* millimèt* liter* litre* litro* millilit* mililit* \
    microlit* mikrolit* watt* kilowatt* megawatt* gigawatt* volt* kilovolt* amper* hertz kilohertz \
    megahertz gigahertz joule* kilojoule* pascal* kilopascal* second* sekund* millisecond* byte* \
    kilobyte* megabyte* gigabyte* terabyte* т кг г гр мг мкг км м мм мкм л мл мкл грамм* килограмм* \
    миллиграмм* тонн* литр* метр* 克 毫克 千克 公斤 微克 吨 噸 毫升 升 微升 米 千米 公里 毫米 微米 瓦 千瓦 兆瓦 グラム ミリグラム キログラム キロ \
    マイクログラム トン リットル ミリリットル マイクロリットル メートル キロメートル 그램 밀리그램 킬로그램 마이크로그램 톤 리터 밀리리터 미터 킬로미터 밀리미터 جم غ غم \
    جرام غرام ملغ ملغم ملجم مجم كجم كغ كغم لتر مل كم گرم میلی ملی کیلو لیتر متر ग्राम मिग्रा मिलीग्राम \
    किलोग्राम किग्रा लीटर मिली मिलीलीटर मीटर किलोमीटर กรัม มิลลิกรัม กิโลกรัม มก กก ลิตร มิลลิลิตร มล \
    เมตร กิโลเมตร";

struct UnitWords(WordLexicon<()>);

impl UnitWords {
    fn new() -> Self {
        Self(WordLexicon::new([(UNIT_WORDS, ())]))
    }

    /// The numbers of `tokens` before a unit, in the neighbouring units.
    fn converted(&self, tokens: &[QuoteToken]) -> Vec<f64> {
        let measured = tokens.windows(2).filter(|two| self.0.has(&two[1]));
        measured
            .flat_map(|two| two[0].values())
            .flat_map(|value| [scaled(*value, 3), scaled(*value, -3)])
            .collect()
    }
}

/// Names of eras, and the years between ours and theirs.
const ERAS: [(&str, f64); 9] = [
    ("令和", 2018.0),
    ("平成", 1988.0),
    ("昭和", 1925.0),
    ("大正", 1911.0),
    ("明治", 1867.0),
    ("民國", 1911.0),
    ("民国", 1911.0),
    ("仏暦", BUDDHIST),
    ("佛历", BUDDHIST),
];

/// The usual calendar of Thailand.
const BUDDHIST: f64 = -543.0;

/// The years of our calendar that `numbers` may be in the eras that `tokens` name.
fn years(tokens: &[QuoteToken], numbers: &[f64]) -> Vec<f64> {
    let words = || tokens.iter().filter_map(QuoteToken::word);
    let is_named = |name: &str| words().any(|word| word.contains(name));
    let is_thai = words().any(|word| word.contains(|c| ('\u{e00}'..='\u{e7f}').contains(&c)));
    let first = is_named("元年").then_some(1.0);
    let named = ERAS.iter().filter(|(name, _)| is_named(name)).map(|(_, offset)| *offset);
    let offsets: Vec<f64> = named.chain(is_thai.then_some(BUDDHIST)).collect();
    let numbers = numbers.iter().copied().chain(first);
    let mut years: Vec<f64> =
        numbers.flat_map(|number| offsets.iter().map(move |offset| number + offset)).collect();
    years.retain(|year| (1_800.0..2_200.0).contains(year));
    years
}

/// The exponents that a word or sign may mean, and its forms. A form with `*` may go on, as may all
/// forms without case, because many such scripts have no spaces.
const SCALE_WORDS: &[(&[i32], &str)] = &[
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
            words: WordLexicon::new(SCALE_WORDS.iter().map(|(exponents, forms)| (*forms, *exponents))),
            between: WordLexicon::new([(BETWEEN, ())]),
            per: WordLexicon::new([(PER, ())]),
        }
    }

    fn scaled(&self, tokens: &[QuoteToken]) -> ScaledNumbers {
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
fn scaled(value: f64, exponent: i32) -> f64 {
    value * 10_f64.powi(exponent)
}
