//! Programs that cannot be started, or fail.

use std::os::unix::fs::PermissionsExt as _;

use super::*;

const KEY: &str = "hunter2-hunter2-hunter2";

#[tokio::test]
async fn a_program_that_is_not_there() {
    let error = fail(&CommandAgent::new("no-such-program-here")).await;
    let message = "there is no program `no-such-program-here` in the folders of `PATH`; install it, or give its whole path";
    assert_error(&error, AgentErrorKind::Unavailable, message);
    assert!(!error.is_transient() && std::error::Error::source(&error).is_some());
    let error = fail(&CommandAgent::new("/no/such/program")).await;
    let message = "there is no program at `/no/such/program`; install it, or correct the path";
    assert_error(&error, AgentErrorKind::Unavailable, message);
    let error = fail(&sh("echo").current_dir("/no/such/folder")).await;
    let message = "`sh` cannot run in `/no/such/folder`: there is no such folder";
    assert_error(&error, AgentErrorKind::Unavailable, message);
}

#[tokio::test]
async fn a_program_that_cannot_be_executed() {
    let folder = Folder::new();
    let script = folder.0.join("script");
    std::fs::write(&script, "#!/no/such/interpreter\n").unwrap();
    let error = fail(&CommandAgent::new(&script)).await;
    assert_eq!(error.kind(), AgentErrorKind::Unavailable);
    assert!(error.message().contains("may not be executed"), "{error}");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let error = fail(&CommandAgent::new(&script)).await;
    assert_eq!(error.kind(), AgentErrorKind::Unavailable);
    assert!(error.message().contains("look at its first line"), "{error}");
}

#[tokio::test]
async fn an_exit_code_is_an_error_with_what_it_said() {
    let error = fail(&sh("echo 'partial'; echo 'no credit left' >&2; exit 1")).await;
    let message = "`sh` ended with exit status: 1; stderr: no credit left";
    assert_error(&error, AgentErrorKind::Transport, message);
    assert!(error.is_transient());
    let error = fail(&sh("echo 'Not logged in'; exit 1")).await;
    let message = "`sh` ended with exit status: 1; stdout: Not logged in";
    assert_error(&error, AgentErrorKind::Transport, message);
    assert_error(&fail(&sh("exit 7")).await, AgentErrorKind::Transport, "`sh` ended with exit status: 7");
}

#[tokio::test]
async fn exit_codes_that_nothing_mends_are_permanent() {
    for code in [2, 64, 78, 126, 127] {
        let error = fail(&sh(&format!("exit {code}"))).await;
        assert_eq!(error.kind(), AgentErrorKind::Refused, "{code}");
    }
    let agent = sh("exit 3").permanent_exits([3]);
    assert_eq!(fail(&agent).await.kind(), AgentErrorKind::Refused);
    assert_eq!(fail(&agent.permanent_exits([])).await.kind(), AgentErrorKind::Transport);
}

#[tokio::test]
async fn exit_codes_may_be_accepted() {
    assert_eq!(reply(&sh("echo 8; exit 3").accepted_exits([0, 3])).await, "8\n");
    let error = fail(&sh("echo 8").accepted_exits([3])).await;
    assert_error(&error, AgentErrorKind::Transport, "`sh` ended with exit status: 0; stdout: 8");
}

#[tokio::test]
async fn a_signal_is_transient() {
    let error = fail(&sh("echo 8; kill -9 $$")).await;
    assert!(error.is_transient());
    assert!(error.message().starts_with("`sh` ended with signal: 9"), "{error}");
}

#[tokio::test]
async fn a_long_story_is_cut_to_its_end() {
    let error = fail(&sh("yes | head -n 200000 >&2; echo 'the end' >&2; exit 1")).await;
    let message = error.message();
    assert!(message.starts_with("`sh` ended with exit status: 1; stderr: …"), "{message}");
    assert!(message.ends_with("y\nthe end") && message.chars().count() < 2100, "{message}");
}

