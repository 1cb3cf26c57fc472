//! Words for parts and multiples: `half`, `dozen`, `double`.

use super::lexicon::WordLexicon;
use crate::document::value::tokens::QuoteToken;

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

pub(super) struct SaidParts {
    words: WordLexicon<f64>,
    vague: WordLexicon<()>,
}

impl SaidParts {
    pub(super) fn new() -> Self {
        Self {
            words: WordLexicon::new(WORDS.iter().map(|(factor, forms)| (*forms, *factor))),
            vague: WordLexicon::new([(VAGUE, ())]),
        }
    }

    /// The factors that `tokens` name, each once.
    pub(super) fn factors(&self, tokens: &[QuoteToken]) -> Vec<f64> {
        let mut factors: Vec<f64> = Vec::new();
        for factor in tokens.iter().filter_map(|token| self.words.get(Some(token))) {
            if !factors.contains(&factor) {
                factors.push(factor);
            }
        }
        factors
    }

    /// Returns whether a word stands for a number that is not said.
    pub(super) fn has_vague(&self, tokens: &[QuoteToken]) -> bool {
        tokens.iter().any(|token| self.vague.has(token))
    }
}
