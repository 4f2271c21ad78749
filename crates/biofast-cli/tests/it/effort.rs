//! Cases of two sizes: a short one in every run, all of it in the exhaustive tier.

/// How much of a case that grows with its numbers is tried: in every run few, in the exhaustive tier all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    Short,
    Exhaustive,
}

impl Effort {
    /// These numbers of shards; in a short run the small ones.
    pub(crate) fn shards(self, all: &[usize]) -> Vec<usize> {
        let few = |n: &usize| *n < 8 || self == Effort::Exhaustive;
        all.iter().copied().filter(few).collect()
    }

    pub(crate) fn pick<T>(self, short: T, exhaustive: T) -> T {
        match self {
            Effort::Short => short,
            Effort::Exhaustive => exhaustive,
        }
    }
}

/// Tests of functions that take an [`Effort`].
macro_rules! in_two_tiers {
    ($($case:ident),+ $(,)?) => {
        mod short {
            $(#[test]
            fn $case() {
                super::$case($crate::effort::Effort::Short);
            })+
        }

        mod exhaustive {
            $(#[test]
            #[ignore = "exhaustive: takes minutes"]
            fn $case() {
                super::$case($crate::effort::Effort::Exhaustive);
            })+
        }
    };
}
pub(crate) use in_two_tiers;
