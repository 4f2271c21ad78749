//! Which records are wanted, by flags.

use biofast_bam::flag;

/// Which records are wanted, by flags and mapping quality.
#[derive(clap::Args)]
pub(crate) struct Flags {
    /// Include only records with all of these flags set: a number, or names such as PAIRED,UNMAP
    #[arg(short = 'f', long = "require-flags", value_name = "FLAGS", value_parser = flags)]
    all_of: Vec<u16>,

    /// Exclude records with any of these flags set
    #[arg(short = 'F', long = "exclude-flags", value_name = "FLAGS", value_parser = flags)]
    none_of: Vec<u16>,

    /// Exclude records with all of these flags set
    #[arg(short = 'G', value_name = "FLAGS", value_parser = flags)]
    not_all_of: Vec<u16>,

    /// Include only records with at least one of these flags set
    #[arg(long = "include-flags", value_name = "FLAGS", value_parser = flags)]
    any_of: Vec<u16>,
}

impl Flags {
    /// The filter; `none_of` where no such flags are given.
    pub(crate) fn filter(&self, none_of: u16) -> flag::Filter {
        flag::Filter {
            all_of: union(&self.all_of),
            any_of: union(&self.any_of),
            none_of: if self.none_of.is_empty() { none_of } else { union(&self.none_of) },
            not_all_of: union(&self.not_all_of),
            min_mapping_quality: 0,
        }
    }
}

/// All flags of an option that may be repeated.
pub(crate) fn union(flags: &[u16]) -> u16 {
    flags.iter().fold(0, |all, flags| all | flags)
}

pub(crate) fn flags(text: &str) -> Result<u16, String> {
    flag::parse(text).ok_or_else(|| {
        let wrong = text.split(',').find(|name| flag::parse(name).is_none()).unwrap_or(text);
        let typed = wrong.to_ascii_uppercase();
        let near = |name: &&&str| strsim::osa_distance(name, &typed);
        let nearest = flag::NAMES.iter().min_by_key(near).filter(|name| near(name) <= 2);
        match nearest {
            Some(name) => format!("no flag is named '{wrong}': did you mean {name}?"),
            None => format!(
                "expected a number from 0 to 65535, or names separated by commas: {}",
                flag::NAMES.join(", ")
            ),
        }
    })
}
