//! The conformance corpus of third-party files: of every file of reads, alignments or compressed data the commands must say what the manifest says. Prints a table of
//! agreement per source (`--nocapture`); what disagrees and isn't listed here fails.

use crate::common;
use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use biofast_io::{Options, Reader, Source};
use sha2::{Digest, Sha256};

use crate::common::biofast;
use crate::tools::{ThirdParty, corpus, third_party};

/// What is asked of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Asked {
    /// `check`: is the file good?
    Verdict,
    /// `stats` or `view`: how many records, bases, …
    Content,
}

/// Where biofast decides otherwise: the start of the path, what is asked, and why. The manifest calls valid what samtools
/// reads; `check` asks what the specification (SAMv1) allows, and the suite of hts-specs has the same faults among those
/// that must be found, here named where it does.
const EXCEPTIONS: [(&str, Option<Asked>, &str); 28] = [
    // 1.3: LN is in [1, 2^31 - 1], and 1.4: POS is in [0, 2^31 - 1]. Longer ones are an extension of htslib to SAM text. A
    // long reference alone is read with a warning; positions behind 2^31 - 1 have no place in BAM (4.2), and so none here.
    ("htslib/test/longrefs/", None, "positions beyond 2^31 - 1"),
    ("samtools/test/large_pos/", None, "positions beyond 2^31 - 1"),
    ("samtools/test/fixmate/8_isize_overflow_64bit.sam", None, "positions beyond 2^31 - 1"),
    ("samtools/test/markdup/7_mark_supp_dup", None, "positions beyond 2^31 - 1"),
    ("samtools/test/stat/", None, "positions beyond 2^31 - 1"),
    // CRAM 3.1, 8.5: the block of an embedded reference holds its bases. The first slice's holds read names ("0\0ERR16…",
    // of which samtools prints the R as bases); their number is right, which `view -c` says.
    (
        "samtools/test/cram_size/mpileup.1.cram",
        Some(Asked::Verdict),
        "names in place of an embedded reference",
    ),
    // 1.3: SO:coordinate says the order the records are in, which they aren't. `samtools index` refuses them, too.
    ("libstatgen/bam/test/testFiles/testSamSOcoord.sam", Some(Asked::Verdict), "out of order"),
    ("samtools/test/markdup/2_bad_order.sam", Some(Asked::Verdict), "made to be out of order"),
    // Blank lines between reads are passed over by readers, with a warning, and a fault for `check`.
    ("unicycler/test/test_bad_reads_1.fastq", Some(Asked::Verdict), "blank lines, starting here,"),
    // 1.4.6: "H can only be present as the first and/or last operation. S may only have H operations between them and the
    // ends": 3S2H5M. As failed/cigar.fail2.sam.
    ("libstatgen/bam/test/expected/", Some(Asked::Verdict), "has clipping inside"),
    ("libstatgen/bam/test/testFiles/sortedBam.bam", Some(Asked::Verdict), "has clipping inside"),
    (
        "libstatgen/bam/test/testFiles/testSamSOquery.sam",
        Some(Asked::Verdict),
        "has clipping inside",
    ),
    ("samtools/test/dat/bam2fq.sc.sam", Some(Asked::Verdict), "has clipping inside"),
    // 1.4: CIGAR is \*|([0-9]+[MIDNSHP=X])+; these have B.
    ("samtools/test/dat/view.003.", Some(Asked::Verdict), "the operation B"),
    // 1.3: the valid values of SO. As failed/hdr.HD2.sam.
    ("libstatgen/bam/test/testFiles/testSamSOinvalid.sam", Some(Asked::Verdict), "SO:junk"),
    // 1.3: VN is [0-9]+\.[0-9]+. As failed/hdr.HD1.sam.
    ("samtools/test/reset/seq.sam", Some(Asked::Verdict), "VN:1"),
    // 1.3: DT is a date of ISO 8601. As failed/hdr.RG3.sam. (They aren't in the order they claim, either.)
    ("nucleus/nucleus/testdata/test.sam", Some(Asked::Verdict), "DT:12/10/2012"),
    ("nucleus/nucleus/testdata/test_oq.sam", Some(Asked::Verdict), "DT:12/10/2012"),
    // 1.3: the valid values of PL; "this field should be omitted when the technology is not in this list". As
    // failed/hdr.RG5.sam.
    ("mosdepth/tests/overlapping-pairs.bam", Some(Asked::Verdict), "PL:protocol"),
    // 1.3: @SQ has SN and LN. As failed/hdr.SQ8.sam.
    // It isn't written as SAM, either: with a record behind it, samtools refuses it.
    ("samtools/test/mpileup/1read.sam", None, "@SQ without a field"),
    // 1.3 doesn't ask for @SQ lines: their want is a warning.
    ("biopython/Tests/SamBam/ex1.sam", Some(Asked::Verdict), "reference names without @SQ"),
    // 1.4: PNEXT is in [0, 2^31 - 1], and samtools refuses what it prints of these: PNEXT is -129696966.
    ("htslib/test/mpileup/small.bam", Some(Asked::Content), "negative positions of mates"),
    // Its header has LN:30, and the only xx.fa here has 20 bases, which samtools warns of.
    (
        "htslib/test/xx#large_aux_java.cram",
        Some(Asked::Content),
        "a reference of a different length",
    ),
    // 1.2.1: a reference name has no comma. As failed/rname.fail3.sam.
    ("htslib/test/colons.bam", Some(Asked::Verdict), "SN:chr1,chr3"),
    // 1.5: TAG is [A-Za-z][A-Za-z0-9], which A! isn't. As failed/aux.fail-tag.sam.
    ("htslib/test/auxf#values.sam", Some(Asked::Verdict), "an optional field A!"),
    ("htslib/test/auxf#values_java.cram", Some(Asked::Verdict), "an optional field A!"),
    // 1.5: TYPE is one of A, i, f, Z, H and B; these have I. As failed/aux.fail-format3.sam.
    ("samtools/test/dat/test_input_1_d.sam", Some(Asked::Verdict), "a tag of type I"),
    // The other way round: the suite wants GO:none refused. 1.3 names it among the valid values ("none (default), query
    // […], and reference"), and so does the suite's own README.
    ("hts-specs/test/sam/failed/hdr.HD3.sam", Some(Asked::Verdict), "GO:none"),
];

