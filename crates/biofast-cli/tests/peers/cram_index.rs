//! Indexes of CRAM beside those of `samtools index`: of what samtools writes, and of third-party files.

use biofast_testkit::sam::{self, SamShape};

use crate::common::{Folder, biofast, text};
use crate::tools::{ThirdParty, need, run, third_party};

fn samtools(words: &[&str]) -> bool {
    need("samtools").args(words).output().unwrap().status.success()
}

/// The lines of an index.
fn lines(path: &str) -> String {
    let source = biofast_io::Source::open(path).unwrap();
    let reader = biofast_io::Reader::new(source, &biofast_io::Options::default()).unwrap();
    std::io::read_to_string(reader).unwrap()
}

/// Makes both indexes of a file; their lines, if samtools makes one.
fn indexes(folder: &Folder, cram: &str) -> Option<(String, String)> {
    let theirs = text(&folder.path("theirs.crai"));
    samtools(&["index", "-o", &theirs, cram]).then(|| {
        let made = biofast(&["index", "--allow-missing-eof", cram]);
        assert_eq!(made.code, 0, "{cram}: {}", made.stderr);
        (lines(&format!("{cram}.crai")), lines(&theirs))
    })
}

#[test]
#[ignore = "needs samtools 1.16"]
fn indexes_of_what_samtools_writes() {
    let folder = Folder::new();
    let reference = folder.file("r.fa", sam::fasta(5));
    let [cram, plain] = ["x.cram", "y.cram"].map(|name| text(&folder.path(name)));
    for records in [0, 900, 32_000] {
        let shape = SamShape { records, sorted: true, longest: 150, oddities: true, seed: 5 };
        let input = folder.file("x.sam", sam::text(&shape));
        for version in ["3.0", "3.1"] {
            for more in [
                "",
                ",seqs_per_slice=700,slices_per_container=3",
                ",multi_seq_per_slice=1",
                ",embed_ref=1",
                ",no_ref=1",
            ] {
                if records > 1000 && version == "3.1" && !more.is_empty() {
                    continue; // Containers are laid out alike in both versions.
                }
                let format = format!("cram,version={version}{more}");
                run(need("samtools")
                    .args(["view", "-O", &format, "-T", &reference, "-o", &cram, &input]));
                let (ours, theirs) = indexes(&folder, &cram).unwrap();
                assert_eq!(ours, theirs, "{records} records, {format}");
                std::fs::copy(&cram, &plain).unwrap();
                for region in ["*", "chr1:1-300", "{chr2:HLA}:500000-500400", "chrUn"] {
                    let [by_index, by_scan] = [&cram, &plain]
                        .map(|file| biofast(&["flagstat", "--region", region, file]));
                    assert_eq!((by_index.code, by_index.stderr.as_str()), (0, ""), "{format}");
                    assert_eq!(by_scan.code, 0, "{format}: {}", by_scan.stderr);
                    assert_eq!(by_index.stdout, by_scan.stdout, "{records} {format} {region}");
                }
            }
        }
    }
}

#[test]
#[ignore = "needs samtools 1.16 and the corpus"]
fn indexes_of_the_corpus() {
    let folder = Folder::new();
    let (mut same, mut given) = (0, 0);
    for ThirdParty { path, .. } in third_party().into_iter().filter(|file| file.kind == "cram") {
        let cram = folder.file("x.cram", std::fs::read(&path).unwrap());
        let Some((ours, theirs)) = indexes(&folder, &cram) else { continue };
        assert_eq!(ours, theirs, "{}", path.display());
        same += 1;
        let beside = format!("{}.crai", text(&path));
        if std::path::Path::new(&beside).exists() {
            assert_eq!(ours, lines(&beside), "{beside}");
            given += 1;
        }
    }
    assert!(same > 100 && given > 10, "{same}, {given}");
}
