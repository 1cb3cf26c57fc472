//! A collector that only prints the spans it receives: OTLP over HTTP on 127.0.0.1:4318.
//!
//! With `--once` it ends after the first export.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
};

use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest, common::v1::any_value::Value, trace::v1::Span,
};
use prost::Message as _;

/// Maximum bytes of one export.
const MAX_BODY: u64 = 16 * 1024 * 1024;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let listener = TcpListener::bind("127.0.0.1:4318")?;
    let is_once = std::env::args().any(|argument| argument == "--once");
    eprintln!("listening on {}", listener.local_addr()?);
    for stream in listener.incoming() {
        let export = receive(stream?)?;
        let scopes = export.resource_spans.iter().flat_map(|resource| &resource.scope_spans);
        scopes.flat_map(|scope| &scope.spans).for_each(print);
        if is_once {
            break;
        }
    }
    Ok(())
}

fn receive(mut stream: TcpStream) -> Result<ExportTraceServiceRequest, Box<dyn std::error::Error>> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.split_once(':') else {
            if line.trim().is_empty() {
                break;
            }
            continue;
        };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse()?;
        }
    }
    let mut body = Vec::new();
    reader.take(length.min(MAX_BODY)).read_to_end(&mut body)?;
    stream
        .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\n\r\n")?;
    Ok(ExportTraceServiceRequest::decode(&*body)?)
}

fn print(span: &Span) {
    println!("{} ({} events)", span.name, span.events.len());
    for attribute in &span.attributes {
        let value = attribute.value.as_ref().and_then(|value| value.value.as_ref());
        match value {
            Some(Value::StringValue(text)) => println!("  {} = {text:?}", attribute.key),
            Some(Value::IntValue(number)) => println!("  {} = {number}", attribute.key),
            Some(Value::DoubleValue(number)) => println!("  {} = {number}", attribute.key),
            Some(Value::BoolValue(answer)) => println!("  {} = {answer}", attribute.key),
            other => println!("  {} = {other:?}", attribute.key),
        }
    }
}