/// A row of the manifest.
struct Row<'a> {
    path: &'a str,
    file: String,
    kind: &'a str,
    verdict: &'a str,
    must_say: &'a str,
}

impl Row<'_> {
    /// Whether the file must be read without an error; of edge cases as the reference tools do.
    fn must_be_good(&self) -> bool {
        let refusals = ["error", "fails", "refuses", "cannot", "trailing garbage"];
        match self.verdict {
            "valid" => true,
            "invalid" => false,
            _ => !refusals.iter().any(|word| self.must_say.contains(word)),
        }
    }

    /// The number of records, if the manifest knows it.
    fn records(&self) -> Option<u64> {
        self.must_say.split_once(" records").and_then(|(n, _)| n.parse().ok())
    }
}

/// What `check` says of each file; `Ok` if that agrees. Asked of many at once: to start a process takes longer than to
/// read most of the files.
fn verdicts(rows: &[Row<'_>]) -> Vec<Result<(), String>> {
    let files = rows.iter().map(|row| row.file.as_str());
    let args: Vec<&str> = ["check", "--json", "-@", "1"].into_iter().chain(files).collect();
    let run = biofast(&args);
    let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let found = json["files"].as_array().unwrap();
    assert_eq!(found.len(), rows.len());
    let all_good = found.iter().all(|file| file["status"] == "ok");
    assert_eq!(run.code, i32::from(!all_good), "{run:?}");
    found.iter().zip(rows).map(|(file, row)| verdict(row, file)).collect()
}

fn verdict(row: &Row<'_>, file: &serde_json::Value) -> Result<(), String> {
    assert_eq!(file["path"], row.file.as_str());
    let good = row.must_be_good();
    let status = if good { "ok" } else { "fault" };
    let counted = !good || row.records().is_none_or(|n| file["records"] == n);
    match file["status"] == status && counted {
        true => Ok(()),
        false => Err(format!(
            "check says {}: {} records, {}",
            file["status"], file["records"], file["fault"]
        )),
    }
}

/// What the commands that read say of the content.
fn content(row: &Row<'_>) -> Result<(), String> {
    let said = match row.kind {
        kind if kind.starts_with("fastq") => reads(row),
        "sam" | "bam" | "cram" => alignments(row),
        _ => decoded(row),
    };
    match (said, row.must_be_good()) {
        // Where readers part, and the source's own reads on, either is fine.
        _ if row.must_say.contains("reads it")
            || row.must_say.contains("lenient readers parse") =>
        {
            Ok(())
        }
        // What breaks the specification and samtools reads: refused, or read to the same records.
        (said, false)
            if row.path.starts_with("hts-specs/test/sam/")
                && row.must_say.contains("samtools 1.16 accepts") =>
        {
            match said {
                Ok(said) if !row.must_say.contains(&said) => Err(said),
                _ => Ok(()),
            }
        }
        (Ok(said), true) if row.must_say.starts_with(&said) => Ok(()),
        (Err(_), false) => Ok(()),
        (said, _) => Err(format!("{said:?}")),
    }
}

/// `stats` of FASTQ in the words of the manifest.
fn reads(row: &Row<'_>) -> Result<String, String> {
    let run = biofast(&["stats", "--json", "-q", "-@", "1", &row.file]);
    if run.code != 0 {
        assert_eq!(run.code, 2, "{run:?}");
        return Err(run.stderr);
    }
    let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let file = &json["files"][0];
    let (reads, bases) = (&file["reads"], &file["bases"]);
    let histogram = file["quality"]["histogram"].as_array().unwrap();
    let byte = |entry: &serde_json::Value| entry[0].as_u64().unwrap() + 33;
    Ok(match (histogram.first(), histogram.last()) {
        (Some(first), Some(last)) => {
            let (low, high, n) = (byte(first), byte(last), histogram.len());
            format!("{reads} records, {bases} bases, quality bytes {low}-{high} ({n} distinct)")
        }
        _ if *reads == 0 => "0 records (empty input)".to_owned(),
        _ => format!("{reads} records, {bases} bases"),
    })
}

/// The FASTA files beside a file or in the two folders above, of which one may be its reference.
fn references(file: &str) -> Vec<String> {
    let folders = Path::new(file).ancestors().skip(1).take(3);
    let beside = folders.flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let paths = beside.map(|entry| entry.unwrap().path());
    let is_fasta = |path: &PathBuf| path.extension().is_some_and(|e| e == "fa" || e == "fasta");
    paths.filter(is_fasta).map(|path| common::text(&path)).collect()
}

/// What `view` says of alignments, by themselves or with a reference that is beside them.
fn alignments(row: &Row<'_>) -> Result<String, String> {
    let alone = viewed(row, &[]);
    if !alone.as_ref().is_err_and(|message| message.contains("no reference was given")) {
        return alone;
    }
    let found =
        references(&row.file).iter().find_map(|fasta| viewed(row, &["--reference", fasta]).ok());
    found.map_or(alone, Ok)
}

/// `view -c` and `view -h` in the words of the manifest.
fn viewed(row: &Row<'_>, more: &[&str]) -> Result<String, String> {
    let view = |how: &str| {
        let args = ["view", how, "--no-PG", "-@", "1", &row.file];
        let mut command = common::command(&[&args, more].concat());
        let output = command.output().unwrap();
        let code = output.status.code().expect("not killed by a signal");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(code == 0 || (code == 2 && !message.contains("panicked")), "{message}");
        if code == 0 { Ok(output.stdout) } else { Err(message) }
    };
    let counted = String::from_utf8(view("-c")?).unwrap();
    if row.must_say.contains("external reference") {
        // The bases need what the corpus doesn't have.
        return Ok(format!("{} records ", counted.trim_end()));
    }
    let text = view("-h")?;
    let (mut records, mut bases, mut unmapped, mut others, mut references) = (0, 0, 0, 0, 0);
    let mut order = "-".to_owned();
    for line in text.split(|&b| b == b'\n').filter(|line| !line.is_empty()) {
        let fields: Vec<&[u8]> = line.split(|&b| b == b'\t').collect();
        let is_header = line[0] == b'@' && line.get(3) == Some(&b'\t');
        if is_header && line.starts_with(b"@SQ") {
            references += 1;
        } else if is_header && line.starts_with(b"@HD") {
            if let Some(value) = fields.iter().find_map(|field| field.strip_prefix(b"SO:")) {
                order = String::from_utf8_lossy(value).into_owned();
            }
        } else if !is_header && line.get(..3) != Some(b"@CO") {
            let flags: u16 = std::str::from_utf8(fields[1]).unwrap().parse().unwrap();
            records += 1;
            bases += if fields[9] == b"*" { 0 } else { fields[9].len() };
            unmapped += u32::from(flags & 4 != 0);
            others += u32::from(flags & 0x900 != 0);
        }
    }
    assert_eq!(counted, format!("{records}\n"), "{}: -c and -h disagree", row.path);
    Ok(format!(
        "{records} records, {bases} bases in SEQ, {unmapped} unmapped, {others} sec/supp, {references} @SQ, SO:{order}"
    ))
}

/// What is in compressed data in the words of the manifest.
fn decoded(row: &Row<'_>) -> Result<String, String> {
    let source = Source::open(&row.file).unwrap();
    let mut reader = Reader::new(source, &Options::default()).map_err(|e| e.to_string())?;
    let (mut sum, mut bytes) = (Sha256::new(), 0);
    loop {
        let part = reader.fill_buf().map_err(|e| e.to_string())?;
        if part.is_empty() {
            break;
        }
        sum.update(part);
        let n = part.len();
        bytes += n;
        reader.consume(n);
    }
    let sum: String = sum.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("decodes to {bytes} bytes, sha256 {sum}"))
}

