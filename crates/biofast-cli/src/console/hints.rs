//! What to do next: a line below an error, for those who see it for the first time.

use std::path::Path;

/// What errors say, and what helps then.
const HINTS: &[(&str, &str)] = &[
    ("is a directory", "name the files in it, such as FOLDER/*.fastq.gz"),
    ("Permission denied", "look at the permissions with ls -l"),
    (
        "end-of-file block is missing",
        "the file may be cut: get it again, or see with `biofast check` what is left; if it is known to be whole, \
         --allow-missing-eof accepts it",
    ),
    (
        "truncated",
        "the file is cut: get it again and compare its size, or see with `biofast check` where it ends",
    ),
    ("became shorter", "something writes to the file: wait until that is done"),
    (
        "the index doesn't fit",
        "make a new one with `biofast index FILE`, or remove it: without an index the whole file is read",
    ),
    (
        "corrupt",
        "the file is damaged: get it again and compare checksums; `biofast check` says how far it is good",
    ),
    (
        "no reference is called",
        "`biofast view -H FILE` shows the names in its @SQ lines; some files say chr1, others 1",
    ),
    (
        "have different names",
        "the files are not the mates of each other in the same order; `biofast check --paired R1 R2` looks at any two",
    ),
    (
        "has no mate",
        "one of the files is cut or was filtered alone: filter both together, as `biofast filter R1 R2 -o … --out2 …`",
    ),
    ("says it is mate", "are the files named in the right order, first reads first?"),
    (
        "--paired takes files two by two",
        "name both files of each sample, R1 then R2; if one file holds both mates, use --interleaved",
    ),
    (
        "expected BAM, found SAM",
        "`biofast view -b --write-index FILE -o FILE.bam` makes BAM and its index of it",
    ),
    (
        "expected BAM, found text that may be FASTQ",
        "an index of FASTQ needs the blocks of BGZF: `biofast filter FILE -o FILE.bgz` writes them",
    ),
    ("not FASTQ", "FASTQ begins with '@'; `biofast check FILE` says what a file holds"),
    (
        "expected a header line starting with '@'",
        "either this is no FASTQ, or a record before this line has a line too many or too few",
    ),
];

/// What helps with an error that says this.
pub(crate) fn of(error: &str) -> Option<String> {
    if let Some(output) = error.strip_prefix("can't write ") {
        return of_output(output);
    }
    if let Some((name, _)) = error.split_once(": No such file or directory") {
        return Some(match neighbour(Path::new(name)) {
            Some(other) => format!("is it {other}?"),
            None => "is the name spelt right, and is it in this folder?".into(),
        });
    }
    let (_, hint) = HINTS.iter().find(|(said, _)| error.contains(said))?;
    Some((*hint).to_owned())
}

/// What helps when this output can't be written.
fn of_output(error: &str) -> Option<String> {
    if let Some((name, _)) = error.split_once(": No such file or directory") {
        let folder = Path::new(name).parent().filter(|folder| !folder.as_os_str().is_empty())?;
        return Some(format!(
            "there is no folder {0}: make it with mkdir -p {0}",
            folder.display()
        ));
    }
    let hints = [
        ("Is a directory", "that is a folder: name a file in it"),
        ("No space left", "the disk is full: make room, or write to another one"),
        ("File too large", "files may not be that large here: see ulimit -f"),
        ("Permission denied", "write to a folder of your own"),
    ];
    hints.iter().find(|(said, _)| error.contains(said)).map(|(_, hint)| (*hint).to_owned())
}

/// The file in the same folder whose name is most like that of `path`, if one is much like it.
fn neighbour(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
    let names = entries.take(10_000).filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let (distance, found) = names.map(|other| (distance(name, &other), other)).min()?;
    let near = distance <= name.len() / 4 + 1 && !found.starts_with('.');
    near.then(|| path.with_file_name(found).display().to_string())
}

/// How many characters must be changed, put in or taken out.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_changes() {
        for (a, b, n) in [("", "abc", 3), ("R1.fq.gz", "R1.fastq.gz", 3), ("kitten", "sitting", 3)]
        {
            assert_eq!(distance(a, b), n);
            assert_eq!(distance(b, a), n);
        }
    }
}
