//! Behaviour tests, by topic.

#[cfg(test)]
mod derive;
