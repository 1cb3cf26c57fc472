//! Where the leaves of a value are in the reply.

use std::{collections::HashMap, ops::Range};

use serde_json::Value;

use super::{
    node::{Data, Node},
    options::ReadingOptions,
    search::search,
    shape::Shapes,
};
use crate::vocabulary::path::Path;

/// The bytes of each leaf in a reply, by its path, with the leaf as it was read. Leaves that do not
/// have bytes of their own, such as those of an object in a string, are left out.
pub(crate) type LeafSpans = HashMap<Path, (Range<usize>, Value)>;

/// Reads `reply` once more, and returns where its leaves are. Empty if no value can be read.
pub(crate) fn leaf_spans(reply: &str, shapes: &Shapes, options: &ReadingOptions) -> LeafSpans {
    let options = &options.at_most_deep(shapes.max_depth());
    let mut spans = LeafSpans::new();
    if reply.len() > options.max_bytes {
        return spans;
    }
    if let Some(chosen) = search(reply, shapes, options, options.null_reading()).chosen {
        collect(chosen.candidate.node, Path::root(), &mut spans);
    }
    let mut owners: HashMap<Range<usize>, usize> = HashMap::new();
    for (span, _) in spans.values() {
        *owners.entry(span.clone()).or_default() += 1;
    }
    spans.retain(|_, (span, _)| owners.get(span) == Some(&1));
    spans
}

fn collect(node: Node<'_>, path: Path, spans: &mut LeafSpans) {
    let span = node.span.clone();
    match node.data {
        Data::List(items) => {
            for (index, item) in items.into_iter().enumerate() {
                collect(item, path.clone().index(index), spans);
            }
        }
        Data::Object(entries) => {
            for entry in entries {
                collect(entry.value, path.clone().key(&entry.key), spans);
            }
        }
        data => {
            spans.insert(path, (span.clone(), Node::new(span, data).into_value()));
        }
    }
}
