//! The small verbs of alignments, headers and FASTA beside samtools 1.24 on random files: ten in a plain run, and
//! `BIOFAST_EFFORT` times as many.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;

use biofast_testkit::effort::times;
use biofast_testkit::random::Random;
use biofast_testkit::small::{self, Names, TemplateShape};

use crate::common::{Folder, good, text, words};
use crate::tools::{Samtools, need};

/// How two results are alike.
#[derive(Clone, Copy)]
enum Alike {
    /// In all bytes.
    Bytes,
    /// Lines, in any order.
    Lines,
    /// Names in one order, the records of each in any.
    Names,
    /// Header and records of BAM.
    Bam,
}

/// A command of both: what ours prints is what theirs writes, to `OUT` if that is named.
struct Case {
    ours: String,
    theirs: String,
    alike: Alike,
}

/// Runs commands of samtools in a folder, those of 1.24 in one process: what each prints or writes goes to a file of its number. There
/// is none if it fails.
pub(crate) fn samtools_each(folder: &Folder, version: Samtools, commands: &[&str]) {
    let is_program = std::env::var_os("BIOFAST_SAMTOOLS").is_some();
    if version == Samtools::Old || is_program {
        for (number, line) in commands.iter().enumerate() {
            let out = format!("{number}.theirs");
            let words = words(line).into_iter().map(|word| if word == "OUT" { &out } else { word });
            let mut command = version.command(&words.collect::<Vec<_>>());
            let ended = command.current_dir(folder.path("")).output().unwrap();
            match ended.status.success() {
                false => drop(std::fs::remove_file(folder.path(&out))),
                true if line.contains("OUT") || line.starts_with("split") => {}
                true => drop(folder.file(&out, ended.stdout)),
            }
        }
        return;
    }
    let program = "\
import os, sys, pysam, pysam.samtools
assert pysam.__samtools_version__ >= '1.24', pysam.__samtools_version__
for number, line in enumerate(sys.stdin):
    out = f'{number}.theirs'
    name, *words = [out if word == 'OUT' else word for word in line.split()]
    how = {'catch_stdout': False} if 'OUT' in line.split() or name == 'split' else {'save_stdout': out}
    try:
        getattr(pysam.samtools, name)(*words, **how)
    except pysam.SamtoolsError:
        if os.path.exists(out):
            os.remove(out)
";
    let mut python = need("python3");
    python.args(["-c", program]).current_dir(folder.path("")).stdin(Stdio::piped());
    python.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut python = python.spawn().unwrap();
    let mut input = python.stdin.take().unwrap();
    commands.iter().for_each(|line| writeln!(input, "{line}").unwrap());
    drop(input);
    let ended = python.wait_with_output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
}

/// Without lines for programs, of which each writes its own.
fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with("@PG")).collect()
}

/// Names in their order with their records.
fn by_name<'t>(lines: &[&'t str]) -> Vec<(&'t str, Vec<&'t str>)> {
    let mut out: Vec<(&str, Vec<&str>)> = Vec::new();
    for &line in lines {
        let name = line.split('\t').next().unwrap();
        match out.last_mut().filter(|(last, _)| *last == name) {
            Some((_, group)) => group.push(line),
            None => out.push((name, vec![line])),
        }
    }
    out.iter_mut().for_each(|(_, group)| group.sort_unstable());
    out
}

fn compare(folder: &Folder, number: usize, case: &Case) {
    let theirs = format!("{number}.theirs");
    let ours = match case.alike {
        Alike::Bam => {
            let out = format!("{number}.ours");
            good(folder, &[&words(&case.ours)[..], &["-o", &out]].concat());
            [out, theirs].map(|name| good(folder, &["view", "-h", "--no-PG", &name]).stdout)
        }
        _ => {
            let theirs = std::fs::read_to_string(folder.path(&theirs));
            let theirs = theirs.unwrap_or_else(|_| panic!("samtools fails: {}", case.theirs));
            [good(folder, &words(&case.ours)).stdout, theirs]
        }
    };
    let [mut ours, mut theirs] = [&ours[0], &ours[1]].map(|text| lines(text));
    match case.alike {
        Alike::Names => {
            assert!(by_name(&ours) == by_name(&theirs), "{}", case.ours);
            return;
        }
        Alike::Lines => [&mut ours, &mut theirs].map(|lines| lines.sort_unstable()),
        Alike::Bytes | Alike::Bam => [(), ()],
    };
    let other = ours.iter().zip(&theirs).find(|(ours, theirs)| ours != theirs);
    assert_eq!(other, None, "{} beside {}", case.ours, case.theirs);
    assert_eq!(ours.len(), theirs.len(), "{} beside {}", case.ours, case.theirs);
}

