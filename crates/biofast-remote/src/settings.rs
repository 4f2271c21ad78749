//! How patient and how greedy reading is.

use std::path::PathBuf;
use std::time::Duration;

/// How patient and how greedy reading is.
///
/// ```
/// use biofast_remote::Settings;
///
/// let settings = Settings { retries: 2, ..Settings::default() };
/// assert_eq!(settings.connections, 4);
/// ```
#[derive(Clone, Debug)]
pub struct Settings {
    /// How often a request is made again that brought nothing, before the run fails.
    pub retries: u32,
    /// How long to wait before the first of these; twice as long before each of the others, at most 10 s. An answer may ask for more
    /// (`Retry-After`), of which at most a minute is granted.
    pub first_delay: Duration,
    /// How long a connection, an answer and more bytes of it are waited for.
    pub timeout: Duration,
    /// How many connections fetch ahead for one input; at least 1.
    pub connections: usize,
    /// A folder that keeps for runs to come what is read here and there, if that is wanted.
    pub cache: Option<PathBuf>,
    /// How many bytes that folder may hold.
    pub cache_size: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            retries: 5,
            first_delay: Duration::from_millis(250),
            timeout: Duration::from_secs(30),
            connections: 4,
            cache: None,
            cache_size: 1 << 30,
        }
    }
}

impl Settings {
    /// The default, changed by environment variables: `BIOFAST_REMOTE_RETRIES`, `BIOFAST_REMOTE_DELAY` (milliseconds before the first
    /// retry), `BIOFAST_REMOTE_TIMEOUT` (seconds), `BIOFAST_REMOTE_CONNECTIONS`, `BIOFAST_REMOTE_CACHE` (a folder) and
    /// `BIOFAST_REMOTE_CACHE_SIZE` (MiB).
    ///
    /// ```
    /// assert_eq!(biofast_remote::Settings::from_env().map(|s| s.retries), Ok(5));
    /// ```
    ///
    /// # Errors
    /// If one of them isn't a number in its range, with a message that says so.
    pub fn from_env() -> Result<Settings, String> {
        let mut settings = Settings::default();
        if let Some(retries) = number("BIOFAST_REMOTE_RETRIES", 0, 100)? {
            settings.retries = retries;
        }
        if let Some(delay) = number("BIOFAST_REMOTE_DELAY", 0, 60_000)? {
            settings.first_delay = Duration::from_millis(delay.into());
        }
        if let Some(timeout) = number("BIOFAST_REMOTE_TIMEOUT", 1, 3600)? {
            settings.timeout = Duration::from_secs(timeout.into());
        }
        if let Some(connections) = number("BIOFAST_REMOTE_CONNECTIONS", 1, 64)? {
            settings.connections = connections as usize;
        }
        settings.cache = std::env::var_os("BIOFAST_REMOTE_CACHE")
            .filter(|folder| !folder.is_empty())
            .map(PathBuf::from);
        if let Some(size) = number("BIOFAST_REMOTE_CACHE_SIZE", 1, u32::MAX)? {
            settings.cache_size = u64::from(size) << 20;
        }
        Ok(settings)
    }

    /// How long to wait before trying again for the `failed`th time, from 1, if the answer asked for `asked`.
    pub(crate) fn delay(&self, failed: u32, asked: Option<Duration>) -> Duration {
        const LONGEST: Duration = Duration::from_secs(10);
        const LONGEST_ASKED: Duration = Duration::from_secs(60);
        let doubled = self.first_delay.saturating_mul(1 << (failed - 1).min(16)).min(LONGEST);
        // Many that failed together shouldn't come again together.
        let nanoseconds = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0, |time| time.subsec_nanos());
        let spread = doubled.mul_f64(0.75 + f64::from(nanoseconds % 1000) / 2000.0);
        spread.max(asked.unwrap_or_default().min(LONGEST_ASKED))
    }
}

/// The number in a variable, if it is set and not empty.
fn number(variable: &str, least: u32, most: u32) -> Result<Option<u32>, String> {
    let Some(value) = std::env::var_os(variable).filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    let number = value.to_str().and_then(|text| text.parse().ok());
    match number.filter(|number| (least..=most).contains(number)) {
        Some(number) => Ok(Some(number)),
        None => Err(format!("{variable} must be a number from {least} to {most}, not {value:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_limit_and_what_is_asked_for_is_granted_up_to_another() {
        let settings = Settings::default();
        let within = |failed, asked, low: u64, high: u64| {
            let delay = settings.delay(failed, asked).as_millis() as u64;
            assert!((low..=high).contains(&delay), "{delay}");
        };
        within(1, None, 187, 313);
        within(2, None, 375, 625);
        within(60, None, 7_500, 12_500);
        within(1, Some(Duration::from_secs(3)), 3_000, 3_000);
        within(1, Some(Duration::from_secs(3_600)), 60_000, 60_000);
    }
}
