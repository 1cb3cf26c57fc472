# The commands of daily work, for https://just.systems. The steps of `.ci/run` are the same ones that the CI runs.

# List the commands.
default:
    @just --list

# Everything that the CI checks, an hour on two cores.
check:
    .ci/run

# Format, lints and the tests of the default members: before each commit.
quick:
    cargo fmt --all
    cargo clippy --all-targets -- -D warnings
    cargo test

# Format all workspaces.
format:
    cargo fmt --all
    for workspace in fuzz examples/otlp examples/ballista benches/peers; do cargo fmt --manifest-path $workspace/Cargo.toml; done

# Lints of all features, without a warning.
lint:
    .ci/run lints

# All tests with debug assertions, or those whose names contain FILTER.
test *FILTER:
    cargo test --workspace {{FILTER}}

# Documentation of all features, without a warning.
docs:
    .ci/run docs

# The snippets of README and book as printed, their links, and the wheel.
newcomer:
    .ci/run newcomer

# Rewrite every snapshot; read the diff.
snapshots:
    UPDATE_SNAPSHOTS=1 cargo test -p extractable-derive -p extractable-tests -p extractable-examples
    TRYBUILD=overwrite cargo test -p extractable-ui-tests

# The pages in a browser, with screenshots in target/browser.
browser:
    .ci/run browser

# One benchmark of the library: one_attempt, reading, streaming, judging, document or bulk.
bench NAME:
    cargo bench -p extractable -p extractable-bulk --bench {{NAME}}
