use extract::Extractable;
use serde::Deserialize;

async fn is_known(part: &str) -> Result<(), String> {
    let shared = std::rc::Rc::new(1);
    std::future::ready(()).await;
    drop(shared);
    Err(part.to_string())
}

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(async_check = is_known)]
    part: String,
}

fn main() {}