/// One of these, in turn.
pub(crate) fn nth<'w>(number: u64, of: &[&'w str]) -> &'w str {
    of[number as usize % of.len()]
}

/// Sequences of all codes, in lines of any length.
fn fasta(seed: u64) -> String {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut text = String::new();
    for number in 0..1 + random.below(5) {
        let _ = writeln!(text, ">{}{number} d", ["chr", "", "M", "x:1-2_"][random.below(4)]);
        let (len, width) = (9 + random.below(900), 1 + random.below(80));
        let bases: Vec<u8> =
            (0..len).map(|_| b"ACGTURYSWKMBDHVNacgtnrykm-*"[random.below(27)]).collect();
        for line in bases.chunks(width) {
            let _ = writeln!(text, "{}", std::str::from_utf8(line).unwrap());
        }
    }
    text
}

/// A folder with random files: `x.sam` and `x.bam` grouped by name, `s.bam` sorted with an index, `x.fa`, `x.bed`, `h.sam`.
fn files(n: u64) -> Folder {
    let folder = Folder::new();
    let shape = TemplateShape {
        seed: 1000 + n,
        sets: 1 + n as usize % 7,
        templates: 12,
        names: Names::Mixed,
        contradictions: n % 3 == 2,
        quarrels: n % 2 == 1,
        read_groups: n.is_multiple_of(5),
        ..TemplateShape::default()
    };
    folder.file("x.sam", small::text(&shape));
    // Positions behind the end of a reference have no depth here.
    folder.file("s.sam", small::text(&TemplateShape { contradictions: false, ..shape }));
    folder.file("x.fa", fasta(n));
    folder.file("x.bed", "c0\t100\t900\nd0\t0\t700\nc0\t300\t310\n");
    good(&folder, &["view", "--quiet", "-b", "--no-PG", "x.sam", "-o", "x.bam"]);
    good(&folder, &["sort", "--quiet", "--no-PG", "s.sam", "-o", "s.bam", "--write-index"]);
    let header = good(&folder, &["view", "-H", "--no-PG", "x.bam"]).stdout;
    folder.file("h.sam", header.replace("SN:", "SN:new_") + "@CO\tgiven\n");
    folder
}

