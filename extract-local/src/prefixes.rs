//! The prompts that the runtime has already read.

use toktrie::TokenId;

/// Maximum unrelated prompts that are cached: one per contract in use.
pub(super) const SEQUENCES: usize = 4;

/// The content of each sequence of the runtime, token by token.
///
/// Prompts for the same contract start with the same turn and share a sequence: only the difference
/// to the last prompt is read. Another contract gets its own sequence, so two that alternate do not
/// evict each other.
pub(super) struct Prefixes {
    sequences: [Sequence; SEQUENCES],
    /// Maximum tokens in all sequences.
    budget: usize,
    clock: u64,
}

#[derive(Default)]
struct Sequence {
    tokens: Vec<TokenId>,
    last_used: u64,
}

/// The position where a prompt is read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PromptPlace {
    pub(super) sequence: usize,
    /// The number of tokens that are read already; always less than the prompt has.
    pub(super) kept: usize,
    /// Sequences to evict.
    pub(super) dropped: Vec<usize>,
}

impl Prefixes {
    /// Empty; all sequences together may hold `budget` tokens.
    pub(super) fn new(budget: usize) -> Self {
        Self { sequences: <[Sequence; SEQUENCES]>::default(), budget, clock: 0 }
    }

    /// Finds the sequence of a prompt whose first turn has `first_turn` tokens, and makes room for
    /// `length` tokens there.
    pub(super) fn place(&mut self, prompt: &[TokenId], first_turn: usize, length: usize) -> PromptPlace {
        self.clock += 1;
        let (sequence, shared) = self.best(prompt, first_turn);
        // The last token is always read again, because the reply starts from its scores.
        let kept = shared.min(prompt.len().saturating_sub(1));
        let chosen = &mut self.sequences[sequence];
        chosen.last_used = self.clock;
        chosen.tokens.truncate(kept);
        PromptPlace { sequence, kept, dropped: self.make_room(sequence, length) }
    }

    /// The runtime has read these tokens at the end of a sequence.
    pub(super) fn extend(&mut self, sequence: usize, tokens: &[TokenId]) {
        self.sequences[sequence].tokens.extend_from_slice(tokens);
    }

    /// The sequence with the same first turn and the longest common prefix, else the least recently
    /// used one.
    fn best(&self, prompt: &[TokenId], first_turn: usize) -> (usize, usize) {
        let shared = |sequence: &Sequence| {
            sequence.tokens.iter().zip(prompt).take_while(|(held, wanted)| held == wanted).count()
        };
        let all = || self.sequences.iter().enumerate();
        let longest =
            all().map(|(index, sequence)| (index, shared(sequence))).max_by_key(|(_, shared)| *shared);
        match longest {
            Some((index, shared)) if shared >= first_turn => (index, shared),
            _ => all()
                .min_by_key(|(_, sequence)| (!sequence.tokens.is_empty(), sequence.last_used))
                .map_or((0, 0), |(index, sequence)| (index, shared(sequence))),
        }
    }

    fn make_room(&mut self, chosen: usize, length: usize) -> Vec<usize> {
        let mut dropped = Vec::new();
        loop {
            let others = self.sequences.iter_mut().enumerate();
            let others = others.filter(|(index, sequence)| *index != chosen && !sequence.tokens.is_empty());
            let (mut total, mut oldest) = (length, None::<(usize, &mut Sequence)>);
            for (index, sequence) in others {
                total += sequence.tokens.len();
                if oldest.as_ref().is_none_or(|(_, oldest)| sequence.last_used < oldest.last_used) {
                    oldest = Some((index, sequence));
                }
            }
            match oldest {
                Some((index, sequence)) if total > self.budget => {
                    sequence.tokens.clear();
                    dropped.push(index);
                }
                _ => return dropped,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(prefixes: &mut Prefixes, prompt: &[TokenId], first_turn: usize) -> PromptPlace {
        let place = prefixes.place(prompt, first_turn, prompt.len());
        prefixes.extend(place.sequence, &prompt[place.kept..]);
        place
    }

    #[test]
    fn a_prompt_with_the_same_first_turn_keeps_what_is_the_same() {
        let mut prefixes = Prefixes::new(100);
        assert_eq!(read(&mut prefixes, &[1, 2, 3, 4], 2).kept, 0);
        let second = read(&mut prefixes, &[1, 2, 3, 5, 6], 2);
        assert_eq!((second.sequence, second.kept), (0, 3));
        assert_eq!(read(&mut prefixes, &[1, 2, 3, 5, 6, 7], 2).kept, 5);
    }

    #[test]
    fn a_prompt_read_before_is_read_from_its_last_token() {
        let mut prefixes = Prefixes::new(100);
        read(&mut prefixes, &[1, 2, 3], 2);
        assert_eq!(read(&mut prefixes, &[1, 2, 3], 2).kept, 2);
    }

    #[test]
    fn contracts_that_alternate_do_not_push_each_other_out() {
        let mut prefixes = Prefixes::new(100);
        let (first, second) = ([1, 2, 3, 4], [1, 9, 9, 4]);
        assert_ne!(read(&mut prefixes, &first, 3).sequence, read(&mut prefixes, &second, 3).sequence);
        assert_eq!(read(&mut prefixes, &[1, 2, 3, 8], 3).kept, 3);
        assert_eq!(read(&mut prefixes, &[1, 9, 9, 8], 3).kept, 3);
    }

    #[test]
    fn the_oldest_make_room_and_the_budget_holds() {
        let mut prefixes = Prefixes::new(10);
        for contract in 0..4 {
            read(&mut prefixes, &[contract; 3], 3);
        }
        let held = |prefixes: &Prefixes| {
            prefixes.sequences.iter().map(|sequence| sequence.tokens.len()).sum::<usize>()
        };
        assert_eq!(held(&prefixes), 9);
        let place = read(&mut prefixes, &[9; 7], 7);
        assert_eq!(place.dropped, [1, 2]);
        assert_eq!(held(&prefixes), 10);
    }
}
