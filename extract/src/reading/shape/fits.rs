//! Whether alignment would leave a value as it is: the question that the fast path asks.

use serde_json::{Map, Value};

use super::{Additional, Id, ROOT, Shape, Shapes, kind};

/// Looks per value in trying alternatives; beyond them the answer is no, which costs time and nothing else.
const LOOKS: usize = 1 << 20;

impl Shapes {
    /// Whether nothing in `value` has to be aligned or told about.
    pub(in crate::reading) fn fits(&self, value: &Value) -> bool {
        self.fits_at(ROOT, value, true, &mut LOOKS.clone())
    }

    fn fits_at(&self, id: Id, value: &Value, is_whole: bool, looks: &mut usize) -> bool {
        let shape = self.get(id);
        if shape.kinds & kind_of(value) == 0 || *looks == 0 {
            return false;
        }
        if let Some(choices) = &shape.choices
            && !choices.contains(value)
        {
            return false;
        }
        let does_fit = match value {
            Value::Object(object) => self.object_fits(shape, object, is_whole, looks),
            Value::Array(items) => self.list_fits(shape, items, looks),
            _ => true,
        };
        does_fit && self.combinations_fit(shape, value, is_whole, looks)
    }

    fn combinations_fit(&self, shape: &Shape, value: &Value, is_whole: bool, looks: &mut usize) -> bool {
        let is_whole = is_whole && shape.is_only_union();
        shape.all_of.iter().all(|part| self.fits_at(*part, value, false, looks))
            && shape.unions.iter().all(|branches| {
                branches.iter().any(|branch| {
                    *looks = looks.saturating_sub(1);
                    self.fits_at(*branch, value, is_whole, looks)
                })
            })
    }

    fn object_fits(
        &self,
        shape: &Shape,
        object: &Map<String, Value>,
        is_whole: bool,
        looks: &mut usize,
    ) -> bool {
        let is_told = is_whole && shape.knows_names() && !shape.is_only_union();
        if shape.properties.is_empty() && !is_told && shape.additional == Additional::Unsaid {
            return shape.required.iter().all(|name| object.contains_key(name));
        }
        let mut next = 0;
        let mut required = 0;
        for (key, value) in object {
            let Some(index) = shape.index_of(key, next) else {
                let does_fit = match shape.additional {
                    Additional::Of(id) => self.fits_at(id, value, true, looks),
                    Additional::Data => true,
                    Additional::Closed => false,
                    Additional::Unsaid => !is_told || shape.names.contains(key),
                };
                if !does_fit {
                    return false;
                }
                continue;
            };
            next = index + 1;
            required += 1;
            if !self.fits_at(shape.properties[index].shape, value, true, looks) {
                return false;
            }
        }
        // As many known keys as there are: none is missing.
        required >= shape.properties.len() || shape.required.iter().all(|name| object.contains_key(name))
    }

    fn list_fits(&self, shape: &Shape, items: &[Value], looks: &mut usize) -> bool {
        items.iter().enumerate().all(|(index, item)| {
            let id = shape.prefix.get(index).copied().or(shape.items);
            id.is_none_or(|id| self.fits_at(id, item, true, looks))
        })
    }
}

fn kind_of(value: &Value) -> u8 {
    match value {
        Value::Null => kind::NULL,
        Value::Bool(_) => kind::BOOL,
        Value::Number(number) if number.is_f64() => kind::NUMBER,
        Value::Number(_) => kind::INTEGER,
        Value::String(_) => kind::TEXT,
        Value::Array(_) => kind::LIST,
        Value::Object(_) => kind::OBJECT,
    }
}
