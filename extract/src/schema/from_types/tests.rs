use serde_json::{Value, json};

use super::{TypesError, from_types};
use crate::{Contract, schema::types};

fn schema(text: &str) -> Value {
    from_types(text).unwrap_or_else(|error| panic!("{error} in\n{text}"))
}

/// The error, as `line:column message`.
fn wrong(text: &str) -> String {
    match from_types(text) {
        Err(TypesError::Notation { line, column, message }) => format!("{line}:{column} {message}"),
        other => panic!("{other:?} of {text}"),
    }
}

#[test]
fn types_as_people_write_them_are_a_schema() {
    let text = "
        /** A line of it. */
        interface Line { description: string; quantity: integer /* at least 1 */, unit_price?: number }

        // An invoice, as printed.
        export type Invoice = {
          number: string; // Printed at the top right. matches ^INV-\\d{4}$
          currency: 'EUR' | 'USD'
          due?: string | null // format date
          lines: Line[] // at least 1 item
          extra: Record<string, number>;
          pages: Array<1 | 2>
        }
    ";
    assert_eq!(
        schema(text),
        json!({
            "title": "Invoice",
            "description": "An invoice, as printed.",
            "type": "object",
            "properties": {
                "number": {"type": "string", "description": "Printed at the top right.", "pattern": r"^INV-\d{4}$"},
                "currency": {"enum": ["EUR", "USD"]},
                "due": {"type": ["string", "null"], "format": "date"},
                "lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}, "minItems": 1},
                "extra": {"type": "object", "additionalProperties": {"type": "number"}},
                "pages": {"type": "array", "items": {"enum": [1, 2]}},
            },
            "required": ["number", "currency", "lines", "extra", "pages"],
            "additionalProperties": false,
            "$defs": {"Line": {
                "description": "A line of it.",
                "type": "object",
                "properties": {
                    "description": {"type": "string"},
                    "quantity": {"type": "integer", "minimum": 1},
                    "unit_price": {"type": "number"},
                },
                "required": ["description", "quantity"],
                "additionalProperties": false,
            }},
        })
    );
}

/// Asserts that reading types and writing them again gives the same text.
#[track_caller]
fn survives(text: &str) {
    let text = text.trim();
    assert_eq!(types(&schema(text)).text, text);
}

#[test]
fn what_is_written_is_read_as_it_was() {
    for text in [
        "type Answer = string",
        "type Answer = \"a\" | 2 | true | null",
        "type Answer = [integer, string | null]",
        "type Answer = [integer, (string | null)?, ...unknown[]] // at least 1 item",
        "// at least 1 key\ntype Answer = {\n  [key: string]: integer // at least 0\n}",
        r#"type Answer = { [key: "x" | "y"]: null }"#,
        r"type Answer = { [key: string /* matches ^\d+$ */]: string }",
        "type Answer = {}",
        "type Answer = object",
        r#"type Answer = { "a": unknown, "b"?: never }"#,
        "type Answer = integer | (number /* at least 3 */) // exactly one of these",
        "type Line = {\n  \"quantity\": integer // at least 1\n}\n// An invoice, as printed.\ntype Invoice = {\n  \"number\": string // Printed at the top. matches ^a; b. c?$; format x; such as \"a; b\", \"c\"\n  \"tags\"?: (string /* 1 to 20 characters */)[] // no item twice\n  \"total net\"?: number // at least 0; less than 1000000.0; default {\"a. b\":\"; \"}\n  \"lines\": Line[]\n}",
        "type tree = { \"children\"?: tree[] }",
        "type Grounded = { \"value\": number }\ntype Answer = {\n  \"dose\"?: Grounded | null // The dose of one. \"value\": 1 to 900\n  \"name\"?: Grounded // \"value\": a multiple of 2; \"quote\": exactly 3 characters\n}",
        "type Odd = 1 | 3\n// and by JSON Schema {\"dependentRequired\":{\"a\":[\"b\"]},\"x-unit\":\"metres\"}\ntype Answer = {\n  \"a\"?: unknown[] // and by JSON Schema {\"contains\":{\"$ref\":\"Odd\"}}\n  \"b\"?: unknown // other than 1, \"x\"; deprecated\n  \"c\": Odd\n}",
    ] {
        survives(text);
    }
}

#[test]
fn comments_that_are_no_phrase_are_descriptions() {
    let read = schema(
        "type A = {\n  // at least 18 years old; 1 to 3 people\n  // at most 9\n  // deprecated!\n  age: integer\n}",
    );
    assert_eq!(
        read["properties"]["age"],
        json!({"type": "integer", "maximum": 9, "description": "at least 18 years old; 1 to 3 people\ndeprecated!"})
    );
}

