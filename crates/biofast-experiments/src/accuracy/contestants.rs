//! Who trims and merges, and how each is called: adapters only, without filters by quality, length or N.

use std::ffi::OsString;
use std::path::Path;

use super::simulate::Library;
use biofast_ops::filter::trim::KITS;

/// What a contestant does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Task {
    TrimPairs,
    TrimReads,
    Merge,
}

/// A program with its words for one task. `{in1}`, `{in2}`, `{out1}`, `{out2}`, `{merged}`, `{dir}`, `{kit}`, `{a1}` and `{a2}` are filled in.
pub(super) struct AccuracyContestant {
    pub(super) name: &'static str,
    pub(super) program: &'static str,
    pub(super) task: Task,
    words: &'static str,
    /// More of them where the ends of reads are dark; without any, it has no option for these.
    dark: Option<&'static str>,
}

/// biofast is the first of each task.
pub(super) const CONTESTANTS: &[AccuracyContestant] = &[
    AccuracyContestant {
        name: "biofast",
        program: "biofast",
        task: Task::TrimPairs,
        words: "filter --quiet --trim-overlap -a {a1} -A {a2} {in1} {in2} -o {out1} --out2 {out2}",
        dark: Some("--trim-poly-g"),
    },
    AccuracyContestant {
        name: "biofast, no adapters given",
        program: "biofast",
        task: Task::TrimPairs,
        words: "filter --quiet --trim-overlap {in1} {in2} -o {out1} --out2 {out2}",
        dark: Some("--trim-poly-g"),
    },
    AccuracyContestant {
        name: "biofast --preset fastp",
        program: "biofast",
        task: Task::TrimPairs,
        words: "filter --quiet --preset fastp --max-low-quality-percent 100 --max-n-percent 100 --max-n 1000 --min-len 1 -a {a1} -A {a2} {in1} {in2} -o {out1} --out2 {out2}",
        dark: Some("--trim-poly-g"),
    },
    AccuracyContestant {
        name: "chelae",
        program: "chelae",
        task: Task::TrimPairs,
        words: "trim -l 1 --kit {kit} -i {in1} {in2} -o {out1} {out2}",
        dark: Some("--trim-polyg 10"),
    },
    AccuracyContestant {
        name: "AdapterRemoval",
        program: "AdapterRemoval",
        task: Task::TrimPairs,
        words: "--adapter1 {a1} --adapter2 {a2} --minlength 1 --basename {dir}/ar --file1 {in1} --file2 {in2} --output1 {out1} --output2 {out2}",
        dark: None,
    },
    AccuracyContestant {
        name: "cutadapt",
        program: "cutadapt",
        task: Task::TrimPairs,
        words: "--quiet -O 6 -m 1 -a {a1} -A {a2} -o {out1} -p {out2} {in1} {in2}",
        dark: None,
    },
    AccuracyContestant {
        name: "fastp",
        program: "fastp",
        task: Task::TrimPairs,
        words: "-Q -L -j /dev/null -h /dev/null --adapter_sequence {a1} --adapter_sequence_r2 {a2} -i {in1} -I {in2} -o {out1} -O {out2}",
        dark: Some("-g"),
    },
    AccuracyContestant {
        name: "biofast",
        program: "biofast",
        task: Task::TrimReads,
        words: "filter --quiet --adapter-min-overlap 6 -a {a1} {in1} -o {out1}",
        dark: None,
    },
    AccuracyContestant {
        name: "biofast --adapter-match quality",
        program: "biofast",
        task: Task::TrimReads,
        words: "filter --quiet --adapter-match quality -a {a1} {in1} -o {out1}",
        dark: None,
    },
    AccuracyContestant {
        name: "biofast --preset fastp",
        program: "biofast",
        task: Task::TrimReads,
        words: "filter --quiet --preset fastp --max-low-quality-percent 100 --max-n-percent 100 --max-n 1000 --min-len 1 -a {a1} {in1} -o {out1}",
        dark: None,
    },
    AccuracyContestant {
        name: "chelae",
        program: "chelae",
        task: Task::TrimReads,
        words: "trim -l 1 --kit {kit} -i {in1} -o {out1}",
        dark: None,
    },
    AccuracyContestant {
        name: "AdapterRemoval",
        program: "AdapterRemoval",
        task: Task::TrimReads,
        words: "--adapter1 {a1} --minadapteroverlap 6 --minlength 1 --basename {dir}/ar --file1 {in1} --output1 {out1}",
        dark: None,
    },
    AccuracyContestant {
        name: "cutadapt",
        program: "cutadapt",
        task: Task::TrimReads,
        words: "--quiet -O 6 -m 1 -a {a1} -o {out1} {in1}",
        dark: None,
    },
    AccuracyContestant {
        name: "fastp",
        program: "fastp",
        task: Task::TrimReads,
        words: "-Q -L -j /dev/null -h /dev/null --adapter_sequence {a1} -i {in1} -o {out1}",
        dark: None,
    },
    AccuracyContestant {
        name: "biofast",
        program: "biofast",
        task: Task::Merge,
        words: "filter --quiet --merge --merged-out {merged} {in1} {in2} -o {out1} --out2 {out2}",
        dark: None,
    },
    AccuracyContestant {
        name: "biofast --merge-rule best",
        program: "biofast",
        task: Task::Merge,
        words: "filter --quiet --merge --merge-rule best --overlap-len-require 29 --merged-out {merged} {in1} {in2} -o {out1} --out2 {out2}",
        dark: None,
    },
    AccuracyContestant {
        name: "AdapterRemoval",
        program: "AdapterRemoval",
        task: Task::Merge,
        words: "--adapter1 {a1} --adapter2 {a2} --minlength 1 --collapse-deterministic --minalignmentlength 30 --basename {dir}/ar --file1 {in1} --file2 {in2} --output1 {out1} --output2 {out2} --outputcollapsed {merged}",
        dark: None,
    },
    AccuracyContestant {
        name: "fastp",
        program: "fastp",
        task: Task::Merge,
        words: "-Q -L -j /dev/null -h /dev/null -m --merged_out {merged} -i {in1} -I {in2} -o {out1} -O {out2}",
        dark: None,
    },
];

