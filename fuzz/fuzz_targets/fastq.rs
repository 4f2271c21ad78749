//! FASTQ: the parallel reader, the plain reader and the obvious reference reader agree.
#![no_main]

use biofast_fastq::{Batch, Fold, Reader};
use biofast_fuzz::{bounded, source};
use biofast_io::Options;
use biofast_testkit::container;
use biofast_testkit::reference::{self, ReferenceRecord};
use libfuzzer_sys::fuzz_target;

/// As users read: blank lines are counted, not errors, like in the reference reader.
fn options(threads: usize, chunk: usize) -> Options {
    Options { strict: false, ..biofast_fuzz::options(threads, chunk) }
}

fn owned(record: biofast_fastq::Record<'_>) -> ReferenceRecord {
    ReferenceRecord {
        definition: record.definition().to_vec(),
        sequence: record.sequence().to_vec(),
        qualities: record.qualities().to_vec(),
    }
}

/// The records, what the writer makes of them, and the first fault.
type Found = (Vec<ReferenceRecord>, Vec<u8>, Option<String>);

fn parallel(data: &[u8], options: &Options) -> Found {
    let accept = |all: &mut Vec<(u64, ReferenceRecord, Vec<u8>)>, batch: Batch<'_>| {
        for (number, record) in (batch.first_record()..).zip(batch.iter()) {
            let mut text = Vec::new();
            biofast_fastq::write_record(&mut text, &record).expect("memory takes it");
            all.push((number, owned(record), text));
        }
    };
    let result = bounded(data.len(), || {
        Fold::new(source("x", data)).options(options).run(Vec::new, accept, |a, b| a.extend(b))
    });
    let (mut all, error) = match result {
        Ok(all) => (all, None),
        Err(fault) => (fault.so_far, Some(fault.error.to_string())),
    };
    all.sort_by_key(|(number, ..)| *number);
    let text = all.iter().flat_map(|(.., text)| text.iter().copied()).collect();
    (all.into_iter().map(|(_, record, _)| record).collect(), text, error)
}

fuzz_target!(|data: &[u8]| {
    let Some((&how, text)) = data.split_first() else { return };
    if biofast_io::Container::sniff(text) != biofast_io::Container::Plain || text.len() > 4096 {
        return;
    }
    let (expected, faulty) = reference::read(text);
    let small = 1 + usize::from(how);
    let one = parallel(text, &options(1, 1 << 16));
    assert_eq!((&one.0, one.2.is_some()), (&expected, faulty), "{:?}", one.2);
    assert_eq!(parallel(text, &options(1 + usize::from(how & 3), small)), one);
    assert_eq!(parallel(&container::bgzf(text, small), &options(3, small)), one);
    let strict = parallel(text, &biofast_fuzz::options(2, small));
    assert!(
        strict.2.is_some() || strict == one,
        "strict reading has more errors, never other records"
    );
    assert!(one.0.starts_with(&strict.0));
    let mut reader = Reader::new(source("x", text), &options(1, small)).expect("bytes at hand");
    let mut records = Vec::new();
    let error = loop {
        match reader.next_record() {
            Ok(Some(record)) => records.push(owned(record)),
            Ok(None) => break None,
            Err(error) => break Some(error.to_string()),
        }
    };
    assert_eq!((&records, &error), (&one.0, &one.2));
    assert_eq!(reference::read(&one.1), (one.0, false), "what was written reads back");
});
