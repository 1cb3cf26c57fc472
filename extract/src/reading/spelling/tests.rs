use super::*;

/// The word of a reply, the known names, and the name it means.
const CASES: &[(&str, &[&str], Option<&str>)] = &[
    // No part of a name is the name.
    ("refund", &["refund_denied", "goods"], None),
    ("refund_denied_twice", &["refund_denied"], None),
    ("USD", &["USDT", "EUR"], None),
    ("not", &["spam", "not_spam"], None),
    ("spam", &["not_spam"], None),
    ("serv", &["goods", "service"], None),
    // Joints.
    ("In Progress", &["in_progress", "done"], Some("in_progress")),
    ("inProgress", &["in_progress", "done"], Some("in_progress")),
    ("IN-PROGRESS", &["in_progress", "done"], Some("in_progress")),
    ("in\u{2011}progress", &["in_progress"], Some("in_progress")),
    ("in.progress", &["in_progress"], Some("in_progress")),
    ("not spam", &["spam", "not_spam"], Some("not_spam")),
    ("rustlang", &["rust-lang"], Some("rust-lang")),
    ("covid 19", &["covid-19"], Some("covid-19")),
    ("_id", &["id"], Some("id")),
    ("In Progress", &["in_progress", "inProgress"], None),
    ("IN_PROGRESS", &["in_progress", "inProgress"], Some("in_progress")),
    ("in - progress", &["in_progress"], None),
    ("in/progress", &["in_progress"], None),
    ("red, green", &["red_green"], None),
    // Signs, and characters between digits.
    ("AA-", &["AAA", "AA", "A"], None),
    ("A-", &["A", "B"], None),
    ("A+", &["A", "A-"], None),
    ("a-", &["A", "A-"], Some("A-")),
    ("-1", &["1", "0"], None),
    ("\u{2212}1", &["1"], None),
    ("1", &["-1", "0"], None),
    ("- 1", &["1"], None),
    ("T-1", &["T1"], None),
    ("C++", &["C", "C#"], None),
    ("c", &["C++", "C#"], None),
    ("!spam", &["spam"], None),
    ("A 1", &["A1", "A-1"], None),
    ("a_1", &["A1", "A-1"], None),
    ("a1", &["A1", "A-1"], Some("A1")),
    ("A 1", &["A1", "B1"], Some("A1")),
    ("<", &[">"], None),
    ("15", &["1.5"], None),
    ("202410", &["2024-10"], None),
    ("1  2", &["12"], None),
    ("(5)", &["5"], None),
    ("50", &["50%"], None),
    ("item(s)", &["items"], None),
    ("we're", &["were"], None),
    // Characters around a word.
    (" goods.", &["goods"], Some("goods")),
    ("\"goods\"", &["goods"], Some("goods")),
    ("Goods:", &["goods"], Some("goods")),
    ("goods...", &["goods"], None),
    ("goods?", &["goods"], None),
    ("", &["a"], None),
    ("  ", &["_"], None),
    ("_", &["-"], None),
    // Case of words.
    ("GOODS", &["goods", "service"], Some("goods")),
    ("Goods", &["goods", "service"], Some("goods")),
    ("eur", &["EUR", "USD"], Some("EUR")),
    ("Eur", &["EUR", "USD"], Some("EUR")),
    ("NO", &["Yes", "No"], Some("No")),
    ("No", &["YES", "NO"], Some("NO")),
    ("Ms", &["mr", "ms"], Some("ms")),
    ("javascript", &["JavaScript"], Some("JavaScript")),
    ("JAVASCRIPT", &["JavaScript"], Some("JavaScript")),
    ("iPhone", &["iphone"], Some("iphone")),
    ("MyId", &["my_id"], Some("my_id")),
    ("MyId", &["myId"], Some("myId")),
    ("isOk", &["is_ok"], Some("is_ok")),
    ("ÄRZTE", &["ärzte"], Some("ärzte")),
    ("Да", &["да", "нет"], Some("да")),
    ("Done", &["done", "DONE"], None),
    // Case of symbols.
    ("mW", &["MW", "kW"], None),
    ("mw", &["MW", "kW"], None),
    ("MW", &["mW", "kW"], None),
    ("kw", &["MW", "kW"], None),
    ("Mg", &["mg", "g", "kg"], None),
    ("MG", &["mg", "g", "kg"], None),
    ("KG", &["mg", "g", "kg"], Some("kg")),
    ("mL", &["ml", "l"], Some("ml")),
    ("ML", &["ml", "l"], None),
    ("kb", &["kB", "MB"], None),
    ("MB", &["mb", "gb"], None),
    ("MBps", &["Mbps", "Gbps"], None),
    ("Mbar", &["mbar"], None),
    ("10 mw", &["10 MW"], None),
    ("max mW", &["max_MW"], None),
    ("Co", &["CO", "CO2"], None),
    ("Aa", &["AA", "A"], None),
    ("AaBb", &["AABB"], None),
    ("PH", &["pH"], None),
    // Marks of letters, which one side may lack.
    ("senor", &["señor", "señora"], Some("señor")),
    ("SEÑOR", &["senor"], Some("senor")),
    ("Sen\u{303}or", &["señor"], Some("señor")),
    ("STRASSE", &["Straße", "Weg"], Some("Straße")),
    ("STRAßE", &["strasse"], Some("strasse")),
    ("resume", &["résumé"], Some("résumé")),
    ("resumé", &["résumé"], Some("résumé")),
    ("a_la_carte", &["À la carte"], None),
    ("creme_brulee", &["Crème Brûlée"], Some("Crème Brûlée")),
    ("no se", &["no sé", "si"], None),
    ("tieng viet", &["Tiếng Việt"], Some("Tiếng Việt")),
    ("peche", &["pêche", "péché"], None),
    ("pêche", &["peche", "péché"], None),
    ("PECHE", &["pêche", "peche"], Some("peche")),
    ("PÊCHE", &["pêche", "peche"], Some("pêche")),
    ("péche", &["pêche"], None),
    ("péche", &["peché"], None),
    ("peche_melba", &["pêche melba", "péche melba"], None),
    ("pêche_melba", &["pêche melba", "peche melba"], Some("pêche melba")),
    // Marks of symbols, and marks that make a different letter.
    ("A", &["Å", "nm"], None),
    ("mA", &["mÅ"], None),
    ("é", &["É"], None),
    ("e", &["é"], None),
    ("si", &["sí", "no"], None),
    ("мои", &["мой"], None),
    ("lodz", &["łódź"], None),
    ("oeuvre", &["œuvre"], None),
    ("año 5 Å", &["ano 5 A"], None),
    // Case of one letter.
    ("a", &["A", "B", "C"], Some("A")),
    ("B", &["a", "b", "c"], Some("b")),
    ("m", &["S", "M", "L", "XL"], Some("M")),
    ("Y", &["y", "n", "unknown"], Some("y")),
    ("M", &["m", "km", "cm"], None),
    ("k", &["M", "K", "kW"], None),
    ("b", &["B", "KB", "MB"], None),
    ("plan b", &["Plan A", "Plan B"], Some("Plan B")),
    ("5 M", &["5 m"], None),
    ("M/s", &["m/s"], None),
    ("δ", &["Δ"], None),
    ("b+", &["A+", "B+"], Some("B+")),
];

