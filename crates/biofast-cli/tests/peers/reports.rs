//! Reports of random alignments beside samtools 1.16 and 1.24: ten files in a plain run, and `BIOFAST_EFFORT` times as many.

use std::fmt::Write as _;

use biofast_testkit::effort::times;
use biofast_testkit::random::Random;
use biofast_testkit::sam::{self, SamShape};
use biofast_testkit::small::{self, TemplateShape};

use crate::common::alignment_stats::comparable;
use crate::common::{Folder, checksum, coverage, good, run_in, words};
use crate::tools::Samtools;
use crate::verbs::{nth, samtools_each};

/// Sorted alignments of all kinds: those of one of the generators, of which many get other flags, mapping qualities, read groups and no
/// qualities.
pub(crate) fn alignments(seed: u64) -> String {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    // The first numbers of neighbouring seeds are alike.
    (0..20).for_each(|_| {
        random.next_u64();
    });
    let made = match seed % 3 {
        0 => sam::text(&SamShape {
            records: random.below(300),
            sorted: true,
            longest: [5, 150, 150, 700][random.below(4)],
            oddities: random.chance(70),
            seed,
        }),
        1 => coverage::sam(seed),
        _ => sorted(&small::text(&TemplateShape {
            seed,
            sets: 1 + random.below(8),
            templates: 12,
            quarrels: random.chance(50),
            repeats: random.chance(50),
            ..TemplateShape::default()
        })),
    };
    let mut out = String::new();
    let mut has_groups = made.contains("@RG");
    for line in made.lines() {
        if line.starts_with('@') {
            let _ = writeln!(out, "{line}");
            continue;
        }
        if !has_groups {
            out.push_str("@RG\tID:A\tSM:s\n@RG\tID:B\tSM:s\n");
            has_groups = true;
        }
        let mut fields: Vec<String> = line.split('\t').map(str::to_owned).collect();
        if random.chance(15) {
            let flags: u16 = fields[1].parse().unwrap();
            fields[1] = (flags ^ (1 << random.below(12))).to_string();
        }
        if random.chance(25) {
            fields[4] = random.below(256).to_string();
        }
        if random.chance(4) {
            fields[10] = "*".into();
        }
        if random.chance(40) && !line.contains("\tRG:Z:") {
            fields.push(format!("RG:Z:{}", ["A", "B"][random.below(2)]));
        }
        let _ = writeln!(out, "{}", fields.join("\t"));
    }
    out
}

/// The records by coordinate.
fn sorted(text: &str) -> String {
    let header: Vec<&str> = text.lines().take_while(|line| line.starts_with('@')).collect();
    let names: Vec<&str> = header
        .iter()
        .filter_map(|line| line.strip_prefix("@SQ\tSN:")?.split('\t').next())
        .collect();
    let mut records: Vec<&str> = text.lines().skip(header.len()).collect();
    records.sort_by_key(|line| {
        let mut fields = line.split('\t').skip(2);
        let reference = fields.next().unwrap();
        let rank = names.iter().position(|name| *name == reference).unwrap_or(usize::MAX);
        (rank, fields.next().unwrap().parse::<u64>().unwrap())
    });
    let header = header.join("\n").replace("SO:unsorted\tGO:query", "SO:coordinate");
    format!("{header}\n{}\n", records.join("\n"))
}

/// The lines in an order of chance.
fn shuffled(text: &str, seed: u64) -> String {
    let mut random = Random(seed | 1);
    let mut lines: Vec<&str> = text.lines().collect();
    let header = lines.iter().take_while(|line| line.starts_with('@')).count();
    for last in (header + 1..lines.len()).rev() {
        lines.swap(last, header + random.below(last + 1 - header));
    }
    lines.join("\n") + "\n"
}

/// A command of both.
struct Case {
    version: Samtools,
    ours: String,
    theirs: String,
}

