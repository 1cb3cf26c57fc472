//! Phrases that say what a value is worth, in eighteen languages: one table, by meaning.
//!
//! The words of [`remarks`](super::remarks) are English, where a sentence can be read more closely. A
//! phrase in this table is one that hardly occurs beside a value that stands. In doubt it is not
//! in the table: a right value beside such a phrase costs an attempt.

use super::words::ends_sentence;

/// What a phrase says about the value beside it, or the one after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PhraseMeaning {
    /// It is wrong, or not to be used.
    Correction,
    /// Another value may be right.
    Doubt,
    /// It is not all there is.
    Part,
    /// The value after it is the last one.
    Final,
    /// It is made up.
    Sample,
    /// Its numbers are counted in another unit.
    Scale,
    /// The text does not have it, or it is estimated.
    Unfounded,
}

use PhraseMeaning::{Correction, Doubt, Final, Part, Sample, Scale, Unfounded};

/// In lower case. Each row is one language or a few: English, German, French, Spanish, Portuguese,
/// Italian, Russian, Chinese, Japanese, Korean, Arabic, Hindi, Dutch, Polish, Turkish, Swedish, Czech, Greek.
const PHRASES: &[(PhraseMeaning, &[&str])] = &[
    (
        Correction,
        &[
            "on re-reading",
            "should be rejected",
            "disregard the json",
            "ignore the json",
            "ignore the call",
            "ignore this call",
            "disregard that",
            "disregard this",
            "must not be listed",
            "should not be listed",
            "must not be included",
            "should not be included",
            "on second reading",
            "on second look",
            "is no answer",
            "is not an answer",
            "call was wrong",
            "with a wrong",
            "with the wrong",
            "to be corrected",
            "missing from the json",
            "missing in the json",
            "the right one is",
        ],
    ),
    (
        Correction,
        &[
            "stimmt nicht",
            "ist falsch",
            "sind falsch",
            "war falsch",
            "ich korrigiere",
            "nicht korrekt",
            "entsprechend ersetzen",
            "fehlt in der obigen",
            "fehlt im json",
        ],
    ),
    (
        Correction,
        &[
            "erratum",
            "je me suis trompé",
            "ignorez",
            "est fausse",
            "est faux",
            "sont faux",
            "erroné",
            "incorrecte",
            "laisse corriger",
            "pas fiable",
        ],
    ),
    (
        Correction,
        &[
            "me equivoqué",
            "perdón",
            "es errónea",
            "es incorrecta",
            "está mal",
            "ignore esta",
            "ignora esta",
            "no figura en el json",
            "correcta sería",
        ],
    ),
    (Correction, &["me enganei", "errei", "está errad", "desconsidere", "ignore este", "ignore esta"]),
    (Correction, &["anzi no", "ho sbagliato", "è sbagliat", "è errat", "ignorate", "ignorare"]),
    (
        Correction,
        &[
            "я ошиб",
            "не используйте",
            "неправильн",
            "неверн",
            "игнорируйте",
            "ошибочн",
            "исправление",
            "неверен",
        ],
    ),
    (Correction, &["有误", "写错", "请忽略", "是错的", "不正确", "更正", "纠正"]),
    (
        Correction,
        &[
            "無視して",
            "間違",
            "が正しい",
            "正しくは",
            "訂正",
            "誤りです",
            "誤りでした",
            "誤って",
            "誤りがあり",
        ],
    ),
    (Correction, &["정정", "무시하", "무시해", "잘못되", "잘못된", "틀렸", "되어야 합니다"]),
    (Correction, &["تصحيح", "تجاهل", "خاطئ", "غير صحيح", "خطأ"]),
    (Correction, &["गलत है", "सुधार", "अनदेखा"]),
    (Correction, &["klopt niet", "is onjuist", "is fout", "negeer", "correctie", "verkeerd"]),
    (Correction, &["jest błędn", "błędna", "nieprawidłow", "zignoruj", "poprawka", "sprostowanie"]),
    (Correction, &["düzeltme", "yanlış", "hatalı", "dikkate alma", "olmalıdır"]),
    (Correction, &["är fel", "stämmer inte", "rättelse", "bortse från"]),
    (Correction, &["je chybn", "je špatn", "oprava", "neplatí"]),
    (Correction, &["διόρθωση", "λάθος"]),
    (
        Doubt,
        &[
            "could also be",
            "may also be",
            "might also be",
            "might be wrong",
            "i guessed",
            "i am not sure",
            "i'm not sure",
            "not certain",
        ],
    ),
    (Doubt, &["nicht sicher", "könnte auch", "nur geraten"]),
    (Doubt, &["pas certain", "pas sûr", "sous réserve"]),
    (Doubt, &["no estoy seguro", "también podría"]),
    (Doubt, &["não tenho certeza", "também poderia"]),
    (Doubt, &["non sono sicur", "potrebbe anche"]),
    (Doubt, &["не уверен", "возможно, правильн"]),
    (Doubt, &["不太确定", "不确定", "也有可能"]),
    (Doubt, &["かもしれません", "わかりません"]),
    (Doubt, &["수도 있습니다", "확실하지 않"]),
    (Doubt, &["لست متأكد", "غير متأكد"]),
    (
        Doubt,
        &[
            "niet zeker",
            "zou ook",
            "nie jestem pewn",
            "może też",
            "emin değilim",
            "inte säker",
            "nejsem si jist",
        ],
    ),
    (
        Part,
        &[
            "for brevity",
            "as a start and",
            "show only the first",
            "only show the first",
            "list only the first",
            "only list the first",
            "just the first",
            "the first few",
            "rest of the list",
            "output truncated",
            "ran out of space",
            "preliminary",
            "part 1 of",
            "for the rest.",
            "i stopped",
            "are incomplete",
            "is incomplete",
            "i could only",
            "covers page",
            "not in the json",
            "n't in the json",
            "omitted here",
            "not listed here",
            "been shortened",
            "output limit",
            "follow in the next",
            "only included the first",
        ],
    ),
    (Part, &["der kürze halber", "weggelassen", "nur die ersten", "fortsetzung folgt"]),
    (Part, &["par souci de brièveté", "la liste complète", "seulement les premi", "suite au prochain"]),
    (
        Part,
        &[
            "por brevedad",
            "estos son los primeros",
            "faltan l",
            "continúa en",
            "continuará",
            "está incompleta",
        ],
    ),
    (Part, &["por brevidade", "foram omitid", "continua na"]),
    (Part, &["per brevità", "solo i primi", "solo le prime", "continua nel"]),
    (Part, &["для краткости", "только первые", "не успел", "продолжение следует"]),
    (Part, &["省略", "仅列出", "只提取", "篇幅", "未完待续"]),
    (Part, &["残りの", "続きは"]),
    (Part, &["생략", "다음 메시지"]),
    (Part, &["للاختصار", "يتبع في"]),
    (
        Part,
        &["weggelaten", "alleen de eerste", "pominięto", "tylko pierwsz", "yalnızca ilk", "endast de första"],
    ),
    (
        Sample,
        &[
            "made up",
            "made-up",
            "sample data",
            "plausible values",
            "fictitious",
            "invented",
            "the sample in the prompt",
            "a placeholder",
            "previous document",
            "based this on a",
            "only shows the wanted",
            "only shows the expected",
            "only shows the format",
            "these are default",
            "are default values",
            "are the default values",
            "did not load",
            "can't open the",
            "cannot open the",
            "can't process",
            "cannot process",
            "can't read",
            "cannot read",
            "could not read",
            "would not load",
            "did not look it up",
            "don't have access",
            "no access to",
            "placeholder values",
            "only a test",
            "only an example",
            "just an example",
            "an example of the format",
            "an example of the output",
            "values are examples",
            "example call",
            "could look like",
            "might look like",
            "would have this form",
            "adjust every value",
            "adjust the values",
            "couldn't read",
        ],
    ),
    (
        Sample,
        &["platzhalter", "standardwerte", "erfunden", "fiktiv", "ein beispiel, wie", "nur ein beispiel"],
    ),
    (Sample, &["valeurs par défaut", "fictif", "fictive", "j'ai inventé", "qu'un exemple"]),
    (
        Sample,
        &[
            "valores predeterminados",
            "valores por defecto",
            "inventé los",
            "inventado",
            "ficticio",
            "datos de ejemplo",
            "solo un ejemplo",
        ],
    ),
    (Sample, &["fictíci", "inventei", "apenas um exemplo"]),
    (Sample, &["ecco un esempio", "fittizi", "inventat", "solo un esempio"]),
    (Sample, &["вот пример", "вымышлен", "только пример"]),
    (
        Sample,
        &[
            "仅为示例",
            "格式应为",
            "格式应该",
            "默认值",
            "无法读取",
            "编造",
            "虚构",
            "只是示例",
            "只是一个例子",
        ],
    ),
    (Sample, &["サンプルです", "デフォルト値です", "読み取れません", "架空", "一例です"]),
    (Sample, &["예시 데이터", "기본값이", "기본값입", "읽지 못", "가상의", "예시일 뿐"]),
    (Sample, &["مجرد مثال", "وهمي"]),
    (Sample, &["verzonnen", "alleen een voorbeeld", "slechts een voorbeeld", "zmyślon", "tylko przykład"]),
    (Sample, &["uydur", "sadece bir örnek", "påhitt", "bara ett exempel", "vymyšlen", "jen příklad"]),
    (Final, &["endgültig", "definitive", "version finale", "réponse finale", "corrigé"]),
    (Final, &["definitiva", "corregid", "corrigid", "versión final", "versão final", "versione finale"]),
    (Final, &["окончательн", "итоговый ответ", "исправленн", "остаточн"]),
    (
        Final,
        &[
            "以此为准",
            "最终",
            "更正如下",
            "更正:",
            "更正：",
            "正确的结果",
            "正确结果",
            "最終",
            "訂正:",
            "訂正：",
            "正しくは",
            "修正後",
            "修正版",
            "正しい結果",
            "최종",
            "정정:",
            "올바른 결과",
            "النهائي",
        ],
    ),
    (Final, &["definitieve", "ostateczn", "nihai", "slutgiltig", "konečn"]),
    (
        Scale,
        &[
            "in cents",
            "in pounds",
            "in hundreds",
            "in dozens",
            "given in °f",
            "please multiply",
            "please double",
        ],
    ),
    (Scale, &["in tsd", "in tausend", "in cent angegeben", "in millionen", "in mio"]),
    (Scale, &["en milliers", "en millions"]),
    (Scale, &["en miles de", "en millones"]),
    (Scale, &["em milhares", "em milhões"]),
    (Scale, &["in migliaia", "in milioni"]),
    (Scale, &["в тысячах", "в миллионах"]),
    (Scale, &["单位：万", "单位：千", "单位：百万", "单位：亿", "单位:万", "单位:亿", "单位:千"]),
    (Scale, &["単位は千", "単位は万", "単位は百万", "単位は億"]),
    (Scale, &["단위: 백만", "단위: 천", "단위: 만", "단위: 억"]),
    (Scale, &["بالآلاف", "بالملايين"]),
    (Scale, &["लाख रुपये में", "करोड़ रुपये में", "हज़ार में"]),
    (
        Unfounded,
        &[
            "estimate",
            "not found in",
            "not in the document",
            "not in the source",
            "not in the text",
            "not mentioned",
            "not stated",
            "not given",
            "not provided",
            "not specified",
            "not appear in",
            "n't appear in",
        ],
    ),
    (
        Unfounded,
        &[
            "geschätzt",
            "eine schätzung",
            "nicht angegeben",
            "nicht genannt",
            "nicht erwähnt",
            "steht nicht in",
        ],
    ),
    (Unfounded, &["une estimation", "estimé", "ne figure pas", "pas mentionné", "pas indiqué"]),
    (Unfounded, &["una estimación", "estimad", "no aparece", "no se menciona", "no figura", "no consta"]),
    (Unfounded, &["uma estimativa", "não aparece", "não é mencionad", "não foi mencionad", "não consta"]),
    (Unfounded, &["una stima", "stimat", "non compare", "non è indicat", "non è menzionat", "non figura"]),
    (Unfounded, &["не указан", "не упомина", "отсутствует в", "предположительн"]),
    (Unfounded, &["未提及", "没有提到", "未提到", "未找到", "估计", "估算", "推测"]),
    (Unfounded, &["記載がありません", "記載されていません", "書かれていません", "推定", "推測"]),
    (Unfounded, &["언급되지", "나와 있지 않", "명시되지", "추정"]),
    (Unfounded, &["غير مذكور", "مجرد تقدير", "تخمين"]),
    (
        Unfounded,
        &["niet vermeld", "een schatting", "staat niet in", "nie podan", "szacunk", "nie ma w tekście"],
    ),
    (Unfounded, &["belirtilmem", "tahmin", "anges inte", "uppskatt", "není uveden", "odhad"]),
];

