//! Examples in the help that call samtools.

use crate::common::help::{commands, examples};
use crate::common::stage;
use crate::tools::need;

#[test]
#[ignore = "needs samtools"]
fn examples_that_call_samtools_run() {
    need("samtools");
    let folder = stage::stage();
    let all = commands().into_iter().flat_map(|command| examples(&command));
    let with_samtools: Vec<String> = all.filter(|line| line.contains("samtools ")).collect();
    assert!(!with_samtools.is_empty());
    for example in with_samtools {
        let run = stage::run(&folder, &example);
        assert_eq!(run.code, 0, "{example}\n{}", run.stderr);
        assert!(!run.stderr.contains("error"), "{example}\n{}", run.stderr);
    }
}
