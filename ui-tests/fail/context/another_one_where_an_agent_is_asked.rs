use extract::Extractable;
use serde::Deserialize;

struct Catalogue;

#[derive(Deserialize, Extractable)]
#[extract(context = Catalogue)]
struct Line {
    part: String,
}

struct Prices;

async fn ask(agent: &dyn extract::Agent) {
    let _ = Vec::<Line>::extract(agent, "Which?").context(&Prices).await;
}

fn main() {}