/// Phrases that deny a mistake. A sentence that has one takes nothing back.
const CONFIRMING: [&str; 27] = [
    "no correction",
    "no mistake",
    "no error",
    "nothing was made up",
    "nothing is made up",
    "not made up",
    "rather than guess",
    "instead of guess",
    "i'll wait for",
    "i will wait for",
    "nothing should be",
    "nothing was invented",
    "keine korrektur",
    "kein fehler",
    "keine fehler",
    "nichts erfunden",
    "aucune erreur",
    "rien inventé",
    "sin errores",
    "ningún error",
    "nenhum erro",
    "nessun errore",
    "без ошибок",
    "没有错误",
    "間違いがな",
    "間違いはあり",
    "오류가 없",
];

/// Returns whether `text` says that a value is wrong, doubtful, a part only or made up.
pub(crate) fn disowns_value(text: &str) -> bool {
    let disowns = |sentence: &str| says(sentence, &[Correction, Doubt, Part, Sample]);
    disowns(text)
        && text.split_inclusive(ends_sentence).any(|sentence| disowns(sentence) && !confirms(sentence))
}

/// Returns whether `sentence` denies that there is a mistake.
pub(super) fn confirms(sentence: &str) -> bool {
    let sentence = sentence.to_lowercase();
    CONFIRMING.iter().any(|phrase| sentence.contains(phrase))
}

