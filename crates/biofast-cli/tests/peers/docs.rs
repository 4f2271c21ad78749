//! Commands that the documentation calls the same, beside their peers.

use crate::common::docs::{Block, blocks, needs, root};
use crate::common::stage;
use crate::tools::need;

#[test]
#[ignore = "needs seqkit, seqtk, fastp, samtools and cutadapt"]
fn commands_called_the_same_print_the_same() {
    let folder = stage::stage();
    let mut compared = 0;
    for Block { page, mark, lines } in blocks() {
        let same = mark.as_deref() == Some("same");
        if lines.iter().all(|line| needs(line).is_empty()) {
            continue;
        }
        let mut last = None;
        for line in &lines {
            if line.contains("cargo ") || line.starts_with("multiqc ") {
                continue;
            }
            needs(line).into_iter().for_each(|program| drop(need(program)));
            // samtools on the path is that of Debian 12.
            let as_of_debian = "--format samtools --compat samtools=1.16 ";
            let run = stage::run(&folder, &line.replace("--format samtools ", as_of_debian));
            assert_eq!(run.code, 0, "{page}: {line}\n{}", run.stderr);
            let theirs = match same && line.starts_with("biofast") {
                true => last.take(),
                false => last.replace(run.stdout.clone()).and(None),
            };
            if let Some(theirs) = theirs {
                assert!(!run.stdout.is_empty(), "{page}: {line} prints nothing");
                assert!(run.stdout == theirs, "{page}: {line}: not the same");
                compared += 1;
            }
        }
        assert!(last.is_none() || !same, "{page}: a command without its peer");
    }
    assert!(compared >= 18, "only {compared} were compared");
}

#[test]
#[ignore = "needs samtools"]
fn every_command_of_samtools_has_a_row() {
    let help = need("samtools").arg("help").output().expect("samtools runs");
    let help = String::from_utf8(help.stdout).expect("help is text");
    let page = std::fs::read_to_string(root().join("docs/samtools.md")).expect("the page is there");
    let rows: Vec<&str> = page.lines().filter_map(|line| line.split(" | ").next()).collect();
    let commands = help.lines().filter_map(|line| line.strip_prefix("     ")?.split(' ').next());
    let mut found = 0;
    for command in commands.filter(|command| !["", "help", "version"].contains(command)) {
        let is_named = rows.iter().any(|row| row.contains(&format!("`{command}`")));
        assert!(is_named, "docs/samtools.md: {command}");
        found += 1;
    }
    assert!(found > 30, "only {found} commands");
}