#[test]
fn comments_stay_with_the_branch_they_stand_behind() {
    let read = schema(
        "type A =\n  // round\n  | { kind: \"circle\" } // with a radius\n  | { kind: \"dot\" }\n  | string /* at most 3 characters */ | null // one of them",
    );
    let object = |kind: &str| json!({"type": "object", "properties": {"kind": {"const": kind}}, "required": ["kind"], "additionalProperties": false});
    let mut circle = object("circle");
    circle["description"] = json!("round\nwith a radius");
    assert_eq!(
        read["anyOf"],
        json!([circle, object("dot"), {"type": "string", "maxLength": 3}, {"type": "null"}])
    );
    assert_eq!(read["description"], "one of them");
}

#[test]
fn an_intersection_of_objects_is_one_closed_object() {
    let text = "type Circle = { r: number }
        type Named = { kind: string, name?: string /* at least 1 character */ } // has a name
        type Shape = ({ kind: \"circle\" } & Circle) | ({ kind: \"dot\" } & Named)";
    let contract = Contract::from_types(text).unwrap();
    for right in
        [json!({"kind": "circle", "r": 1}), json!({"kind": "dot", "name": "x"}), json!({"kind": "dot"})]
    {
        assert_eq!(contract.validate(&right), [], "{right}");
    }
    for wrong in [
        json!({"kind": "circle"}),
        json!({"kind": "circle", "r": 1, "name": "x"}),
        json!({"kind": "dot", "name": ""}),
        json!({"kind": "line"}),
    ] {
        assert_ne!(contract.validate(&wrong), [], "{wrong}");
    }
    assert_eq!(contract.schema()["anyOf"][1]["description"], "has a name");
}

#[test]
fn the_type_that_no_other_names_is_the_whole() {
    let title = |text: &str| schema(text)["title"].clone();
    assert_eq!(title("type Order = { lines: Line[] }\ntype Line = { n: integer }"), "Order");
    assert_eq!(title("type A = string\ntype B = number"), "B");
    assert_eq!(title("type A = B[]\ntype B = A[]"), "B");
    assert_eq!(schema("type Tree = { nodes: Tree[] }")["properties"]["nodes"]["items"]["$ref"], "#");
    // A name that has to be encoded in a URI.
    let read = Contract::from_types("type Maß = integer\ntype A = Maß[]").unwrap();
    assert_ne!(read.validate(&json!(["x"])), []);
    assert_eq!(read.validate(&json!([1])), []);
}

#[test]
fn mistakes_say_where_they_are_and_what_to_write() {
    for (text, error) in [
        ("", "1:1 no type is defined; write `type Answer = …`"),
        ("{\"type\": \"object\"}", "1:1 expected `type Name = …` or `interface Name { … }`"),
        (
            "type A = {\n  day: Date\n}",
            "2:8 no type `Date` is defined; a date is `string // format date`, one with the time `string // format date-time`",
        ),
        ("type A = { a string }", "1:14 expected `:` and the type of the key"),
        ("type A = { a: string, a: string }", "1:23 the key \"a\" stands twice"),
        ("type A = { a: }", "1:15 expected a type"),
        ("type A = { a: string", "1:15 expected a key or `}`"),
        (
            "type A = [string?, number]",
            "1:26 an element that is always there cannot follow one that may be absent",
        ),
        ("type A<T> = T", "1:7 types with parameters are not read; write each one out"),
        (
            "type A = Partial<B>",
            "1:10 `Partial<…>` is not read; of types with parameters only `Array` and `Record` are",
        ),
        ("interface A extends B {}", "1:13 `extends` is not read; write `type Name = Base & { … }`"),
        (
            "type A = string | undefined",
            "1:19 JSON has no `undefined`; write `?` after a key that may be absent",
        ),
        ("type A = 'a", "1:10 a string that does not end"),
        ("type A = 1.2.3", "1:10 `1.2.3` is not a number of JSON"),
        ("type A = /* x", "1:10 a comment that does not end"),
        ("type A = string; type A = number", "1:23 the type `A` is defined twice"),
        ("type A = @", "1:10 `@` is not part of the notation"),
        ("type A = A & {}", "1:10 the type leads back to itself, or through too many others"),
    ] {
        assert_eq!(wrong(text), error, "{text}");
    }
    let error = Contract::from_types("type A = string // matches (").unwrap_err();
    assert!(
        matches!(&error, TypesError::Schema(error) if error.path().to_string() == "$.pattern"),
        "{error}"
    );
}

#[test]
fn hostile_texts_cost_little() {
    assert!(wrong("type A = (").contains("expected a type"));
    assert!(wrong(&format!("type A = {}", "(".repeat(10_000))).contains("nests more than 128 levels deep"));
    assert!(wrong(&format!("type A = string{}", " ".repeat(300_000))).contains("longer than 256 KiB"));
    // Each one expands to twice as much as the one before.
    let doubled = (0..60).map(|n| format!("type A{} = A{n} & A{n}\n", n + 1));
    let doubling = std::iter::once("type A0 = { a: string }\n".to_owned()).chain(doubled).collect::<String>();
    assert!(wrong(&doubling).contains("too many others"));
    let branches = "{ a: 1 } | ".repeat(9) + "{ a: 2 }";
    assert!(wrong(&format!("type A = ({branches}) & ({branches})")).contains("more than 64 combinations"));
    for part in ["; a", "default \" ; ", "matches ; ", "such as [; ", "\"a\": "] {
        schema(&format!("type A = string // {}", part.repeat(200_000 / part.len())));
    }
}

#[test]
fn a_comment_ends_after_its_start() {
    for text in ["type A = /*/", "/*/", "type A = string /*/ */ | /*/"] {
        assert!(wrong(text).contains("a comment that does not end"), "{text}");
    }
    assert_eq!(schema("type A = string /*/ a slash */")["description"], "/ a slash");
    assert_eq!(schema("type A = string /**/"), schema("type A = string"));
}

#[test]
fn nesting_is_bounded_however_it_is_written() {
    let deep = "nests more than 128 levels deep";
    for count in [128, 10_000, 80_000] {
        assert!(wrong(&format!("type A = string{}", "[]".repeat(count))).contains(deep), "{count}");
    }
    schema(&format!("type A = string{}", "[]".repeat(100)));
    let lists = "[]".repeat(100);
    for text in [
        format!("type A = (string{lists}){lists}"),
        format!("type A = Array<string{lists}>{lists}"),
        format!("type A = {{ a: string{lists} }}{lists}"),
        format!("type A = [string{lists}, ...(string{lists})[]]{lists}"),
        format!("type A = (1 | string{lists}){lists}"),
        format!("type A = Record<string, string{lists}>{lists}"),
        format!("interface A {{ [key: string]: string{lists} }}{lists}"),
        format!("type A = ({{ a: 1 }} & {{ b: string{lists} }}){lists}"),
    ] {
        assert!(wrong(&text).contains(deep), "{text}");
    }
    // On a thread with little stack.
    let small = std::thread::Builder::new().stack_size(1 << 20).spawn(move || {
        let groups = format!("{}string{}", "(".repeat(120), format!("{})", "[]".repeat(100)).repeat(120));
        assert!(wrong(&format!("type A = {groups}")).contains(deep));
    });
    small.unwrap().join().unwrap();
}

#[test]
fn intersections_that_write_much_several_times_are_refused() {
    let large = "the type is too large";
    let keys = |count: usize| (0..count).map(|key| format!("k{key}:1,")).collect::<Vec<_>>().concat();
    // The same keys, with a type more for each time.
    let same = format!("type B = {{ {} }}\ntype A = B{}", keys(5_000), " & B".repeat(5_000));
    assert!(wrong(&same).contains(large));
    // Each level is written for each of the alternatives around it.
    let branches = |count: usize| "{a:1}|".repeat(count - 1) + "{a:2}";
    let levels = (0..6).fold("1".to_owned(), |inner, _| format!("{{ x: {inner} }} & ({})", branches(60)));
    assert!(wrong(&format!("type A = {levels}")).contains(large));
    let comment = "b. ".repeat(60_000);
    let commented = format!("type A = {{ x: {{}} /* {comment} */ }} & ({})", branches(60));
    assert!(wrong(&commented).contains(large));
    // Without intersections every text is small enough.
    schema(&format!("type A = [{}]", "1,".repeat(125_000)));
    schema(&format!("type A = {{ a: 1 /* {} */ }}", "b".repeat(250_000)));
    let keys = keys(25_000);
    schema(&format!("type A = {{ {keys} }}"));
    let many = (0..25_000).map(|key| format!("|a{}", key % 10)).collect::<Vec<_>>().concat();
    let named = (0..10).map(|key| format!("type a{key} = {key};")).collect::<Vec<_>>().concat();
    schema(&format!("{named} type A = {many}"));
}

#[test]
fn a_text_that_is_cut_anywhere_is_read_or_refused() {
    let text = "// é\ntype B = [integer, ('x' /* \u{1F600} */)?, ...C[]]\ntype C = { \"k\"?: B | null, [key: string /* matches ^a */]: -1.5e3 } & { d: B } // \"k\": at least 1";
    schema(text);
    for end in 0..text.len() {
        if text.is_char_boundary(end) {
            let _ = from_types(&text[..end]);
            let _ = from_types(&text[end..]);
        }
    }
}
