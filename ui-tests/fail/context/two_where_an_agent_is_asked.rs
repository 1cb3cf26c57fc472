use extract::Extractable;
use serde::Deserialize;

struct Catalogue;

#[derive(Deserialize, Extractable)]
#[extract(context = Catalogue)]
struct Line {
    part: String,
}

async fn ask(agent: &dyn extract::Agent) {
    let _ = Line::extract(agent, "Which?").context(&Catalogue).context(&Catalogue).await;
}

fn main() {}
