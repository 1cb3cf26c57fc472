//! The controls of the page: switches of fields, filters of rows, and the search.
//!
//! The style sheet implements switches and states. The search and the choice of one field need the
//! script, which shows them.

use std::fmt::Write as _;

use super::{
    escape::push_text,
    fields::{OWN, class},
    rows::TableRows,
    states::RowState,
    words::{counted, cut},
};

/// Maximum fields to choose from. The search finds all others by their names.
const MAX_CHOICES: usize = 300;

/// Maximum characters of the name of a field in a control. The table has the full name.
const NAME_CHARS: usize = 80;

/// Adds a switch for each field, which the style sheet implements.
pub(super) fn push_legend(html: &mut String, rows: &TableRows) {
    if rows.counts.is_empty() {
        return;
    }
    html.push_str("<fieldset><legend class=v>Fields</legend>\n");
    for (field, count) in rows.counts.iter().enumerate().take(OWN) {
        push_switch(html, field);
        html.push_str("<bdi>");
        push_name(html, &rows.fields[field]);
        let _ = writeln!(html, "</bdi> <small>{count}</small></label>");
    }
    if let Some(others) = rows.counts.get(OWN..).filter(|others| !others.is_empty()) {
        let count: usize = others.iter().sum();
        push_switch(html, OWN);
        let _ = writeln!(html, "{} <small>{count}</small></label>", counted(others.len(), "other field"));
    }
    html.push_str("</fieldset>\n");
}

fn push_switch(html: &mut String, field: usize) {
    let class = class(field);
    let _ = write!(html, "<label class={class}><input type=checkbox checked id=c{}> ", &class[1..]);
}

/// Adds the filter of rows by state, and the choice of one field.
pub(super) fn push_filters(html: &mut String, rows: &TableRows, values: usize) {
    let count = |state: RowState| rows.all[..values].iter().filter(|row| state.is_of(row)).count();
    let states = RowState::ALL.map(|state| (state, count(state)));
    if values == 0 || states.iter().all(|(_, count)| *count == 0) && rows.fields.len() < 2 {
        return;
    }
    html.push_str("<fieldset id=states><legend class=v>Values to show</legend>\n");
    let empty = count(RowState::Empty);
    if empty > 0 && empty < values {
        push_state(html, "y", RadioState::Checked, "Filled", values - empty);
        push_state(html, "a", RadioState::Unchecked, "All", values);
    } else {
        push_state(html, "a", RadioState::Checked, "All", values);
    }
    // A state that all values share is not a choice.
    for (state, count) in states.into_iter().filter(|(_, count)| (1..values).contains(count)) {
        push_state(html, state.class().encode_utf8(&mut [0; 4]), RadioState::Unchecked, state.label(), count);
    }
    push_choice(html, rows, values);
    html.push_str("</fieldset>\n");
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RadioState {
    Checked,
    Unchecked,
}

fn push_state(html: &mut String, class: &str, state: RadioState, label: &str, count: usize) {
    let checked = if state == RadioState::Checked { " checked" } else { "" };
    let _ = writeln!(
        html,
        "<label><input type=radio name=state id=s{class} value={class}{checked}> {label} <small>{count}</small></label>"
    );
}

fn push_choice(html: &mut String, rows: &TableRows, values: usize) {
    let mut counts = vec![0_usize; rows.fields.len()];
    for row in &rows.all[..values] {
        counts[row.field] += 1;
    }
    let fields: Vec<usize> = (0..counts.len()).filter(|field| counts[*field] > 0).collect();
    if fields.len() < 2 {
        return;
    }
    html.push_str("<label id=choice hidden>Field <select><option value=\"\">all</option>\n");
    for field in fields.into_iter().take(MAX_CHOICES) {
        let _ = write!(html, "<option value={field}>");
        push_name(html, &rows.fields[field]);
        let _ = writeln!(html, " ({})</option>", counts[field]);
    }
    html.push_str("</select></label>\n");
}

/// The name of a field; empty for the value itself.
fn push_name(html: &mut String, name: &str) {
    push_text(html, &cut(if name.is_empty() { "value" } else { name }, NAME_CHARS));
}

/// Adds the search of the text and the values, which the script shows.
pub(super) fn push_search(html: &mut String) {
    html.push_str(
        "<div id=find role=search hidden><label><span class=v>Search text and values</span>\
         <input type=search placeholder=\"Search\" autocomplete=off spellcheck=false maxlength=200></label>\
         <button type=button aria-label=\"Previous in the text\">\u{2191}</button>\
         <button type=button aria-label=\"Next in the text\">\u{2193}</button>\
         <output aria-live=polite></output></div>\n",
    );
}
