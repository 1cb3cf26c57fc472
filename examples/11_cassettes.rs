//! A conversation with a real agent, recorded once and replayed in tests.

use extract::{
    Extractable,
    testing::{Cassette, ScriptedAgent},
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("extract-example-cassette-{}", std::process::id()));
    let path = folder.join("legs.json");

    // Once, with the real agent. Commit the file to the repository.
    let real_agent = ScriptedAgent::new(["eight", "[8]"]);
    let cassette = Cassette::record(real_agent, &path);
    Vec::<u8>::extract(&cassette, "How many legs has a spider?").await?;

    // From then on, without the real agent.
    let cassette = Cassette::replay(&path)?;
    let (legs, metrics) = Vec::<u8>::extract(&cassette, "How many legs has a spider?").await?;
    println!("{legs:?} after {} attempts", metrics.attempts);
    cassette.assert_finished();

    // Any question other than the recorded one is an error that shows the difference.
    let cassette = Cassette::replay(&path)?;
    let error = Vec::<u8>::extract(&cassette, "How many legs has a beetle?").await.unwrap_err();
    println!("{}", error.to_string().replace(folder.to_str().unwrap_or_default(), "…"));
    std::fs::remove_dir_all(folder)?;
    Ok(())
}
