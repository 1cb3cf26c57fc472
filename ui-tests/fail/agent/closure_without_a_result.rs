use extract::Extractable;

async fn ask() {
    let agent = |prompt: String| async move { prompt };
    let _ = Vec::<u8>::extract(&agent, "Which numbers?").await;
}

fn main() {}
