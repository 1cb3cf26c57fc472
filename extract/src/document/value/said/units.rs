//! Units of measurement with a neighbour a thousand times as large or small.

use super::{lexicon::WordLexicon, scales::scaled};
use crate::document::value::tokens::QuoteToken;

/// Units that have a neighbour of the same quantity by a factor of a thousand: a dose of `0.5 g` is
/// 500 in milligrams. A factor of ten or a hundred is left out, although `2.5 cm` are 25 mm: it is
/// also what a misplaced decimal point looks like.
const UNITS: &str = "t kg g gr mg μg ug mcg ng pg kt mt kcal cal km m mm μm um nm l ml μl ul cc w kw \
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

pub(super) struct UnitWords(WordLexicon<()>);

impl UnitWords {
    pub(super) fn new() -> Self {
        Self(WordLexicon::new([(UNITS, ())]))
    }

    /// The numbers of `tokens` before a unit, in the neighbouring units.
    pub(super) fn converted(&self, tokens: &[QuoteToken]) -> Vec<f64> {
        let measured = tokens.windows(2).filter(|two| self.0.has(&two[1]));
        measured
            .flat_map(|two| two[0].values())
            .flat_map(|value| [scaled(*value, 3), scaled(*value, -3)])
            .collect()
    }
}