/// Returns whether `text` has a phrase of one of these meanings. The words of a phrase are not parts of
/// other words at its start.
pub(crate) fn says(text: &str, meanings: &[PhraseMeaning]) -> bool {
    let text = text.to_lowercase();
    let starts_word = |at: usize| {
        let before = text[..at].chars().next_back();
        let has_spaces = |c: char| c.is_alphabetic() && u32::from(c) < 0x0590;
        !before.is_some_and(has_spaces)
    };
    let phrases = PHRASES.iter().filter(|(meaning, _)| meanings.contains(meaning));
    phrases
        .flat_map(|(_, phrases)| phrases.iter())
        .any(|phrase| text.match_indices(phrase).any(|(at, _)| starts_word(at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_is_found_in_any_case_and_at_the_start_of_a_word() {
        assert!(says("(Valori in MIGLIAIA di euro)", &[Scale]));
        assert!(says("※単位は千円です。", &[Scale]));
        assert!(!says("Of all the kinds", &[Part]));
        assert!(!says("She errei", &[Doubt]), "of another meaning");
        assert!(!says("it was not reinvented", &[Sample]), "within a word");
    }

    #[test]
    fn phrases_are_in_lower_case() {
        for phrase in PHRASES.iter().flat_map(|(_, phrases)| phrases.iter()) {
            assert_eq!(*phrase, phrase.to_lowercase());
        }
    }
}
