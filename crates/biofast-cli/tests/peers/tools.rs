//! The peers, and how each is run. What isn't there is a panic that names it.
#![allow(dead_code)]

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::common::Folder;

/// The program, or a panic that names it.
pub(crate) fn need(program: &str) -> Command {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&paths).any(|folder| folder.join(program).is_file());
    assert!(found, "{program} is not installed: this test compares with it");
    Command::new(program)
}

/// Runs a command that must succeed.
pub(crate) fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{command:?} ended with {}: {}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// What a program that must succeed prints.
pub(crate) fn printed(program: &str, args: &[&str]) -> String {
    String::from_utf8(run(need(program).args(args)).stdout).unwrap()
}

/// Whether seqkit is of 2.10 or later, not the 2.3 of the distribution.
pub(crate) fn is_current_seqkit() -> bool {
    let said = printed("seqkit", &["version"]);
    let minor = said.split('.').nth(1).and_then(|minor| minor.parse::<u32>().ok());
    minor.unwrap_or_else(|| panic!("{said}")) >= 10
}

/// Whether two values are one: the same text, the same number, or of seqkit from 2.10 on, which prints some shares and quartiles without
/// decimals, the nearest one.
pub(crate) fn is_value_of_seqkit(field: &str, ours: &str, theirs: &str) -> bool {
    let is_rounded = matches!(field, "Q1" | "Q2" | "Q3" | "Q20(%)" | "Q30(%)");
    match (ours.parse::<f64>(), theirs.parse::<f64>()) {
        (Ok(ours), Ok(value)) if is_rounded && !theirs.contains('.') => {
            (ours - value).abs() <= 0.5 && (ours == value || is_current_seqkit())
        }
        (Ok(ours), Ok(theirs)) => ours == theirs,
        _ => ours == theirs,
    }
}

/// What samtools prints, unless it fails. Nothing is fetched from anywhere.
pub(crate) fn samtools(args: &[&str]) -> Option<Vec<u8>> {
    let mut command = need("samtools");
    command.env("REF_PATH", "/nonexistent").env("REF_CACHE", "/nonexistent");
    let output = command.args(args).stderr(Stdio::null()).output().unwrap();
    output.status.success().then_some(output.stdout)
}

/// Versions of samtools that are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Samtools {
    /// The one of the distribution: 1.16.
    Old,
    /// [`samtools_of_pysam`].
    Now,
}

impl Samtools {
    pub(crate) const BOTH: [Samtools; 2] = [Samtools::Old, Samtools::Now];

    /// A command of this version.
    pub(crate) fn command(self, args: &[&str]) -> Command {
        let mut command = match self {
            Samtools::Old => need("samtools"),
            Samtools::Now => return samtools_of_pysam(args),
        };
        command.args(args);
        command
    }

    /// What a command that must succeed prints.
    pub(crate) fn printed(self, args: &[&str]) -> Vec<u8> {
        run(&mut self.command(args)).stdout
    }

    /// What it prints of what biofast prints: before 1.24, no line of the header says that records are a sample.
    pub(crate) fn part_of(self, ours: &[u8]) -> Vec<u8> {
        let lines = ours.split_inclusive(|&byte| byte == b'\n');
        let is_older = self == Samtools::Old;
        let has = |line: &&[u8]| !(is_older && line.starts_with(b"@CO\tSub-sampled"));
        lines.filter(has).collect::<Vec<_>>().concat()
    }
}

/// A command of samtools 1.24 as pysam 0.24 carries it, not of the one of the distribution; or of the program that `BIOFAST_SAMTOOLS` names.
pub(crate) fn samtools_of_pysam(args: &[&str]) -> Command {
    if let Some(program) = std::env::var_os("BIOFAST_SAMTOOLS") {
        let mut command = Command::new(program);
        command.args(args);
        return command;
    }
    let mut command = need("python3");
    command.arg("-c").arg(
        "import sys, tempfile\n\
         try:\n    import pysam\n\
         except ImportError:\n    sys.exit('pysam is not installed: this test compares with the samtools it carries')\n\
         import pysam.samtools\n\
         assert pysam.__samtools_version__ >= '1.24', pysam.__samtools_version__\n\
         verb, *words = sys.argv[1:]\n\
         run = getattr(pysam.samtools, {'import': 'fqimport'}.get(verb, verb))\n\
         # Where it catches standard output, it has view pass over -o, and merge takes the first file for the output.\n\
         if '-o' in words and words[words.index('-o') + 1] != '-':\n    run(*words, catch_stdout=False)\n    sys.exit()\n\
         with tempfile.NamedTemporaryFile() as out:\n\
         \x20   if '-o' in words:\n\
         \x20       words[words.index('-o') + 1] = out.name\n\
         \x20       run(*(['-f'] if verb == 'merge' else []), *words, catch_stdout=False)\n\
         \x20   else:\n\
         \x20       run(*words, save_stdout=out.name)\n\
         \x20   with open(out.name, 'rb') as printed:\n\
         \x20       sys.stdout.buffer.write(printed.read())",
    );
    command.args(args);
    command
}

/// What commands of [`samtools_of_pysam`] print, run by one process: it takes longer to start than they take. `to` is a file for it.
pub(crate) fn samtools_of_pysam_each(commands: &[Vec<&str>], to: &str) -> Vec<String> {
    if std::env::var_os("BIOFAST_SAMTOOLS").is_some() {
        let print = |words: &Vec<&str>| run(&mut samtools_of_pysam(words)).stdout;
        return commands.iter().map(|words| String::from_utf8(print(words)).unwrap()).collect();
    }
    let mut command = need("python3");
    command.arg("-c").arg(
        "import sys, pysam, pysam.samtools\n\
         assert pysam.__samtools_version__ >= '1.24', pysam.__samtools_version__\n\
         for number, words in enumerate(sys.argv[2:]):\n\
         \x20   verb, *words = words.split('\\t')\n\
         \x20   getattr(pysam.samtools, verb)(*words, '-o', f'{sys.argv[1]}.{number}', catch_stdout=False)",
    );
    run(command.arg(to).args(commands.iter().map(|words| words.join("\t"))));
    (0..commands.len())
        .map(|number| std::fs::read_to_string(format!("{to}.{number}")).unwrap())
        .collect()
}

