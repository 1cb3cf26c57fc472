//! The number words of twelve languages.

use std::sync::LazyLock;

use crate::document::normalisation::FoldedText;

/// Which of tens and units a language says first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberOrder {
    /// `twenty-five`
    TensFirst,
    /// `fünfundzwanzig`
    UnitsFirst,
}

/// The number words of a language as they are written here: a number, then its words.
struct WordTable {
    /// Words between the parts of a number: `five and twenty`.
    joiners: &'static str,
    /// Endings that leave the number as it is: of ordinals, `-fold`.
    endings: &'static str,
    order: NumberOrder,
    words: &'static str,
}

const TABLES: [WordTable; 12] = [
    // English
    WordTable {
        joiners: "and",
        endings: "th fold",
        order: NumberOrder::TensFirst,
        words: "0 zero oh nil nought 1 one first once 2 two second twice 3 three third thrice 4 four \
            5 five fifth 6 six 7 seven 8 eight eighth 9 nine ninth 10 ten 11 eleven 12 twelve twelfth \
            13 thirteen 14 fourteen 15 fifteen 16 sixteen 17 seventeen 18 eighteen 19 nineteen 20 \
            twenty twentie 30 thirty thirtie 40 forty fourty fortie 50 fifty fiftie 60 sixty sixtie 70 \
            seventy seventie 80 eighty eightie 90 ninety ninetie 100 hundred hundreds 1000 thousand \
            thousands 100000 lakh lakhs lac 1000000 million millions 10000000 crore crores 1000000000 \
            billion billions 1000000000000 trillion trillions",
    },
    // German
    WordTable {
        joiners: "und",
        endings: "te ten ter tes tem ste sten ster stes stem mal fach e er es em en",
        order: NumberOrder::UnitsFirst,
        words: "0 null 1 ein eins erst 2 zwei zwo 3 drei dritt 4 vier 5 fünf fuenf 6 sechs 7 sieben \
            sieb 8 acht ach 9 neun 10 zehn 11 elf 12 zwölf zwoelf 13 dreizehn 14 vierzehn 15 fünfzehn \
            fuenfzehn 16 sechzehn 17 siebzehn 18 achtzehn 19 neunzehn 20 zwanzig 30 dreißig 40 vierzig \
            50 fünfzig fuenfzig 60 sechzig 70 siebzig 80 achtzig 90 neunzig 100 hundert hunderte 1000 \
            tausend tausende 1000000 million millionen 1000000000 milliarde milliarden 1000000000000 \
            billion billionen",
    },
    // French
    WordTable {
        joiners: "et",
        endings: "ième ièmes ieme",
        order: NumberOrder::TensFirst,
        words: "0 zéro 1 un une premier première 2 deux 3 trois 4 quatre quatr 5 cinq cinqu 6 six 7 \
            sept 8 huit 9 neuf neuv 10 dix 11 onze onz 12 douze douz 13 treize treiz 14 quatorze \
            quatorz 15 quinze quinz 16 seize seiz 17 dixsept 18 dixhuit 19 dixneuf 20 vingt vingts \
            vingtaine 30 trente trent trentaine 40 quarante quarant 50 cinquante cinquant 60 soixante \
            soixant 70 septante 80 huitante octante quatrevingt quatrevingts 90 nonante 100 cent cents \
            1000 mille mil 1000000 million millions 1000000000 milliard milliards 1000000000000 \
            billion billions",
    },
    // Spanish
    WordTable {
        joiners: "y",
        endings: "",
        order: NumberOrder::TensFirst,
        words: "0 cero 1 un uno una primero primera 2 dos segundo segunda 3 tres tercero tercera \
            tercer 4 cuatro cuarto cuarta 5 cinco quinto quinta 6 seis sexto sexta 7 siete séptimo \
            séptima 8 ocho octavo octava 9 nueve noveno novena 10 diez décimo décima 11 once 12 doce \
            13 trece 14 catorce 15 quince 16 dieciséis dieciseis 17 diecisiete 18 dieciocho 19 \
            diecinueve 20 veinte veinti 21 veintiún veintiun 22 veintidós veintidos 23 veintitrés \
            veintitres 26 veintiséis veintiseis 30 treinta 40 cuarenta 50 cincuenta 60 sesenta 70 \
            setenta 80 ochenta 90 noventa 100 cien ciento cientos 200 doscientos doscientas 300 \
            trescientos trescientas 400 cuatrocientos cuatrocientas 500 quinientos quinientas 600 \
            seiscientos seiscientas 700 setecientos setecientas 800 ochocientos ochocientas 900 \
            novecientos novecientas 1000 mil miles 1000000 millón millon millones 1000000000 millardo \
            millardos 1000000000000 billón billon billones",
    },
    // Portuguese
    WordTable {
        joiners: "e",
        endings: "",
        order: NumberOrder::TensFirst,
        words: "0 zero 1 um uma primeiro primeira 2 dois duas segundo segunda 3 três tres terceiro \
            terceira 4 quatro quarto quarta 5 cinco quinto quinta 6 seis sexto sexta 7 sete sétimo 8 \
            oito oitavo 9 nove nono 10 dez décimo 11 onze 12 doze 13 treze 14 catorze quatorze 15 \
            quinze 16 dezesseis dezasseis 17 dezessete dezassete 18 dezoito 19 dezenove dezanove 20 \
            vinte 30 trinta 40 quarenta 50 cinquenta cinqüenta 60 sessenta 70 setenta 80 oitenta 90 \
            noventa 100 cem cento centos 200 duzentos duzentas 300 trezentos trezentas 400 \
            quatrocentos quatrocentas 500 quinhentos quinhentas 600 seiscentos seiscentas 700 \
            setecentos setecentas 800 oitocentos oitocentas 900 novecentos novecentas 1000 mil \
            milhares 1000000 milhão milhões milhao milhoes 1000000000 bilhão bilhões bilhao bilhoes \
            bilião biliões 1000000000000 trilhão trilhões trilião triliões",
    },
    // Italian
    WordTable {
        joiners: "e",
        endings: "esimo esima",
        order: NumberOrder::TensFirst,
        words: "0 zero 1 un uno una primo prima 2 due secondo seconda 3 tre tré terzo terza 4 quattro \
            quarto quarta 5 cinque quinto quinta 6 sei sesto sesta 7 sette settimo settima 8 otto \
            ottavo ottava 9 nove nono nona 10 dieci decimo decima 11 undici 12 dodici 13 tredici 14 \
            quattordici 15 quindici 16 sedici 17 diciassette 18 diciotto 19 diciannove 20 venti vent \
            30 trenta trent 40 quaranta quarant 50 cinquanta cinquant 60 sessanta sessant 70 settanta \
            settant 80 ottanta ottant 90 novanta novant 100 cento cent 1000 mille mila 1000000 milione \
            milioni 1000000000 miliardo miliardi 1000000000000 bilione bilioni",
    },
    // Dutch
    WordTable {
        joiners: "en ën",
        endings: "de ste e maal",
        order: NumberOrder::UnitsFirst,
        words: "0 nul 1 een één eerste 2 twee 3 drie der 4 vier 5 vijf 6 zes 7 zeven 8 acht 9 negen \
            10 tien 11 elf 12 twaalf 13 dertien 14 veertien 15 vijftien 16 zestien 17 zeventien 18 \
            achttien 19 negentien 20 twintig 30 dertig 40 veertig 50 vijftig 60 zestig 70 zeventig 80 \
            tachtig 90 negentig 100 honderd honderden 1000 duizend duizenden 1000000 miljoen miljoenen \
            1000000000 miljard miljarden 1000000000000 biljoen biljoenen",
    },
    // Swedish
    WordTable {
        joiners: "och",
        endings: "nde de e te",
        order: NumberOrder::TensFirst,
        words: "0 noll 1 en ett första 2 två andra 3 tre tredje 4 fyra fjärde 5 fem 6 sex sjätte 7 \
            sju 8 åtta 9 nio 10 tio 11 elva 12 tolv 13 tretton 14 fjorton 15 femton 16 sexton 17 \
            sjutton 18 arton 19 nitton 20 tjugo 30 trettio 40 fyrtio 50 femtio 60 sextio 70 sjuttio 80 \
            åttio 90 nittio 100 hundra 1000 tusen 1000000 miljon miljoner 1000000000 miljard miljarder \
            1000000000000 biljon biljoner",
    },
    // Danish
    WordTable {
        joiners: "og",
        endings: "de te nde",
        order: NumberOrder::UnitsFirst,
        words: "0 nul 1 en et én ét første 2 to anden 3 tre tredje 4 fire fjerde 5 fem 6 seks sjette \
            7 syv 8 otte 9 ni 10 ti 11 elleve 12 tolv 13 tretten 14 fjorten 15 femten 16 seksten 17 \
            sytten 18 atten 19 nitten 20 tyve 30 tredive 40 fyrre fyrretyve 50 halvtreds \
            halvtredsindstyve 60 tres tresindstyve 70 halvfjerds halvfjerdsindstyve 80 firs \
            firsindstyve 90 halvfems halvfemsindstyve 100 hundrede hundreder hundred 1000 tusind \
            tusinde tusinder 1000000 million millioner 1000000000 milliard milliarder 1000000000000 \
            billion billioner",
    },
    // Norwegian
    WordTable {
        joiners: "og",
        endings: "nde de te ende",
        order: NumberOrder::UnitsFirst,
        words: "0 null 1 en ett et én første 2 to andre 3 tre tredje 4 fire fjerde 5 fem 6 seks \
            sjette 7 sju syv 8 åtte 9 ni 10 ti 11 elleve 12 tolv 13 tretten 14 fjorten 15 femten 16 \
            seksten 17 sytten 18 atten 19 nitten 20 tjue tyve 30 tretti tredve 40 førti 50 femti 60 \
            seksti 70 sytti 80 åtti 90 nitti 100 hundre 1000 tusen 1000000 million millioner \
            1000000000 milliard milliarder 1000000000000 billion billioner",
    },
    // Polish
    WordTable {
        joiners: "i",
        endings: "krotnie krotny",
        order: NumberOrder::TensFirst,
        words: "0 zero 1 jeden jedna jedno jednego jednej pierwszy pierwsza 2 dwa dwie dwóch dwu \
            dwoje dwiema dwoma drugi druga 3 trzy trzech trzem trzema troje trzeci trzecia 4 cztery \
            czterech czterem czterema czworo czwarty czwarta 5 pięć pięciu pięcioro piąty piąta 6 \
            sześć sześciu szósty 7 siedem siedmiu siódmy 8 osiem ośmiu ósmy 9 dziewięć dziewięciu \
            dziewiąty 10 dziesięć dziesięciu dziesiąty 11 jedenaście jedenastu 12 dwanaście dwunastu \
            13 trzynaście trzynastu 14 czternaście czternastu 15 piętnaście piętnastu 16 szesnaście \
            szesnastu 17 siedemnaście siedemnastu 18 osiemnaście osiemnastu 19 dziewiętnaście \
            dziewiętnastu 20 dwadzieścia dwudziestu 30 trzydzieści trzydziestu 40 czterdzieści \
            czterdziestu 50 pięćdziesiąt pięćdziesięciu 60 sześćdziesiąt sześćdziesięciu 70 \
            siedemdziesiąt siedemdziesięciu 80 osiemdziesiąt osiemdziesięciu 90 dziewięćdziesiąt \
            dziewięćdziesięciu 100 sto stu 200 dwieście dwustu 300 trzysta trzystu 400 czterysta \
            czterystu 500 pięćset pięciuset 600 sześćset sześciuset 700 siedemset siedmiuset 800 \
            osiemset ośmiuset 900 dziewięćset dziewięciuset 1000 tysiąc tysiące tysięcy tysiąca \
            1000000 milion miliony milionów miliona 1000000000 miliard miliardy miliardów \
            1000000000000 bilion biliony bilionów",
    },
    // Czech
    WordTable {
        joiners: "a",
        endings: "krát",
        order: NumberOrder::UnitsFirst,
        words: "0 nula 1 jeden jedna jedno jednoho jedné první 2 dva dvě dvou dvěma druhý druhá 3 tři \
            tří třem třetí 4 čtyři čtyř čtyřem čtvrtý 5 pět pěti pátý 6 šest šesti šestý 7 sedm sedmi \
            sedmý 8 osm osmi osmý 9 devět devíti devátý 10 deset deseti desátý 11 jedenáct jedenácti \
            12 dvanáct dvanácti 13 třináct třinácti 14 čtrnáct čtrnácti 15 patnáct patnácti 16 \
            šestnáct šestnácti 17 sedmnáct sedmnácti 18 osmnáct osmnácti 19 devatenáct devatenácti 20 \
            dvacet dvaceti 30 třicet třiceti 40 čtyřicet čtyřiceti 50 padesát padesáti 60 šedesát \
            šedesáti 70 sedmdesát sedmdesáti 80 osmdesát osmdesáti 90 devadesát devadesáti 100 sto stě \
            sta set 1000 tisíc tisíce tisíců 1000000 milion miliony milionů miliónů 1000000000 \
            miliarda miliardy miliard 1000000000000 bilion biliony bilionů",
    },
];

