//! Arbitrary lists, mistakes, chunks and faults: the delivered items equal the final list, by
//! index.

use std::{collections::BTreeMap, time::Duration};

use extract::agent::{AgentError, FinishReason, Reply};
use extract::settings::TransportOptions;
use extract::testing::ScriptedAgent;
use extract::{Extractable, Feedback};
use serde_json::{Value, json};

use super::{Line, collected, indexes};

/// A generator of numbers that are the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % most as u64).unwrap_or_default()
    }

    fn chunks(&mut self, text: &str) -> Vec<String> {
        let mut chunks = vec![String::new()];
        for letter in text.chars() {
            if self.below(8) == 0 {
                chunks.push(String::new());
            }
            chunks.last_mut().unwrap().push(letter);
        }
        chunks
    }

    fn item(&mut self, index: usize) -> Value {
        let mut item = json!({"what": format!("ü {index} \"{}\"", self.below(99)), "qty": self.below(9) + 1});
        if self.below(3) == 0 {
            item["note"] = Value::Null;
        }
        item
    }

    /// One reply about `right`, with mistakes.
    fn reply(&mut self, right: &[Value]) -> Value {
        let mut items = right.to_vec();
        for item in &mut items {
            match self.below(12) {
                0 => item["qty"] = json!(0),
                1 => item["qty"] = json!(item["qty"].to_string()),
                2 => item["what"] = json!({"x": 1}),
                3 if self.below(3) == 0 => item["what"] = json!("another"),
                _ => {}
            }
        }
        match self.below(10) {
            0 => items.truncate(right.len() / 2),
            1 => items.push(self.item(items.len())),
            _ => {}
        }
        Value::Array(items)
    }

    fn script(&mut self, right: &[Value]) -> ScriptedAgent {
        let mut agent = ScriptedAgent::default();
        for _ in 0..3 {
            let text = self.reply(right).to_string();
            let cut = (0..=self.below(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap();
            if self.below(4) == 0 {
                let chunks = self.chunks(&text[..cut]);
                agent = agent.then_fail(AgentError::transport("reset")).streaming(chunks);
            }
            let (start, end) = [("", ""), ("```json\n", "\n```"), ("Sure: ", "")][self.below(3)];
            let text = format!("{start}{text}{end}");
            let is_cut = self.below(5) == 0 && text.is_char_boundary(cut);
            let reply = Reply::new(if is_cut { &text[..cut] } else { &text });
            let chunks = self.chunks(reply.text());
            let reply = if is_cut { reply.finished(FinishReason::Length) } else { reply };
            agent = agent.then(reply);
            if self.below(4) > 0 {
                agent = agent.streaming(chunks);
            }
        }
        let text = Value::Array(right.to_vec()).to_string();
        agent.then(text)
    }
}

#[test]
fn what_was_delivered_is_the_final_list_by_index() {
    let (mut finished, mut failed) = (0, 0);
    for seed in 1..500_u64 {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let count = dice.below(7) + 1;
        let right: Vec<Value> = (0..count).map(|index| dice.item(index)).collect();
        let agent = dice.script(&right);
        let options = TransportOptions::new().retries(1).backoff(Duration::ZERO, Duration::ZERO);
        let ways = [Feedback::Auto, Feedback::Continue, Feedback::Fresh];
        let extraction = Vec::<Line>::extract(&agent, "…")
            .max_attempts(4)
            .transport_options(options)
            .feedback(ways[dice.below(3)]);
        let (items, outcome) = collected(extraction.items());
        let by_index: BTreeMap<usize, Line> = items.iter().cloned().collect();
        assert_eq!(by_index.len(), items.len(), "none comes twice: {:?} of seed {seed}", indexes(&items));
        match outcome {
            Ok((whole, _)) => {
                let expected: BTreeMap<usize, Line> = whole.into_iter().enumerate().collect();
                assert_eq!(by_index, expected, "seed {seed}");
                finished += 1;
            }
            Err(error) => {
                assert!(by_index.keys().eq(error.delivered()), "seed {seed}");
                failed += 1;
            }
        }
    }
    assert!(finished > 100 && failed > 5, "{finished} finished, {failed} failed");
}
