//! The items of a list while it is written.

mod canonical;
mod delivered;
mod error;
mod feed;
mod item;
mod list;
mod stream;

pub use self::{
    error::ItemsError,
    item::Item,
    list::{ItemList, ListPlace},
    stream::Items,
};
