//! The append-only store of entries 046 to 050 when its process is killed: the laboratory's own program is the child.

use std::path::Path;
use std::process::Command;

use biofast_experiments::systems::store::Store;
use biofast_experiments::systems::store::crash;

fn child(seed: u64, sync: u32) -> impl FnMut(&Path, u64) -> Command {
    move |path, next| {
        let cell = format!("fault=writer,store=framed,seed={seed},next={next},sync={sync}");
        let mut command = Command::new(env!("CARGO_BIN_EXE_biofast-lab"));
        command.args(["cell", "050", &cell, "--scale", "quick", "--dir", "."]);
        command.arg("--scratch").arg(path);
        command
    }
}

#[test]
fn what_a_killed_process_wrote_or_synced_is_there() {
    let dir = tempfile::tempdir().expect("directory");
    for sync in [0, 100] {
        let folder = dir.path().join(sync.to_string());
        std::fs::create_dir(&folder).expect("folder");
        let tally = crash::kill::<Store>(&folder, 11, 25, child(11, sync)).expect("runs");
        assert_eq!((tally.cases, tally.lost, tally.wrong), (25, 0, 0), "{tally:?}");
    }
}