#[test]
fn the_same_word_is_found_and_no_other() {
    for (text, options, wanted) in CASES {
        assert_eq!(only(text, options), *wanted, "{text:?} of {options:?}");
    }
}

#[test]
fn what_is_bare_alike_is_the_same_whatever_joins_it() {
    for text in ["invoiceNumber", "Invoice Number", "invoice_number", "INVOICE-NUMBER", " invoice.number "] {
        assert_eq!(bare(text), "invoicenumber", "{text}");
    }
}

#[test]
fn the_same_word_is_the_same_both_ways() {
    for (text, options, _) in CASES {
        for option in *options {
            let names = [*text, *option];
            let there = is_same(text, option, &names.into_iter());
            assert_eq!(there, is_same(option, text, &names.into_iter()), "{text:?} {option:?}");
        }
    }
}

/// A deterministic generator, so that failures can be reproduced.
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % count
    }

    fn of(&mut self, parts: &[&'static str]) -> &'static str {
        parts[self.below(parts.len())]
    }

    /// A name that shares words, letters and signs with many others.
    fn name(&mut self) -> String {
        const WORDS: [&str; 27] = [
            "not", "spam", "refund", "denied", "A", "AA", "mW", "MW", "mg", "Mg", "m", "k", "M", "kB", "usd",
            "USDT", "1", "12", "active", "Trial", "é", "no", "NO", "x", "Å", "señor", "Maße",
        ];
        let mut name = self.of(&["", "", "", "-", "+", "!"]).to_owned();
        for at in 0..=self.below(3) {
            if at > 0 {
                name.push_str(self.of(&["_", "-", " ", ".", "", "/"]));
            }
            name.push_str(self.of(&WORDS));
        }
        name + self.of(&["", "", "", "-", "+", "%", "++"])
    }

    /// `name` as a model may write it: another case, other joints, quotes, no marks. Never another
    /// word.
    fn respelled(&mut self, name: &str) -> String {
        let style = self.below(4);
        let text = match style {
            0 => name.to_lowercase(),
            1 => name.to_uppercase(),
            2 => {
                let mut chars = name.chars();
                chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
            }
            _ => name.to_owned(),
        };
        let text = text.replace('_', self.of(&["_", " ", "-"]));
        let text = if self.below(3) == 0 { unmarked(&text) } else { text };
        match self.below(4) {
            0 => format!("\"{text}\""),
            1 => format!(" {text} "),
            _ => text,
        }
    }
}

fn unmarked(text: &str) -> String {
    text.replace('ñ', "n").replace('Ñ', "N").replace('ß', "ss").replace('Å', "A").replace('å', "a")
}

/// The words short enough to be symbols, whose marks count.
fn symbols(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    words.filter(|word| word.chars().count() < 3 && !word.is_ascii()).collect()
}

/// Returns the signs that no spelling may add or drop, computed without the rules under test.
fn signs(text: &str) -> (String, bool, bool) {
    let text = text.trim_matches(['"', ' ']);
    (text.replace(|c| !"+!%/".contains(c), ""), text.starts_with('-'), text.ends_with('-'))
}

/// The words that are units, whose case counts.
fn units(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| ["mw", "mg", "kb"].contains(&&*word.to_lowercase())).collect()
}

#[test]
fn no_spelling_of_a_name_is_taken_for_another_name() {
    let mut dice = Dice(7);
    let (mut found, mut absent) = (0, 0);
    for round in 0..20_000 {
        let names: Vec<String> = (0..=dice.below(6)).map(|_| dice.name()).collect();
        let meant = &names[dice.below(names.len())];
        let text = dice.respelled(meant);
        // With and without those names among the options that say the same as the text.
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        let word = |name: &str| (letters(name).collect::<String>(), signs(name), units(name).join(" "));
        let others: Vec<&str> = all.iter().copied().filter(|name| word(name) != word(&text)).collect();
        if let Some(name) = only(&text, &all) {
            assert_eq!(bare(name), bare(meant), "{round}: {text:?} of {names:?}");
            assert_eq!(signs(name), signs(&text), "{round}: {text:?} of {names:?}");
            assert_eq!(units(name), units(&text), "{round}: {text:?} of {names:?}");
            assert_eq!(symbols(name), symbols(&text), "{round}: {text:?} of {names:?}");
            found += 1;
        }
        assert_eq!(only(&text, &others), None, "{round}: {text:?} of {others:?}");
        absent += 1;
    }
    assert!(found > 10_000 && absent == 20_000, "{found} found");
}
