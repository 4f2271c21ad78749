//! Settings of stores: environment variables, and the profile that the tools of Amazon use.

use std::path::PathBuf;

/// A variable, if it is set, not empty, and text.
pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Whether a variable says yes.
pub(super) fn is_on(name: &str) -> bool {
    variable(name).is_some_and(|value| {
        ["1", "yes", "true", "on"].iter().any(|yes| value.eq_ignore_ascii_case(yes))
    })
}

/// What `~/.aws/config` says of the profile in use (`AWS_PROFILE`, or `default`), beside credentials.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Profile {
    pub(super) region: Option<String>,
    pub(super) endpoint: Option<String>,
}

impl Profile {
    pub(super) fn of_aws() -> Profile {
        let file = variable("AWS_CONFIG_FILE")
            .map(PathBuf::from)
            .or_else(|| std::env::home_dir().map(|home| home.join(".aws").join("config")));
        let text = file.and_then(|file| std::fs::read(file).ok()).unwrap_or_default();
        let name = variable("AWS_PROFILE").unwrap_or_else(|| "default".into());
        Profile::parse(&String::from_utf8_lossy(&text), &name)
    }

    fn parse(text: &str, name: &str) -> Profile {
        let mut profile = Profile::default();
        let mut is_ours = false;
        for line in text.lines() {
            let trimmed = line.trim();
            if let Some(section) = trimmed.strip_prefix('[').and_then(|s| s.strip_suffix(']')) {
                let section = section.trim();
                is_ours = match section.strip_prefix("profile") {
                    Some(named) if named.starts_with([' ', '\t']) => named.trim() == name,
                    _ => section == name && name == "default",
                };
                continue;
            }
            // What is indented belongs to the setting above.
            let is_nested = line.starts_with([' ', '\t']);
            let Some((key, value)) = trimmed.split_once('=').filter(|_| is_ours && !is_nested)
            else {
                continue;
            };
            let value = Some(value.trim().to_owned()).filter(|value| !value.is_empty());
            match key.trim() {
                "region" => profile.region = value,
                "endpoint_url" => profile.endpoint = value,
                _ => {}
            }
        }
        profile
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profile_in_use_is_found() {
        let text = "# c\n[default]\nregion = eu-west-1\ns3 =\n  region = no\n[profile lab]\nregion=us-west-2\nendpoint_url = http://h:9\n";
        let parse = |name| {
            let Profile { region, endpoint } = Profile::parse(text, name);
            (region.unwrap_or_default(), endpoint.unwrap_or_default())
        };
        assert_eq!(parse("default"), ("eu-west-1".into(), String::new()));
        assert_eq!(parse("lab"), ("us-west-2".into(), "http://h:9".into()));
        assert_eq!(parse("other"), (String::new(), String::new()));
    }
}