#[tokio::test]
async fn keys_are_not_shown() {
    let scripts = [
        "echo \"wrong key $SECRET\" >&2; exit 1",
        "echo \"wrong key $SECRET\"; exit 1",
        "echo \"$SECRET\"; exit 0",
        "echo \"wrong key sk-proj-0123456789abcdef\" >&2; exit 1",
        "printf '\\377'; echo \"$SECRET\" >&2",
    ];
    for script in scripts {
        let agent = sh(script).arg("--token=sk-0123456789abcdef").env("SECRET", KEY).reply_at("/result");
        let error = fail(&agent).await;
        let shown = format!("{error} {error:?} {error:#?} {agent:?} {agent:#?}");
        assert!(!shown.contains(KEY) && !shown.contains("0123456789abcdef"), "{shown}");
        assert!(shown.contains("[redacted]"), "{shown}");
    }
}

#[tokio::test]
async fn half_a_key_is_not_shown() {
    for padding in 1980..2020 {
        let agent =
            sh(&format!("printf '%s' \"$SECRET\" >&2; head -c {padding} /dev/zero | tr '\\0' x >&2; exit 1"));
        let error = fail(&agent.env("SECRET", KEY)).await;
        assert!(!error.message().contains("ter2x") && !error.message().contains("hunter2"), "{padding}");
    }
}

#[tokio::test]
async fn the_cursor_of_the_reader_stays_where_it_is() {
    let error = fail(&sh(r"printf 'a\033[2Jb\rc\n' >&2; exit 1")).await;
    assert_eq!(error.message(), "`sh` ended with exit status: 1; stderr: a [2Jb c");
}

#[tokio::test]
async fn failures_of_a_program_are_no_attempts() {
    let folder = Folder::new();
    let script = "echo x >> runs; case $(wc -l < runs) in 1) exit 1;; 2) kill -9 $$;; 3) echo eight;; 4) exit 75;; *) echo '[8]';; esac";
    let agent = sh(script).current_dir(&folder.0);
    let short = Duration::from_millis(1);
    let extraction = <Vec<u8> as extract::Extractable>::extract(&agent, "…")
        .transport_options(extract::settings::TransportOptions::new().backoff(short, short));
    let (legs, metrics) = extraction.await.unwrap();
    assert_eq!((legs, metrics.attempts, metrics.transport_retries), (vec![8], 2, 3));
}

#[tokio::test]
async fn a_permanent_failure_ends_the_extraction_at_once() {
    let folder = Folder::new();
    let agent = sh("echo x >> runs; echo 'unknown option' >&2; exit 2").current_dir(&folder.0);
    let error = <Vec<u8> as extract::Extractable>::extract(&agent, "…").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the agent gave no reply to attempt 1 of 3: request refused: `sh` ended with exit status: 2; stderr: unknown option"
    );
    assert_eq!(folder.read("runs").unwrap(), "x\n");
}

#[test]
fn without_a_runtime_it_says_what_is_missing() {
    let agent = CommandAgent::new("cat");
    let error = extract::testing::block_on(agent.respond(&request("…"))).unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::Unavailable);
    assert!(error.message().contains("no tokio runtime here"), "{error}");
}

/// Runs in a process of its own, because the variable applies to the whole process.
#[tokio::test]
async fn it_refuses_where_real_agents_are_denied() {
    const INNER: &str = "EXTRACT_TEST_OF_THE_GUARD";
    if std::env::var_os(INNER).is_some() {
        let folder = Folder::new();
        let agent = sh("touch ran").current_dir(&folder.0);
        let error = fail(&agent).await;
        assert_eq!(error.kind(), AgentErrorKind::Refused);
        assert!(
            error.message().starts_with("`command/sh") && error.message().contains("is a real agent"),
            "{error}"
        );
        assert!(!folder.0.join("ran").exists());
        // A refusal by the guard is not part of a conversation, so nothing is recorded.
        let tape = folder.0.join("tape.json");
        let cassette = extract::testing::Cassette::record(agent, &tape);
        cassette.respond(&request("…")).await.unwrap_err();
        assert!(!tape.exists());
        return;
    }
    let name = "command::tests::failures::it_refuses_where_real_agents_are_denied";
    let mut inner = std::process::Command::new(std::env::current_exe().unwrap());
    let inner = inner.args(["--exact", name]).env(INNER, "1").env("EXTRACT_ALLOW_REAL_AGENTS", "0");
    let output = inner.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}
