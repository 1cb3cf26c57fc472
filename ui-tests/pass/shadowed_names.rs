#![allow(dead_code, non_camel_case_types, clippy::all)]

//! Everything that the generated code could be thought to name is something else here, except for primitive types: serde's
//! own code names those.

mod decoys {
    pub struct Option;
    pub struct Result;
    pub struct Some;
    pub struct None;
    pub struct Ok;
    pub struct Err;
    pub struct Vec;
    pub struct String;
    pub struct Box;
    pub struct Cow;
    pub struct Schema;
    pub struct SchemaGenerator;
    pub struct Value;
    pub struct Judge;
    pub struct Place;
    pub struct Fields;
    pub struct HasPartial;
    pub struct Debug;
    pub struct PartState;
    pub trait Into {}
    pub trait From {}
    pub trait ToString {}
    pub trait Default {}
    pub trait Extractable {}
    pub mod std {}
    pub mod core {}
    pub mod alloc {}
    pub mod extract {}
    pub mod serde {}
    pub mod serde_json {}
    pub mod schemars {}
}

use decoys::*;

#[derive(::serde::Deserialize, ::extract::Extractable)]
#[extract(rule = never, partial)]
struct Order {
    /// Documented.
    #[extract(length(min = 1), check = never, example = "a")]
    name: ::std::string::String,
    #[extract(range(min = 1), one_of = [1, 2])]
    size: ::std::option::Option<u8>,
    choice: Choice,
    names: Names,
    flag: ::core::primitive::bool,
    transparent: Transparent,
}

#[derive(::serde::Deserialize, ::extract::Extractable)]
enum Choice {
    #[serde(rename = "some")]
    Some { ok: u8 },
    None,
    Ok(u8),
    Err(u8, u8),
}

#[derive(::serde::Deserialize, ::extract::Extractable)]
enum Names {
    Option,
    Result,
}

#[derive(::serde::Deserialize, ::extract::Extractable)]
#[extract(partial)]
#[serde(transparent)]
struct Transparent(u8);

#[derive(::serde::Deserialize, ::extract::Extractable)]
#[extract(partial(name = Written))]
struct Progress<T> {
    number: u8,
    inside: T,
    next: ::std::option::Option<::std::boxed::Box<Self>>,
}

fn never<T>(_: &T) -> ::std::result::Result<(), ::std::string::String> {
    ::std::result::Result::Ok(())
}

fn main() {}
