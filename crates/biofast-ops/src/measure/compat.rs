//! Versions of the programs whose reports biofast writes. Where two versions differ, the code that differs compares with the
//! version that made the change.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Defines the programs, each with its versions from the oldest to the current one.
macro_rules! peers {
    ($(
        $(#[$doc:meta])*
        $peer:ident $field:ident $name:literal: $versions:ident {
            $($old:ident = $old_name:literal),*; $now:ident = $now_name:literal
        }
    )*) => {
        /// A program whose reports are written in the form of one of several versions.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Peer {
            $($(#[$doc])* $peer,)*
        }

        impl Peer {
            /// All of them.
            pub const ALL: &'static [Peer] = &[$(Peer::$peer,)*];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self { $(Peer::$peer => $name,)* }
            }

            /// Its versions as `PEER=VERSION`, the current one last.
            pub fn versions(self) -> &'static [&'static str] {
                match self {
                    $(Peer::$peer => &[
                        $(concat!($name, "=", $old_name),)*
                        concat!($name, "=", $now_name),
                    ],)*
                }
            }
        }

        $(
            #[doc = concat!("A version of ", $name, ", or an earlier or later one that writes the same.")]
            #[derive(
                Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize,
            )]
            pub enum $versions {
                $(
                    #[doc = concat!($name, " ", $old_name, ".")]
                    #[serde(rename = $old_name)]
                    $old,
                )*
                #[doc = concat!($name, " ", $now_name, ".")]
                #[serde(rename = $now_name)]
                #[default]
                $now,
            }

            impl fmt::Display for $versions {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str(match self {
                        $($versions::$old => $old_name,)*
                        $versions::$now => $now_name,
                    })
                }
            }
        )*

        /// The version of each program; the current one by default.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Compat {
            $(
                #[doc = concat!("That of ", $name, ".")]
                pub $field: $versions,
            )*
        }

        impl Compat {
            /// Chooses a version, named as [`Peer::versions`] does; false if there is none.
            pub fn choose(&mut self, version: &str) -> bool {
                let Some((peer, version)) = version.split_once('=') else { return false };
                match (peer, version) {
                    $(
                        $(($name, $old_name) => self.$field = $versions::$old,)*
                        ($name, $now_name) => self.$field = $versions::$now,
                    )*
                    _ => return false,
                }
                true
            }
        }
    };
}

peers! {
    /// samtools: `stats` and `coverage`.
    Samtools samtools "samtools": SamtoolsVersion { V1_16 = "1.16"; V1_24 = "1.24" }
    /// Picard: the metrics.
    Picard picard "picard": PicardVersion { V2_27 = "2.27"; V3_4 = "3.4" }
    /// mosdepth.
    Mosdepth mosdepth "mosdepth": MosdepthVersion { V0_3_3 = "0.3.3"; V0_3_14 = "0.3.14" }
    /// FastQC.
    Fastqc fastqc "fastqc": FastqcVersion { V0_11_9 = "0.11.9"; V0_12_1 = "0.12.1" }
    /// fastp: what its preset cuts and keeps, and its report.
    Fastp fastp "fastp": FastpVersion { V0_23 = "0.23"; V1_3 = "1.3" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_can_be_chosen_and_the_last_one_is_the_default() {
        for &peer in Peer::ALL {
            for version in peer.versions() {
                let mut compat = Compat::default();
                assert!(compat.choose(version));
                let is_default = compat == Compat::default();
                assert_eq!(is_default, Some(version) == peer.versions().last(), "{version}");
            }
        }
        for unknown in ["samtools", "samtools=1.2", "picard=1.24", "="] {
            assert!(!Compat::default().choose(unknown), "{unknown}");
        }
        assert!(SamtoolsVersion::V1_16 < SamtoolsVersion::V1_24);
        assert_eq!(SamtoolsVersion::V1_24.to_string(), "1.24");
    }
}
