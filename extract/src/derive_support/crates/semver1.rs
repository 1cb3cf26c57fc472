//! `semver` 1.

super::strings! {
    semver1::Version: "Version", {
        "type": "string",
        "examples": ["1.2.3"],
        // As https://semver.org suggests it.
        "pattern": r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$",
    };
    semver1::VersionReq: "VersionRequirement", {
        "type": "string",
        "description": "as in Cargo.toml",
        "examples": [">=1.2, <3"],
        "pattern": r"^([*xX]|(=|>|>=|<|<=|~|\^)? ?(0|[1-9]\d*)(\.((0|[1-9]\d*)|[*xX])){0,2}(, ?(=|>|>=|<|<=|~|\^)? ?(0|[1-9]\d*)(\.((0|[1-9]\d*)|[*xX])){0,2})*)$",
    };
}