fn cases(n: u64) -> Vec<Case> {
    let mut cases = Vec::new();
    let depth = nth(
        n,
        &[
            "", "-a", "-aa", "-J", "-s", "-s -J -a", "-Q 20 -l 8", "-b x.bed", "-a -b x.bed",
            "-q 15", "-g DUP,QCFAIL -G 2048", "-s -J -q 20 -a", "-g 1792",
        ],
    );
    // samtools takes what follows a record without bases for its qualities. Some of these files have such.
    let depth = if n % 3 == 2 { depth.replace("-q", "-Q") } else { depth.to_owned() };
    let (of_coverage, coverage) =
        [("", ""), ("-q 20", "-Q 20"), ("-Q 15", "--min-base-quality 15")][n as usize % 3];
    let sum = nth(
        n,
        &[
            "", "-a", "-PCM", "-q", "-T -PCM -q", "-B", "-O", "-c -b 0xfff", "-t *", "-t NM,RG",
            "-N 7", "-z all,cigarx -PCM", "-F 0 -f 1", "-f 16",
        ],
    );
    for version in Samtools::BOTH {
        let name = match version {
            Samtools::Old => "samtools=1.16",
            Samtools::Now => "samtools=1.24",
        };
        let mut add = |ours: String, theirs: &str| {
            cases.push(Case { version, ours, theirs: theirs.to_owned() });
        };
        let stats = format!("stats --quiet --format samtools --compat {name} {n}.bam");
        add(stats.clone(), &format!("stats {n}.bam"));
        add(format!("{stats} -r ref.fa"), &format!("stats -r ref.fa {n}.bam"));
        for format in ["", "-O json", "-O tsv"] {
            add(
                format!("flagstat --quiet {format} {n}.bam"),
                &format!("flagstat {format} {n}.bam"),
            );
        }
        add(format!("idxstats --quiet {n}.bam"), &format!("idxstats {n}.bam"));
        // 1.16 does so here, too.
        let has_bases = version == Samtools::Now || n % 3 == 1;
        if has_bases {
            add(
                format!(
                    "coverage --quiet --format samtools-coverage --compat {name} {coverage} {n}.bam"
                ),
                &format!("coverage {of_coverage} {n}.bam"),
            );
        }
        let mut depth = depth.replace("x.bed", &format!("{n}.bed"));
        if version == Samtools::Old {
            // 1.16 takes wrong qualities where its buffer wraps around (docs/versions.md).
            depth = depth.replace("-s -J -q 20", "-s -J");
        }
        add(format!("depth --quiet {depth} {n}.bam"), &format!("depth {depth} {n}.bam"));
        let orders: &[&str] = match version {
            Samtools::Old => &[""],
            Samtools::Now => &["", "-n", "-N", "-t RG"],
        };
        for order in orders {
            let sort = format!("sort --no-PG {order} -O sam {n}.mixed.sam");
            add(format!("{sort} --quiet"), &format!("{sort} -o OUT"));
        }
        if version == Samtools::Now {
            for input in [format!("{n}.bam"), format!("{n}.sum.sam")] {
                add(format!("checksum --quiet {sum} {input}"), &format!("checksum {sum} {input}"));
            }
        }
    }
    cases
}

/// Files of a number.
fn write_files(folder: &Folder, n: u64) {
    let made = alignments(n);
    folder.file(&format!("{n}.mixed.sam"), shuffled(&made, n));
    folder.file(&format!("{n}.sam"), made);
    folder.file(&format!("{n}.sum.sam"), checksum::sam(n + 1));
    let bed = match n % 3 {
        0 => "chr1\t10\t9000\nchrUn\t0\t3000\nchr1\t20\t30\nchr2:HLA\t800000\t900000\n".into(),
        1 => coverage::bed(n + 1),
        _ => "c0\t100\t900\nd0\t0\t700\nc0\t300\t310\n".into(),
    };
    folder.file(&format!("{n}.bed"), bed);
    let [sam, bam] = ["sam", "bam"].map(|ending| format!("{n}.{ending}"));
    good(folder, &["view", "--quiet", "-b", "--no-PG", &sam, "-o", &bam]);
}

/// What a report says but for the lines that name the program.
fn bare(report: &str) -> String {
    comparable(report).replace("# Checksum 1.0", "# Checksum 2.0")
}

#[test]
#[ignore = "needs samtools 1.16 and 1.24 (pysam)"]
fn reports_of_random_files_are_those_of_samtools() {
    let number = u64::from(times(10));
    let (mut compared, mut failed, mut refused) = (0, Vec::new(), 0);
    for first in (0..number).step_by(10) {
        let folder = Folder::new();
        folder.file("ref.fa", sam::fasta(7));
        let numbers = first..number.min(first + 10);
        numbers.clone().for_each(|n| write_files(&folder, n));
        let cases: Vec<Case> = numbers.flat_map(cases).collect();
        for version in Samtools::BOTH {
            let mut cases: Vec<&Case> =
                cases.iter().filter(|case| case.version == version).collect();
            // In one process of pysam, the order of names stays what -N made it.
            cases.sort_by_key(|case| case.theirs.contains("sort --no-PG -N"));
            let lines: Vec<&str> = cases.iter().map(|case| &case.theirs[..]).collect();
            samtools_each(&folder, version, &lines);
            for (number, case) in cases.iter().enumerate() {
                let out = folder.path(&format!("{number}.theirs"));
                let theirs = std::fs::read_to_string(&out).ok();
                let ours = run_in(&folder, &words(&case.ours));
                let Some(theirs) = theirs else {
                    // Where a read reaches over the end of what it holds of the reference.
                    let may = version == Samtools::Old || case.theirs.contains("-r ref.fa");
                    if !may {
                        failed.push(format!("{version:?} {}: samtools fails", case.theirs));
                    }
                    refused += 1;
                    continue;
                };
                std::fs::remove_file(out).unwrap();
                compared += 1;
                let [own, theirs] = [&ours.stdout, &theirs].map(|text| bare(text));
                if ours.code != 0 || own != theirs {
                    let differ = theirs.lines().zip(own.lines()).find(|(a, b)| a != b);
                    let said = ours.stderr.lines().next().unwrap_or_default();
                    failed.push(format!("{version:?} {}: {said} {differ:?}", case.ours));
                }
            }
        }
    }
    println!("{compared} reports of {number} files, {refused} that samtools refuses");
    let shown = failed[..failed.len().min(60)].join("\n");
    assert!(failed.is_empty(), "{} of {compared} differ\n{shown}", failed.len());
    assert!(compared > 18 * number && refused < 2 * number, "{compared} {refused}");
}
