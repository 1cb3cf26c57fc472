use extract::Extractable;

async fn ask<T: Extractable + Send>(agent: &dyn extract::Agent) {
    let _ = T::extract(agent, "Which?").await;
}

fn main() {}
