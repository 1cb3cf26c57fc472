use extract::Extractable;
use serde::Deserialize;

struct Catalogue<'a>(&'a [String]);

#[derive(Deserialize, Extractable)]
#[extract(context = Catalogue<'static>)]
struct Line {
    part: String,
}

async fn ask(agent: &dyn extract::Agent) {
    let parts = vec!["bolt".to_owned()];
    let _ = Line::extract(agent, "Which?").context(&Catalogue(&parts)).await;
}

fn main() {}