/// Numbers that multiply the number before them.
const MULTIPLIERS: [u64; 7] = [100, 1_000, 100_000, 1_000_000, 10_000_000, 1_000_000_000, 1_000_000_000_000];

/// A number word, or a number among number words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct NumberAtom {
    pub(super) value: f64,
    /// Whether it multiplies the number before it.
    pub(super) is_multiplier: bool,
}

/// A language whose number words are known.
#[derive(Debug)]
pub(super) struct NumberLanguage {
    pub(super) joiners: Vec<String>,
    pub(super) endings: Vec<String>,
    pub(super) order: NumberOrder,
    /// Its words, normalised, the longest first.
    pub(super) words: Vec<(String, NumberAtom)>,
}

/// The languages. English is the first.
pub(super) static LANGUAGES: LazyLock<Vec<NumberLanguage>> =
    LazyLock::new(|| TABLES.iter().map(NumberLanguage::of).collect());

impl NumberLanguage {
    fn of(table: &WordTable) -> Self {
        let all = |text: &str| text.split_whitespace().map(plain).collect();
        let mut words = Vec::new();
        let mut value = 0;
        for entry in table.words.split_whitespace() {
            match entry.parse() {
                Ok(number) => value = number,
                Err(_) => words.push((plain(entry), NumberAtom::new(value))),
            }
        }
        words.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
        let (joiners, endings) = (all(table.joiners), all(table.endings));
        Self { joiners, endings, order: table.order, words }
    }
}

impl NumberAtom {
    fn new(number: u64) -> Self {
        // At most a million millions, which a double holds exactly.
        #[allow(clippy::cast_precision_loss, reason = "below 2^53")]
        let value = number as f64;
        Self { value, is_multiplier: MULTIPLIERS.contains(&number) }
    }

    /// A number in digits.
    pub(super) fn number(value: f64) -> Self {
        Self { value, is_multiplier: false }
    }
}

fn plain(word: &str) -> String {
    FoldedText::new(word).text().to_owned()
}
