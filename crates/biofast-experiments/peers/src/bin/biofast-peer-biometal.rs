//! Counts with biometal: one thread parses, BGZF is inflated by several.

use anyhow::{Context as _, Result};
use biofast_peers::{Counted, run};
use biometal::FastqStream;
use biometal::io::bam::BamReader;

fn main() -> Result<()> {
    run("biometal", |call| {
        rayon::ThreadPoolBuilder::new().num_threads(call.threads).build_global()?;
        let mut counted = Counted::default();
        if call.file.extension().is_some_and(|extension| extension == "bam") {
            let mut reader = BamReader::from_path(&call.file).context("cannot open the file")?;
            for record in reader.records() {
                counted.add(record?.sequence.len());
            }
        } else {
            for record in FastqStream::from_path(&call.file)? {
                counted.add(record?.sequence.len());
            }
        }
        Ok(counted)
    })
}
