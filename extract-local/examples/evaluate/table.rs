//! The tables.

use std::{collections::BTreeMap, fmt::Write as _};

use crate::{
    cell::Cell,
    journal::Outcome,
    statistics::{Interval, bootstrap, float, mcnemar, mean, wilson},
};

/// The tables of all cells, for each file and in total, and their differences from the first cell.
pub(crate) fn report(cells: &[Cell], outcomes: &[Outcome]) -> String {
    let mut text = String::new();
    let mut files: Vec<&str> = Vec::new();
    for outcome in outcomes {
        if !files.contains(&outcome.file.as_str()) {
            files.push(&outcome.file);
        }
    }
    let groups = files.iter().map(|file| Some(*file)).chain([None].into_iter().filter(|_| files.len() > 1));
    for file in groups {
        let of = |cell: &Cell| {
            let cell = cell.to_string();
            let ours = outcomes.iter().filter(|outcome| outcome.cell == cell);
            ours.filter(|outcome| file.is_none_or(|file| outcome.file == file)).collect::<Vec<_>>()
        };
        let _ = writeln!(text, "\n## {}\n", file.unwrap_or("all documents"));
        text.push_str(&levels(cells, of));
        if cells.len() > 1 {
            text.push_str(&differences(cells, of));
        }
    }
    text
}

fn levels<'o>(cells: &[Cell], of: impl Fn(&Cell) -> Vec<&'o Outcome>) -> String {
    let mut text = String::from(
        "| cell | n | conforming after 1 | after 2 | after 3 | fields right | of those stated | of those absent | all right | tokens in | out | seconds | stalls |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for cell in cells {
        let all = of(cell);
        if all.is_empty() {
            continue;
        }
        let after = |attempts: u32| share(&all, |o| o.is_conforming && o.attempts <= attempts);
        let fields: Vec<f64> = all.iter().map(|o| right_fields(o)).collect();
        let part = |part: fn(&Outcome) -> (usize, usize)| {
            let (right, whole) = all.iter().map(|o| part(o)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
            if whole == 0 { "–".to_owned() } else { format!("{:.3}", float(right) / float(whole)) }
        };
        let conforming = all.iter().filter(|o| o.is_conforming).count();
        let each = |total: u64| u64::try_from(conforming).ok().and_then(|n| total.checked_div(n));
        let each = |total: u64| each(total).map_or("–".to_owned(), |tokens| tokens.to_string());
        let _ = writeln!(
            text,
            "| {cell} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.1} | {} |",
            all.len(),
            after(1),
            after(2),
            after(3),
            with_interval(mean(fields.iter().copied()), bootstrap(&fields)),
            part(|o| (o.score.right_stated, o.score.stated)),
            part(|o| (o.score.right_absent, o.score.absent)),
            share(&all, |o| o.score.is_exact()),
            each(all.iter().map(|o| o.input_tokens).sum()),
            each(all.iter().map(|o| o.output_tokens).sum()),
            mean(all.iter().map(|o| o.seconds)),
            all.iter().map(|o| o.stalls).sum::<usize>(),
        );
    }
    text
}

/// The differences of the other cells from the first one, on the documents that both have.
fn differences<'o>(cells: &[Cell], of: impl Fn(&Cell) -> Vec<&'o Outcome>) -> String {
    let Some((first, others)) = cells.split_first() else { return String::new() };
    let mut text = format!(
        "\n| against {first} | pairs | fields right | all right: only here, only there, p | conforming after 1: only here, only there, p |\n\
         |---|---|---|---|---|\n"
    );
    let base: BTreeMap<&str, &Outcome> = of(first).into_iter().map(|o| (o.document.as_str(), o)).collect();
    for cell in others {
        let pairs: Vec<(&Outcome, &Outcome)> =
            of(cell).into_iter().filter_map(|o| Some((o, *base.get(o.document.as_str())?))).collect();
        if pairs.is_empty() {
            continue;
        }
        let changes: Vec<f64> = pairs.iter().map(|(o, base)| right_fields(o) - right_fields(base)).collect();
        let flips = |is: fn(&Outcome) -> bool| {
            let only = |here: bool| pairs.iter().filter(|(o, b)| is(o) != is(b) && is(o) == here).count();
            let (here, there) = (only(true), only(false));
            let p = mcnemar(here, there);
            if p < 0.001 { format!("{here}, {there}, <0.001") } else { format!("{here}, {there}, {p:.3}") }
        };
        let Interval { low, high } = bootstrap(&changes);
        let _ = writeln!(
            text,
            "| {cell} | {} | {:+.3} ({low:+.3} to {high:+.3}) | {} | {} |",
            pairs.len(),
            mean(changes.iter().copied()),
            flips(|o| o.score.is_exact()),
            flips(|o| o.is_conforming && o.attempts == 1),
        );
    }
    text
}

/// The share of an answer's fields that are right, so that every document counts the same.
fn right_fields(outcome: &Outcome) -> f64 {
    let score = outcome.score;
    float(score.right_stated + score.right_absent) / float((score.stated + score.absent).max(1))
}

fn share(all: &[&Outcome], is: impl Fn(&Outcome) -> bool) -> String {
    let hits = all.iter().filter(|outcome| is(outcome)).count();
    with_interval(float(hits) / float(all.len().max(1)), wilson(hits, all.len()))
}

fn with_interval(value: f64, Interval { low, high }: Interval) -> String {
    format!("{value:.2} ({low:.2}–{high:.2})")
}
