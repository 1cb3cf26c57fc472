//! For any list: the valid items are kept in their order, and together with the left-out items they
//! are the submitted list.

use extract::testing::block_on;
use extract::{Contract, Rejection, Rejections};
use serde_json::{Value, json};

use super::agent;

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % u64::try_from(most).unwrap()).unwrap()
    }

    fn item(&mut self) -> Value {
        let count = self.below(9);
        match self.below(6) {
            0 => json!({"n": "x"}),
            1 => json!({}),
            2 => json!([count]),
            _ => json!({"n": count, "inner": (0..self.below(4)).map(|_| self.below(9)).collect::<Vec<_>>()}),
        }
    }
}

/// The schema rejects items without `n`, and the rule those with an odd one, in a later round.
fn contract() -> Contract {
    let item = json!({
        "type": "object",
        "properties": {"n": {"type": "integer"}, "inner": {"type": "array", "items": {"maximum": 6}}},
        "required": ["n"],
    });
    Contract::from_schema(json!({"type": "array", "items": item})).unwrap().with_rule(|value: &Value| {
        let items = value.as_array().into_iter().flatten().enumerate();
        let odd = items.filter(|(_, item)| item["n"].as_u64().is_some_and(|n| n % 2 == 1));
        let rejected = odd.map(|(index, _)| Rejection::new("odd").at(format!("$[{index}].n")));
        rejected.collect::<Rejections>().into_result()
    })
}

fn is_valid(item: &Value) -> bool {
    let inner = item["inner"].as_array().into_iter().flatten();
    item["n"].as_u64().is_some_and(|n| n % 2 == 0) && inner.into_iter().all(|one| one.as_u64() <= Some(6))
}

#[test]
fn what_is_kept_and_what_is_left_out_are_what_was_submitted() {
    let contract = contract();
    let (mut kept_any, mut rounds) = (0, 0);
    for seed in 0..400 {
        let mut random = Random(seed);
        let count = random.below(12);
        let submitted: Vec<_> = (0..count).map(|_| random.item()).collect();
        let valid: Vec<_> = submitted.iter().filter(|item| is_valid(item)).cloned().collect();
        let agent = agent([json!(submitted)]);
        let result = block_on(contract.extract(&agent, "…").max_attempts(1).keep_valid_items(true));
        let Ok((value, metrics)) = result else {
            assert!(valid.is_empty() && !submitted.is_empty(), "{seed}: {submitted:?}");
            continue;
        };
        assert_eq!(value, json!(valid), "{seed}: {submitted:?}");
        let mut whole = valid.clone();
        for item in &metrics.left_out {
            assert!(!item.violations.is_empty());
            assert!(item.violations.iter().all(|violation| violation.path.is_within(&item.path)));
            let index: usize = item.path.to_pointer()[1..].parse().unwrap();
            whole.insert(index, item.value.clone());
        }
        assert_eq!(whole, submitted, "{seed}");
        kept_any += usize::from(!metrics.left_out.is_empty());
        let codes: std::collections::BTreeSet<_> =
            metrics.left_out.iter().flat_map(|item| &item.violations).map(|v| v.code.to_string()).collect();
        rounds += usize::from(codes.contains("RULE") && codes.len() > 1);
    }
    assert!(kept_any > 100 && rounds > 50, "{kept_any} {rounds}");
}

#[test]
fn thousands_of_broken_items_are_left_out() {
    let contract = Contract::from_schema(json!({"items": {"type": "integer"}})).unwrap();
    let list: Vec<_> = (0..5_000).map(|n| if n % 2 == 0 { json!(n) } else { json!("x") }).collect();
    let agent = agent([json!(list)]);
    let (value, metrics) =
        block_on(contract.extract(&agent, "…").max_attempts(1).keep_valid_items(true)).unwrap();
    assert_eq!((value.as_array().unwrap().len(), metrics.left_out.len()), (2_500, 2_500));
}
