//! The vocabulary of wire formats: their names, stop reasons and forms.

pub(crate) mod claude;
mod stop;
mod thinking;
mod wire_format;

pub(crate) use self::wire_format::ReplyTransfer;
pub use self::{stop::StopMeaning, thinking::ThinkingForm, wire_format::WireFormat};
