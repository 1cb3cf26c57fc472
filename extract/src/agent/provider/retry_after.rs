//! How long a server asks to wait.

use std::time::{Duration, SystemTime};

use serde_json::Value;

/// Returns the wait that the headers of a response ask for: `Retry-After` in seconds or as a date
/// (RFC 9110, section 10.2.3), seconds with a fraction or a unit (`1.5`, `20s`), or the finer
/// `retry-after-ms` that OpenAI also sends, and `x-ms-retry-after-ms` of Azure. `header` looks a header up by its name in lower case.
///
/// ```
/// use extract::agent::provider::retry_after;
/// use std::time::Duration;
///
/// let wait = retry_after(|name| (name == "retry-after").then_some("7"));
/// assert_eq!(wait, Some(Duration::from_secs(7)));
/// ```
pub fn retry_after<'h>(header: impl Fn(&str) -> Option<&'h str>) -> Option<Duration> {
    let header = |name: &str| header(name).map(str::trim);
    let milliseconds = ["retry-after-ms", "x-ms-retry-after-ms"].into_iter();
    let milliseconds = milliseconds.filter_map(header).find_map(|value| seconds(value, 1e-3));
    milliseconds.or_else(|| {
        let value = header("retry-after")?;
        if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
        }
        // Not of the standard.
        let plain = seconds(value.strip_suffix('s').unwrap_or(value), 1.0);
        plain.or_else(|| until(value, header("date")))
    })
}

/// The time until `date` by the server's own clock, if it sends that: ours may be wrong. A date in
/// the past asks for no wait.
fn until(date: &str, now: Option<&str>) -> Option<Duration> {
    let date = httpdate::parse_http_date(date).ok()?;
    Some(date.duration_since(clock(now)).unwrap_or_default())
}

fn clock(date: Option<&str>) -> SystemTime {
    date.and_then(|date| httpdate::parse_http_date(date).ok()).unwrap_or_else(SystemTime::now)
}

/// Headers with what remains of a limit, and when the limit is reset: of OpenAI, Groq and others, of
/// Cerebras, of OpenRouter, of older IETF drafts, of Mistral, and of Anthropic.
const LIMITS: [(&str, &str); 12] = [
    ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
    ("x-ratelimit-remaining-tokens-minute", "x-ratelimit-reset-tokens-minute"),
    ("x-ratelimit-remaining-requests-minute", "x-ratelimit-reset-requests-minute"),
    ("x-ratelimit-remaining-requests-day", "x-ratelimit-reset-requests-day"),
    ("x-ratelimit-remaining", "x-ratelimit-reset"),
    ("ratelimit-remaining", "ratelimit-reset"),
    ("ratelimitbysize-remaining", "ratelimitbysize-reset"),
    ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
    ("anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"),
    ("anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"),
    ("anthropic-ratelimit-output-tokens-remaining", "anthropic-ratelimit-output-tokens-reset"),
];

/// The time until the last of the limits is reset of which nothing remains, or nobody says what does.
pub(super) fn until_reset<'h>(header: impl Fn(&str) -> Option<&'h str>) -> Option<Duration> {
    let header = |name: &str| header(name).map(str::trim);
    let is_used_up = |remaining: &str| header(remaining).is_none_or(|count| count.parse() == Ok(0.0));
    let used_up = LIMITS.iter().filter(|(remaining, _)| is_used_up(remaining));
    let waits = used_up.filter_map(|(_, reset)| wait_until(header(reset)?, header("date")));
    let listed = header("ratelimit").into_iter().flat_map(|limits| limits.split(','));
    waits
        .chain(listed.filter_map(|limit| in_limit(limit, header("date"))))
        .max()
        .filter(|wait| !wait.is_zero())
}

/// The wait until a limit of the newer IETF drafts is reset, if it is used up: `"api";r=0;t=55`.
fn in_limit(limit: &str, now: Option<&str>) -> Option<Duration> {
    let parameter = |name: &str| {
        let parameters = limit.split(';').filter_map(|parameter| parameter.trim().split_once('='));
        parameters.filter(|(known, _)| *known == name).map(|(_, value)| value).next()
    };
    parameter("r").filter(|remaining| remaining.parse() == Ok(0.0))?;
    wait_until(parameter("t")?, now)
}

