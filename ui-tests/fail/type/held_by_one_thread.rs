#[derive(serde::Deserialize, extract::Extractable)]
struct Note {
    text: String,
    #[serde(skip)]
    cache: std::rc::Rc<str>,
}

async fn ask(agent: &dyn extract::Agent) -> Result<Note, extract::ExtractionError> {
    let (note, _) = <Note as extract::Extractable>::extract(agent, "What does it say?").await?;
    Ok(note)
}

fn main() {
    let _ = <Note as extract::Extractable>::from_reply(r#"{"text": "Hi"}"#);
    let _ = ask;
}