fn cases(n: u64) -> Vec<Case> {
    let case = |ours: String, theirs: String, alike| Case { ours, theirs, alike };
    let same =
        |line: String| Case { ours: format!("{line} --quiet"), theirs: line, alike: Alike::Bytes };
    let fix = nth(
        n,
        &[
            "", "-m", "-mc", "-rm", "-p", "-rpc", "-c", "-z off", "-z on", "-z cigarx,aux",
            "-z pos", "-z cigar,pos", "-z unmap,cigdup,mqual",
        ],
    );
    let depth =
        nth(n, &["", "-a", "-aa", "-J", "-s", "-s -J -a", "-Q 20 -l 8", "-b x.bed", "-a -b x.bed"]);
    let group = nth(
        n,
        &[
            "-r ID:new", "-r ID:new -m orphan_only", "-w -r ID:g0", "-R g1",
            "-R g1 -m orphan_only", "",
        ],
    );
    let head = nth(n, &["", "-n 3", "-h 2", "-h 0 -n 5"]);
    let reset = nth(n, &["", "--dupflag", "--no-RG", "-x BX", "--keep-tag RG,BX", "-x ^RG,NM"]);
    let tags = nth(n, &["-x BX,RG", "--keep-tag RG", "-x ^RG,BX", "-x NM"]);
    let dict = nth(n, &["-u there", "-H -u x", "-A -a GRCh38 -s Homo -u there"]);
    let first = fasta(n)[1..].split(' ').next().unwrap().to_owned();
    let region = format!("{{{first}}}:{}-{}", 1 + n % 9, 9 + n % 70);
    let faidx = nth(n, &["", "-i", "-n 7", "-i --mark-strand sign"]);
    vec![
        case(
            "reheader --quiet --no-PG h.sam x.bam".into(),
            "reheader --no-PG h.sam x.bam".into(),
            Alike::Bam,
        ),
        case(
            format!("addreplacerg --quiet --no-PG {group} x.sam"),
            format!("addreplacerg --no-PG {group} -O sam -o OUT x.sam"),
            Alike::Bytes,
        ),
        case(
            format!("fixmate --quiet --no-PG -O sam {fix} x.sam"),
            format!("fixmate --no-PG -O sam {fix} x.sam OUT"),
            Alike::Bytes,
        ),
        case(
            "collate --quiet --no-PG --output-format sam s.bam".into(),
            "collate --no-PG --output-fmt sam -o OUT s.bam".into(),
            Alike::Names,
        ),
        case(
            format!("depth --quiet {depth} s.bam"),
            format!("depth {depth} -o OUT s.bam"),
            Alike::Bytes,
        ),
        same(format!("head {head} x.bam")),
        case(
            "samples --quiet -h x.bam s.bam".into(),
            "samples -h x.bam s.bam".into(),
            Alike::Lines,
        ),
        case(
            format!("reset --quiet --no-PG {reset} x.bam"),
            format!("reset --no-PG {reset} -O sam -o OUT x.bam"),
            Alike::Bytes,
        ),
        case(
            format!("retag --quiet --no-PG {tags} x.bam"),
            format!("view -h --no-PG {tags} -o OUT x.bam"),
            Alike::Bytes,
        ),
        case(
            format!("faidx --quiet {faidx} x.fa {region} {first}"),
            format!("faidx {faidx} -o OUT x.fa {region} {first}"),
            Alike::Bytes,
        ),
        case(format!("dict --quiet {dict} x.fa"), format!("dict {dict} -o OUT x.fa"), Alike::Bytes),
        case("idxstats --quiet s.bam".into(), "idxstats s.bam".into(), Alike::Bytes),
    ]
}

#[test]
#[ignore = "needs samtools 1.24 (pysam)"]
fn random_files_become_what_samtools_makes_of_them() {
    let number = u64::from(times(10));
    let mut compared = 0;
    for n in 0..number {
        let folder = files(n);
        let cases = cases(n);
        let by = nth(n, &["RG", "BX"]);
        let split = format!("split --no-PG -d {by} -f t_%!.sam -u t_u.sam --output-fmt sam x.bam");
        let theirs: Vec<&str> =
            cases.iter().map(|case| &case.theirs[..]).chain([&split[..]]).collect();
        samtools_each(&folder, Samtools::Now, &theirs);
        for (number, case) in cases.iter().enumerate() {
            compare(&folder, number, case);
            compared += 1;
        }
        compare_parts(&folder, by);
    }
    assert_eq!(compared, number * 12);
}

/// Compares what `split` writes, with headers of all read groups but for RG.
fn compare_parts(folder: &Folder, by: &str) {
    let ours = [
        "split", "--quiet", "--no-PG", "--by", by, "x.bam", "-o", "o_{value}.sam", "-u", "o_u.sam",
    ];
    good(folder, &ours);
    let named = |prefix: &str| {
        let names = std::fs::read_dir(folder.path("")).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let own = names.filter_map(|name| name.strip_prefix(prefix).map(str::to_owned));
        let mut own: Vec<String> = own.collect();
        own.sort();
        own
    };
    let (ours, theirs) = (named("o_"), named("t_"));
    for name in &theirs {
        let [ours, theirs] = ["o_", "t_"].map(|prefix| {
            std::fs::read_to_string(text(&folder.path(&format!("{prefix}{name}")))).unwrap()
        });
        assert!(lines(&ours) == lines(&theirs), "{by} {name}\n{ours}\n{theirs}");
    }
    assert!(theirs.iter().all(|name| ours.contains(name)), "{ours:?} {theirs:?}");
}