/// Files of a source, and how many agree in verdict and content; others are exceptions.
#[derive(Default)]
struct Agreement {
    files: u32,
    agreed: [u32; 2],
    exceptions: u32,
}

#[test]
#[ignore = "needs the corpus"]
fn the_corpus_is_read_as_its_manifest_says() {
    let files = third_party();
    let is_asked = |file: &&ThirdParty| file.kind != "aux" && !file.kind.starts_with("index");
    let rows: Vec<Row<'_>> = files
        .iter()
        .filter(is_asked)
        .map(|ThirdParty { name, path, kind, verdict, remark }| Row {
            path: name,
            file: common::text(path),
            kind,
            verdict,
            must_say: remark,
        })
        .collect();
    let agreement: Mutex<BTreeMap<&str, Agreement>> = Mutex::default();
    let wrong = Mutex::new(Vec::new());
    let used = Mutex::new(BTreeSet::new());
    let parts = Mutex::new(rows.chunks(16));
    let work = || {
        // Out of the lock before the work begins.
        let next = || parts.lock().unwrap().next();
        let judged = std::iter::from_fn(next).flat_map(|part| part.iter().zip(verdicts(part)));
        for (row, verdict) in judged {
            let found = [(Asked::Verdict, verdict), (Asked::Content, content(row))];
            let mut agreement = agreement.lock().unwrap();
            let entry = agreement.entry(row.path.split('/').next().unwrap()).or_default();
            entry.files += 1;
            let mut excepted = false;
            for (index, (asked, result)) in found.into_iter().enumerate() {
                let Err(said) = result else {
                    entry.agreed[index] += 1;
                    continue;
                };
                let exception = EXCEPTIONS.iter().position(|(start, only, _)| {
                    row.path.starts_with(start) && only.is_none_or(|only| only == asked)
                });
                match exception {
                    Some(number) => {
                        used.lock().unwrap().insert(number);
                        excepted = true;
                    }
                    None => wrong.lock().unwrap().push(format!(
                        "{}: {asked:?}: must say {:?} ({}), said {said}",
                        row.path, row.must_say, row.verdict
                    )),
                }
            }
            entry.exceptions += u32::from(excepted);
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(2, |n| n.get());
        (0..threads).for_each(|_| drop(scope.spawn(work)));
    });
    eprintln!(
        "| source | files | verdict agrees | content agrees | exceptions |\n|---|---:|---:|---:|---:|"
    );
    let mut all = Agreement::default();
    for (source, one) in agreement.into_inner().unwrap() {
        let [verdict, content] = one.agreed;
        eprintln!("| {source} | {} | {verdict} | {content} | {} |", one.files, one.exceptions);
        all.files += one.files;
        all.agreed = [all.agreed[0] + verdict, all.agreed[1] + content];
        all.exceptions += one.exceptions;
    }
    let [verdict, content] = all.agreed;
    eprintln!("| **all** | {} | {verdict} | {content} | {} |", all.files, all.exceptions);
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} disagree:\n{}", wrong.len(), wrong.join("\n"));
    for (number, (start, ..)) in EXCEPTIONS.iter().enumerate() {
        let here = rows.iter().any(|row| row.path.starts_with(start));
        assert!(
            !here || used.lock().unwrap().contains(&number),
            "{start} is no exception any more"
        );
    }
}

/// Real files are good, in every detail.
#[test]
#[ignore = "needs the corpus"]
fn real_files_are_good() {
    let mut checked = 0;
    for entry in std::fs::read_dir(corpus("real")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "bam" || e == "gz") {
            let run = biofast(&["check", path.to_str().unwrap()]);
            let row: Vec<&str> = run.stdout.trim_end_matches('\n').split('\t').collect();
            assert_eq!((run.code, row[1], row[4]), (0, "ok", ""), "{run:?}");
            checked += 1;
        }
    }
    assert!(checked > 0);
}