/// Picard 3.4: `BIOFAST_PICARD` names a jar with all it needs, or the folder of jars that
/// `mvn dependency:copy-dependencies` makes of `com.github.broadinstitute:picard:3.4.0`.
pub(crate) fn picard(tool: &str) -> Command {
    let mut command = need("java");
    command
        // Runs are short: the second compiler takes longer than it saves.
        .args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx2g", "-cp"])
        .arg(picard_3())
        .args(["picard.cmdline.PicardCommandLine", tool]);
    command
}

/// Where the classes of Picard 3.4 are.
pub(crate) fn picard_3() -> PathBuf {
    let place = std::env::var_os("BIOFAST_PICARD").map(PathBuf::from);
    let place =
        place.expect("Picard 3 is not installed: BIOFAST_PICARD names its jar or folder of jars");
    if place.is_dir() { place.join("*") } else { place }
}

/// Runs tools of Picard, each named with its package (`analysis.CollectMultipleMetrics`), in one process: Java takes longer to start than
/// they take. `class_path` is that of the version.
pub(crate) fn picard_each(class_path: &OsStr, folder: &Folder, runs: &[Vec<String>]) {
    let program = "\
import java.util.*;
public class Each {
    public static void main(String[] args) throws Exception {
        Scanner lines = new Scanner(System.in);
        while (lines.hasNextLine()) {
            String[] words = lines.nextLine().split(\"\\t\");
            Object tool = Class.forName(\"picard.\" + words[0]).getDeclaredConstructor().newInstance();
            String[] rest = Arrays.copyOfRange(words, 1, words.length);
            try {
                int code = ((picard.cmdline.CommandLineProgram) tool).instanceMain(rest);
                if (code != 0) System.err.println(\"code \" + code + \": \" + words[0]);
            } catch (RuntimeException error) {
                // One that it has a fault with has no report.
                error.printStackTrace();
            }
        }
    }
}
";
    let program = folder.file("Each.java", program);
    let script = folder.file("Rscript", "#!/bin/sh\nexit 0\n");
    let set = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(script, set).unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut java = need("java");
    java.args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx2g", "-cp"]).arg(class_path);
    java.env("PATH", format!("{}:{path}", folder.path("").display())).arg(program);
    java.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut java = java.spawn().unwrap();
    let mut input = java.stdin.take().unwrap();
    runs.iter().for_each(|words| writeln!(input, "{}", words.join("\t")).unwrap());
    drop(input);
    let ended = java.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    said.lines().filter(|line| line.contains("Exception")).for_each(|line| eprintln!("{line}"));
    let last: Vec<&str> = said.lines().rev().take(30).collect();
    assert!(ended.status.success(), "{}", last.into_iter().rev().collect::<Vec<_>>().join("\n"));
}

/// Third-party files (`BIOFAST_CORPUS` names the folder with `conformance` and `real`).
///
/// # Panics
///
/// If the test's name doesn't say that it reads them: by the name `.ci/peers` leaves it out where they aren't.
pub(crate) fn corpus(file: &str) -> PathBuf {
    let thread = std::thread::current();
    // A thread of its own has no name, and with one test thread it is the main one.
    let test = thread.name().filter(|name| *name != "main").unwrap_or("corpus");
    assert!(
        ["corpus", "conformance::"].iter().any(|word| test.contains(word)),
        "{test} reads third-party files: it needs `corpus` in its name"
    );
    let folder = std::env::var_os("BIOFAST_CORPUS")
        .expect("BIOFAST_CORPUS names no folder of third-party files");
    let path = Path::new(&folder).join(file);
    assert!(path.exists(), "{} is not in the corpus", path.display());
    path
}

/// A file of `conformance`, as its manifest has it.
pub(crate) struct ThirdParty {
    /// Its path below `conformance`.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) kind: String,
    pub(crate) verdict: String,
    /// What must be said of it, or a remark.
    pub(crate) remark: String,
}

impl ThirdParty {
    /// Whether it is SAM or BAM without a fault, whose reads have no U: that is T for us and for samtools from 1.22 on, N for
    /// those before.
    pub(crate) fn is_like_samtools(&self) -> bool {
        matches!(self.kind.as_str(), "bam" | "sam")
            && self.verdict == "valid"
            && !["xx#u.sam", "seq.warn.sam"].iter().any(|name| self.name.ends_with(name))
    }

    /// Whether it is SAM, BAM or CRAM that can be read.
    pub(crate) fn is_readable(&self) -> bool {
        matches!(self.kind.as_str(), "sam" | "bam" | "cram") && self.verdict != "invalid"
    }
}

/// All files of `conformance`, in the order of the manifest.
pub(crate) fn third_party() -> Vec<ThirdParty> {
    let folder = corpus("conformance");
    let manifest = std::fs::read_to_string(folder.join("MANIFEST.tsv")).unwrap();
    let rows = manifest.lines().skip(1);
    rows.map(|line| {
        let mut cells = line.split('\t').map(str::to_owned);
        let [name, kind, verdict, remark] = [(); 4].map(|()| cells.next().unwrap_or_default());
        ThirdParty { path: folder.join(&name), name, kind, verdict, remark }
    })
    .collect()
}
