//! How a run ends, and that it leaves no process behind.

use super::*;

const SOON: Duration = Duration::from_secs(10);

/// Starts a child that starts a grandchild. Both outlive the test if nobody kills them.
const FAMILY: &str = "sh -c 'sleep 300 & echo $! > grandchild; wait' & echo $! > child; wait";

async fn family(folder: &Folder) -> [String; 2] {
    [folder.process("child").await, folder.process("grandchild").await]
}

#[tokio::test]
async fn the_time_limit_ends_it_and_its_children() {
    let folder = Folder::new();
    let agent = sh(&format!("echo 'still thinking' >&2; {FAMILY}")).current_dir(&folder.0);
    let agent = agent.timeout(Duration::from_millis(700));
    let started = Instant::now();
    let error = fail(&agent).await;
    let message = "`sh` gave no reply within 700ms and was killed; stderr: still thinking";
    assert_error(&error, AgentErrorKind::Timeout, message);
    assert!(started.elapsed() < SOON);
    for process in family(&folder).await {
        assert_ends(&process).await;
    }
}

#[tokio::test]
async fn dropping_the_future_ends_it_and_its_children() {
    let folder = Folder::new();
    let agent = sh(FAMILY).current_dir(&folder.0);
    let request = request("…");
    let mut processes = Vec::new();
    {
        let mut running = agent.respond(&request);
        tokio::select! {
            _ = &mut running => panic!("it does not end by itself"),
            found = family(&folder) => processes.extend(found),
        }
        assert!(processes.iter().all(|process| is_running(process)));
    }
    for process in processes {
        assert_ends(&process).await;
    }
}

#[tokio::test]
async fn a_program_that_closes_its_input_early_is_not_believed() {
    let agent = sh("exec 0<&-; echo 8");
    let error = ask(&agent, &long_prompt()).await.unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::Refused);
    assert!(error.message().contains(" of 1000000 bytes of the prompt"), "{error}");
    assert!(error.message().contains("`prompt_as_argument`"), "{error}");
    // The program's own report of a failure takes precedence.
    let error = ask(&sh("echo 'bad key' >&2; exit 1"), &long_prompt()).await.unwrap_err();
    assert_error(&error, AgentErrorKind::Transport, "`sh` ended with exit status: 1; stderr: bad key");
}

#[tokio::test]
async fn a_short_prompt_may_be_ignored() {
    let agent = CommandAgent::new("echo").arg("8");
    let prompt = "x".repeat(60_000);
    for _ in 0..20 {
        assert_eq!(ask(&agent, &prompt).await.unwrap().text(), "8\n");
    }
}

#[tokio::test]
async fn a_program_that_never_reads_and_never_ends_runs_into_the_limit() {
    let agent = CommandAgent::new("sleep").arg("300").timeout(Duration::from_millis(300));
    let error = ask(&agent, &long_prompt()).await.unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::Timeout);
}

#[tokio::test]
async fn a_flood_is_stopped() {
    let started = Instant::now();
    let error = fail(&CommandAgent::new("yes").max_output_bytes(100_000)).await;
    assert_eq!(error.kind(), AgentErrorKind::Garbled);
    assert!(error.message().starts_with("`yes` printed more than 100000 bytes and was killed"), "{error}");
    assert!(error.message().len() < 3000 && started.elapsed() < SOON);
}

#[tokio::test]
async fn the_last_byte_that_is_allowed_is_allowed() {
    let agent = sh("printf 12345678");
    assert_eq!(reply(&agent.clone().max_output_bytes(8)).await, "12345678");
    assert_eq!(fail(&agent.max_output_bytes(7)).await.kind(), AgentErrorKind::Garbled);
}

#[tokio::test]
async fn a_flood_of_messages_does_not_block_it() {
    assert_eq!(reply(&sh("yes | head -c 5000000 >&2; echo 8")).await, "8\n");
}

#[tokio::test]
async fn a_grandchild_that_holds_the_output_does_not_make_it_wait() {
    let folder = Folder::new();
    let agent = sh("sleep 300 & echo $! > grandchild; echo 8").current_dir(&folder.0);
    let started = Instant::now();
    assert_eq!(reply(&agent).await, "8\n");
    assert!(started.elapsed() < SOON);
    assert_ends(&folder.process("grandchild").await).await;
}

#[tokio::test]
async fn a_process_that_left_the_group_does_not_make_it_wait() {
    if std::process::Command::new("setsid").arg("true").status().is_err() {
        eprintln!("SKIPPED: this system has no `setsid`");
        return;
    }
    let folder = Folder::new();
    let agent =
        sh("setsid sh -c 'echo $$ > escaped; exec sleep 30' & sleep 0.2; echo 8").current_dir(&folder.0);
    let started = Instant::now();
    assert_eq!(reply(&agent).await, "8\n");
    assert!(started.elapsed() < SOON);
    let escaped = folder.process("escaped").await;
    assert!(is_running(&escaped));
    std::process::Command::new("kill").arg(escaped).status().unwrap();
}

#[tokio::test]
async fn what_is_printed_after_a_pause_is_read() {
    assert_eq!(reply(&sh("printf 1; sleep 0.3; printf 2; sleep 0.3; printf 3")).await, "123");
}

#[tokio::test]
async fn many_run_at_once() {
    let agent = std::sync::Arc::new(sh("sleep 0.2; cat"));
    let runs: Vec<_> = (0..20)
        .map(|number: u32| {
            let agent = std::sync::Arc::clone(&agent);
            tokio::spawn(async move { ask(&agent, &number.to_string()).await.unwrap().text().to_owned() })
        })
        .collect();
    for (number, run) in runs.into_iter().enumerate() {
        assert_eq!(run.await.unwrap(), number.to_string());
    }
}
