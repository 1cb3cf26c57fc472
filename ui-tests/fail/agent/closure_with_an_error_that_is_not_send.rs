use extract::Extractable;

async fn ask() {
    let agent = |prompt: String| async move {
        Err::<String, _>(Box::<dyn std::error::Error>::from(prompt))
    };
    let _ = Vec::<u8>::extract(&agent, "Which numbers?").await;
}

fn main() {}