/// Seconds up to here are a wait, more are the time since 1970, and up to the second in seconds.
const LONGEST_WAIT: f64 = 1e8;
const LAST_SECOND: f64 = 1e11;

/// The wait in a header: `6m0s`, seconds, the seconds or milliseconds since 1970, or a date of RFC 3339.
fn wait_until(reset: &str, now: Option<&str>) -> Option<Duration> {
    let date = match reset.parse::<f64>() {
        Ok(wait) if wait < LONGEST_WAIT => return seconds(reset, 1.0),
        Ok(date) => {
            let unit = if date < LAST_SECOND { 1.0 } else { 1e-3 };
            SystemTime::UNIX_EPOCH.checked_add(seconds(reset, unit)?)
        }
        Err(_) => match duration(reset) {
            Some(wait) => return Some(wait),
            None => rfc3339(reset),
        },
    };
    Some(date?.duration_since(clock(now)).unwrap_or_default())
}

/// `2026-11-28T07:02:38Z`, with any fraction of the second.
fn rfc3339(text: &str) -> Option<SystemTime> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (date, time) = text.strip_suffix('Z').or_else(|| text.strip_suffix("+00:00"))?.split_once('T')?;
    let (year, rest) = date.split_once('-')?;
    let (month, day) = rest.split_once('-')?;
    let month = MONTHS.get(month.parse::<usize>().ok()?.checked_sub(1)?)?;
    let time = time.get(..8)?;
    // Only one of them is right.
    ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].iter().find_map(|weekday| {
        httpdate::parse_http_date(&format!("{weekday}, {day} {month} {year} {time} GMT")).ok()
    })
}

/// The wait until a limit is reset, by the headers of a provider that OpenRouter quotes in its error.
pub(super) fn in_quoted_headers(headers: &Value) -> Option<Duration> {
    let headers = headers.as_object()?;
    let header = |name: &str| {
        headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .and_then(|(_, value)| value.as_str())
    };
    retry_after(header).or_else(|| until_reset(header))
}

/// The wait that the body asks for: the `retryDelay` of a `google.rpc.RetryInfo` among the details
/// of an error, where Gemini states it, or `retry_after` in seconds.
pub(super) fn in_error(error: &Value) -> Option<Duration> {
    let of_google = || {
        let details = error.get("details")?.as_array()?;
        let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
        seconds(delay.strip_suffix('s')?, 1.0)
    };
    let plain = || match ["retry_after", "retry_after_seconds"].iter().find_map(|key| error.get(*key))? {
        Value::String(text) => seconds(text, 1.0),
        number => Duration::try_from_secs_f64(number.as_f64()?).ok(),
    };
    of_google().or_else(plain)
}

/// The wait in a message: `Please try again in 1m2.5s.` of OpenAI and Groq, `Please retry after 7
/// seconds.` of Azure, `please try again after 7 seconds` of Kimi, and `Please wait 7 seconds before
/// retrying.` of GitHub.
pub(super) fn in_words(message: &str) -> Option<Duration> {
    let message = message.to_lowercase();
    let after = |words: &str| Some(&message[message.find(words)? + words.len()..]);
    ["try again in ", "again after ", "retry after ", "retry in ", "please wait "]
        .iter()
        .find_map(|words| duration(after(words)?))
}

/// The sum of numbers with units at the start of `text`, which may have spaces in between.
fn duration(text: &str) -> Option<Duration> {
    let (mut rest, mut sum) = (text, None);
    while let Some(end) = rest.find(|char: char| !char.is_ascii_digit() && char != '.').filter(|end| *end > 0)
    {
        let (number, unit) = rest.split_at(end);
        let unit = unit.trim_start();
        let length = unit.find(|char: char| !char.is_ascii_alphabetic()).unwrap_or(unit.len());
        let seconds_each = match &unit[..length] {
            "ms" => 1e-3,
            "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
            "h" | "hour" | "hours" => 3600.0,
            "d" | "day" | "days" => 86_400.0,
            _ => return sum,
        };
        let Some(more) = seconds(number, seconds_each) else { return sum };
        sum = Some(sum.unwrap_or(Duration::ZERO).checked_add(more)?);
        rest = unit[length..].trim_start_matches([' ', ',']);
        rest = rest.strip_prefix("and ").unwrap_or(rest);
    }
    sum
}