/// Words that turn off what cuts runs of G, where nothing is dark.
const NO_POLY_G: [(&str, &str); 2] = [("fastp", "-G"), ("chelae", "--trim-polyg 0")];

impl AccuracyContestant {
    /// Its task is one with reads of this library, and it has an option for what is special about them.
    pub(super) fn fits(&self, library: &Library) -> bool {
        let is_paired = library.lens[1] > 0;
        (self.task != Task::TrimReads) == is_paired && (library.dark == 0 || self.dark.is_some())
    }

    /// The command line without the program; files are in `dir`.
    pub(super) fn args(&self, library: &Library, dir: &Path) -> Vec<OsString> {
        let kit = KITS.iter().find(|kit| kit.name == library.kit);
        let [first, second] = kit.map(|kit| kit.adapters).unwrap_or_default();
        let off = NO_POLY_G.iter().find(|(program, _)| *program == self.program);
        let more = match library.dark > 0 {
            true => self.dark,
            false => off.map(|(_, words)| *words),
        };
        let words = self.words.split(' ').chain(more.into_iter().flat_map(|more| more.split(' ')));
        let fill = |word: &str| match word {
            "{kit}" => library.kit.into(),
            "{a1}" => first.into(),
            "{a2}" => second.into(),
            "{dir}/ar" => dir.join("ar").into_os_string(),
            "{in1}" | "{in2}" | "{out1}" | "{out2}" | "{merged}" => {
                dir.join(format!("{}.fq", &word[1..word.len() - 1])).into_os_string()
            }
            word => word.into(),
        };
        words.map(fill).collect()
    }
}
