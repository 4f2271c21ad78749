//! Every field of a record agrees with what noodles reads, on any threads.

use biofast_bam::Fold;
use biofast_io::{Options, Source};
use biofast_testkit::bam;
use biofast_testkit::container::bgzf;

#[test]
fn borrowed_fields_agree_with_noodles() {
    let mut data = bam::header(&[("chr1", 1000), ("chr2", 5)]);
    bam::records(2000, 2).iter().for_each(|r| data.extend(bam::record(r)));
    let file = bgzf(&data, 1234);

    let mut expected = Vec::new();
    let mut reader = noodles_bam::io::Reader::from(&data[..]);
    reader.read_header().unwrap();
    for record in reader.records() {
        let r = record.unwrap();
        let reference = |id: Option<std::io::Result<usize>>| id.map_or(-1, |id| id.unwrap() as i32);
        expected.push((
            reference(r.reference_sequence_id()),
            reference(r.mate_reference_sequence_id()),
            u16::from(r.flags()),
            r.mapping_quality().map_or(255, u8::from),
            r.name().unwrap().to_vec(),
            r.sequence().len(),
            r.quality_scores().as_ref().to_vec(),
            r.sequence().as_ref().to_vec(),
        ));
    }
    for threads in [1, 3] {
        let options = Options { threads, chunk_size: 5000, strict: true, ..Options::default() };
        let (_, mut found) =
            Fold::new(Source::from_reader("x", std::io::Cursor::new(file.clone())))
                .options(&options)
                .run(
                    Vec::new,
                    |all, batch| {
                        all.extend((batch.first_record()..).zip(batch.iter()).map(|(n, r)| {
                            assert_eq!((r.tag_bytes().len(), r.cigar().len()), (0, 0));
                            let fields = (
                                r.reference_id(),
                                r.mate_reference_id(),
                                r.flags(),
                                r.mapping_quality(),
                                r.name().to_vec(),
                                r.sequence_len(),
                                r.qualities().to_vec(),
                                r.packed_sequence().to_vec(),
                            );
                            (n, fields)
                        }));
                    },
                    |all, other| all.extend(other),
                )
                .unwrap();
        found.sort_by_key(|(n, _)| *n);
        let found: Vec<_> = found.into_iter().map(|(_, fields)| fields).collect();
        assert_eq!(found, expected);
    }
}