fn seconds(text: &str, unit: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(text.parse::<f64>().ok()? * unit).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wait(headers: &[(&'static str, &'static str)]) -> Option<Duration> {
        retry_after(|name| headers.iter().find(|(known, _)| *known == name).map(|(_, value)| *value))
    }

    #[test]
    fn reads_seconds() {
        assert_eq!(wait(&[("retry-after", "7")]), Some(Duration::from_secs(7)));
        assert_eq!(wait(&[("retry-after", "99999999999999999999")]), Some(Duration::from_secs(u64::MAX)));
        assert_eq!(wait(&[("retry-after", "1.5")]), Some(Duration::from_millis(1_500)));
        assert_eq!(wait(&[("retry-after", "20s")]), Some(Duration::from_secs(20)));
        for wrong in ["-1", "inf", "NaN", "1e999"] {
            assert_eq!(wait(&[("retry-after", wrong)]), None, "{wrong}");
        }
        assert_eq!(wait(&[("retry-after", "")]), None);
        assert_eq!(wait(&[]), None);
    }

    #[test]
    fn reads_all_three_forms_of_a_date_by_the_clock_of_the_server() {
        let now = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
        for date in
            ["Sun, 06 Nov 1994 08:49:40 GMT", "Sunday, 06-Nov-94 08:49:40 GMT", "Sun Nov  6 08:49:40 1994"]
        {
            assert_eq!(wait(&[("retry-after", date), now]), Some(Duration::from_secs(3)), "{date}");
        }
        assert_eq!(wait(&[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")]), Some(Duration::ZERO));
        assert_eq!(wait(&[("retry-after", "soon")]), None);
    }

    #[test]
    fn reads_when_a_used_up_limit_is_reset() {
        let now = ("date", "Sat, 28 Nov 2026 07:02:38 GMT");
        for (headers, expected) in [
            (
                vec![("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", "6m0s")],
                Some(360_000),
            ),
            (vec![("x-ratelimit-reset-tokens", "1.5s")], Some(1_500)),
            (vec![("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", "120ms")], Some(120)),
            (vec![("x-ratelimit-remaining-tokens", "9"), ("x-ratelimit-reset-tokens", "120ms")], None),
            (
                vec![
                    ("x-ratelimit-remaining-requests", "7"),
                    ("x-ratelimit-reset-requests", "24h"),
                    ("x-ratelimit-remaining-tokens", "0"),
                    ("x-ratelimit-reset-tokens", "7.66s"),
                ],
                Some(7_660),
            ),
            (vec![("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1795849363")], Some(5_000)),
            (vec![("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1795849363500")], Some(5_500)),
            (vec![("ratelimit-remaining", "0"), ("ratelimit-reset", "30")], Some(30_000)),
            (
                vec![
                    ("anthropic-ratelimit-input-tokens-remaining", "0"),
                    ("anthropic-ratelimit-input-tokens-reset", "2026-11-28T07:02:40Z"),
                ],
                Some(2_000),
            ),
            (
                vec![
                    ("x-ratelimit-remaining-requests-day", "100"),
                    ("x-ratelimit-reset-requests-day", "33011.38"),
                    ("x-ratelimit-remaining-tokens-minute", "0"),
                    ("x-ratelimit-reset-tokens-minute", "11.38"),
                ],
                Some(11_380),
            ),
            (vec![("ratelimitbysize-reset", "28")], Some(28_000)),
            (vec![("ratelimit", "\"api\";r=0;t=55")], Some(55_000)),
            (vec![("ratelimit", "\"api\";r=1;t=55, \"tokens\"; r=0; t=7")], Some(7_000)),
            (vec![("ratelimit", "\"api\";r=1;t=55")], None),
            (vec![("ratelimit", "limit=100, remaining=0, reset=5")], None),
            (vec![("x-ratelimit-reset", "1795849300")], None),
            (vec![("x-ratelimit-reset", "soon")], None),
            (vec![("x-ratelimit-reset", "-1")], None),
            (vec![("x-ratelimit-reset", "1e300")], None),
            (vec![("x-ratelimit-reset", "2026-13-28T07:02:40Z")], None),
            (vec![("x-ratelimit-reset", "2026-11-28T07é02Z")], None),
        ] {
            let find = |name: &str| headers.iter().chain([&now]).find(|(known, _)| *known == name);
            let wait = until_reset(|name| find(name).map(|(_, value)| *value));
            assert_eq!(wait, expected.map(Duration::from_millis), "{headers:?}");
        }
    }

    #[test]
    fn prefers_the_milliseconds() {
        let both = [("retry-after", "1"), ("retry-after-ms", "250")];
        assert_eq!(wait(&both), Some(Duration::from_millis(250)));
        assert_eq!(wait(&[("retry-after", "1"), ("retry-after-ms", "NaN")]), Some(Duration::from_secs(1)));
        let of_azure = [("retry-after", "1"), ("x-ms-retry-after-ms", "750")];
        assert_eq!(wait(&of_azure), Some(Duration::from_millis(750)));
    }

    #[test]
    fn reads_the_headers_that_openrouter_quotes() {
        let date = "Sat, 28 Nov 2026 07:02:38 GMT";
        for (headers, expected) in [
            (
                json!({"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1795849363500", "Date": date}),
                Some(5_500),
            ),
            (json!({"X-RateLimit-Remaining": "3", "X-RateLimit-Reset": "1795849363500"}), None),
            (json!({"Retry-After": "7"}), Some(7_000)),
            (json!({"X-RateLimit-Reset": 7}), None),
            (json!("Retry-After: 7"), None),
        ] {
            assert_eq!(in_quoted_headers(&headers), expected.map(Duration::from_millis), "{headers}");
        }
    }

    #[test]
    fn reads_the_delay_of_gemini() {
        let error = json!({"details": [
            {"@type": "type.googleapis.com/google.rpc.Help"},
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"},
        ]});
        assert_eq!(in_error(&error), Some(Duration::from_millis(34_500)));
    }

    #[test]
    fn reads_the_words_of_a_message() {
        for (message, wait) in [
            ("Limit: 10000. Please try again in 7.66s. Visit https://example.org", Some(7_660)),
            ("Please try again in 6ms.", Some(6)),
            ("Please try again in 1h1m2.5s.", Some(3_662_500)),
            ("Please retry after 7 seconds.", Some(7_000)),
            ("Please retry in 34.07s.", Some(34_070)),
            ("Please try again in 1 minute", Some(60_000)),
            ("Please wait 10 hours 58 minutes before trying again", Some(39_480_000)),
            ("Please try again in 1m 2.5s", Some(62_500)),
            ("Please try again in 1 day, 2 hours and 3 mins.", Some(93_780_000)),
            ("Please retry after 7 seconds, 3 times at most", Some(7_000)),
            ("Please retry after 7 seconds, 1.2.3s", Some(7_000)),
            ("Try again in 20s", Some(20_000)),
            ("organization max RPM: 3, please try again after 1 seconds", Some(1_000)),
            ("Slow down. Retry after 7 seconds", Some(7_000)),
            ("Please try again after a while. Retry after 7 seconds", Some(7_000)),
            ("Please try again in a moment", None),
            ("Please try again in 7", None),
            ("Please try again in 7 parsecs", None),
            ("Please try again in 1.2.3s", None),
            ("Please try again in 99999999999999999999999h", None),
            ("try again in ", None),
        ] {
            assert_eq!(in_words(message), wait.map(Duration::from_millis), "{message}");
        }
    }

    #[test]
    fn reads_the_seconds_in_a_body() {
        for (error, wait) in [
            (json!({"retry_after": 2.5}), Some(2_500)),
            (json!({"retry_after": "3"}), Some(3_000)),
            (json!({"retry_after_seconds": 4}), Some(4_000)),
            (json!({"retry_after": -1}), None),
            (json!({"retry_after": null}), None),
        ] {
            assert_eq!(in_error(&error), wait.map(Duration::from_millis), "{error}");
        }
    }
}
