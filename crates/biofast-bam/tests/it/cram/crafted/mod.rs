//! CRAM put together by hand, so that any part of it can be wrong (CRAM specification, version 3). Nothing is compressed.

use libdeflater::crc32;

/// One container with one slice: by default a read of four bases, mapped to position 5 of `chr1`.
#[derive(Clone)]
pub(crate) struct Crafted {
    pub(crate) header: String,
    /// Reference, start and span of the slice.
    pub(crate) place: [i32; 3],
    pub(crate) records: i32,
    /// Data series: name, encoding, and the bytes of its blocks.
    pub(crate) series: Vec<([u8; 2], Vec<u8>)>,
    /// Tags: name and type, and encoding.
    pub(crate) tags: Vec<([u8; 3], Vec<u8>)>,
    /// External blocks.
    pub(crate) blocks: Vec<(i32, Vec<u8>)>,
    /// The id of the block with an embedded reference, or -1.
    pub(crate) embedded: i32,
}

/// ITF-8, in its longest form.
pub(crate) fn itf8(n: i32) -> Vec<u8> {
    let n = n as u32;
    let mut out = vec![0xf0 | (n >> 28) as u8];
    out.extend([(n >> 20) as u8, (n >> 12) as u8, (n >> 4) as u8, (n & 15) as u8]);
    out
}

fn encoding(kind: i32, parameters: &[u8]) -> Vec<u8> {
    [&itf8(kind)[..], &itf8(parameters.len() as i32), parameters].concat()
}

/// Values in an external block.
pub(crate) fn external(id: i32) -> Vec<u8> {
    encoding(1, &itf8(id))
}

/// Byte arrays: lengths in one block, bytes in another.
pub(crate) fn array(len: i32, bytes: i32) -> Vec<u8> {
    encoding(4, &[external(len), external(bytes)].concat())
}

/// Byte arrays up to a byte.
pub(crate) fn until(stop: u8, id: i32) -> Vec<u8> {
    encoding(5, &[&[stop][..], &itf8(id)].concat())
}

/// Any encoding by its number, with parameters.
pub(crate) fn codec(kind: i32, parameters: &[u8]) -> Vec<u8> {
    encoding(kind, parameters)
}

impl Default for Crafted {
    fn default() -> Crafted {
        let mut crafted = Crafted {
            header: "@HD\tVN:1.6\n@SQ\tSN:chr1\tLN:100\n@SQ\tSN:chr2\tLN:50\n".to_owned(),
            place: [0, 5, 4],
            records: 1,
            series: Vec::new(),
            tags: Vec::new(),
            blocks: Vec::new(),
            embedded: -1,
        };
        // Qualities are stored (1), and the mate is described (2).
        for (name, value) in [
            (b"BF", 0),
            (b"CF", 3),
            (b"RI", 0),
            (b"RL", 4),
            (b"AP", 5),
            (b"RG", -1),
            (b"MF", 0),
            (b"NS", -1),
            (b"NP", 0),
            (b"TS", 0),
            (b"NF", 0),
            (b"TL", 0),
            (b"FN", 1),
            (b"FP", 1),
            (b"DL", 0),
            (b"RS", 0),
            (b"HC", 0),
            (b"PD", 0),
            (b"MQ", 9),
        ] {
            crafted.number(name, value);
        }
        crafted.bytes(b"FC", b"b");
        crafted.bytes(b"BA", b"ACGT");
        crafted.bytes(b"QS", &[30; 4]);
        crafted.bytes(b"BS", &[0]);
        crafted.set(b"RN", until(0, 90), &[(90, b"r\0")]);
        crafted.set(b"BB", array(91, 92), &[(91, &itf8(4)), (92, b"ACGT")]);
        crafted.set(b"SC", array(93, 94), &[(93, &itf8(4)), (94, b"ACGT")]);
        crafted.set(b"IN", array(95, 96), &[(95, &itf8(4)), (96, b"ACGT")]);
        crafted.set(b"QQ", array(97, 98), &[(97, &itf8(4)), (98, &[30; 4])]);
        crafted
    }
}

impl Crafted {
    fn id(name: &[u8; 2]) -> i32 {
        i32::from(name[0]) << 8 | i32::from(name[1])
    }

    /// A series of one number, or of several.
    pub(crate) fn number(&mut self, name: &[u8; 2], value: i32) {
        self.numbers(name, &[value]);
    }

    pub(crate) fn numbers(&mut self, name: &[u8; 2], values: &[i32]) {
        let bytes: Vec<u8> = values.iter().flat_map(|&value| itf8(value)).collect();
        self.bytes(name, &bytes);
    }

    /// A series of bytes.
    pub(crate) fn bytes(&mut self, name: &[u8; 2], bytes: &[u8]) {
        let id = Crafted::id(name);
        self.set(name, external(id), &[(id, bytes)]);
    }

    /// A series with this encoding and these blocks, instead of what it had.
    pub(crate) fn set(&mut self, name: &[u8; 2], encoding: Vec<u8>, blocks: &[(i32, &[u8])]) {
        self.series.retain(|(known, _)| known != name);
        self.series.push((*name, encoding));
        for (id, bytes) in blocks {
            self.blocks.retain(|(known, _)| known != id);
            self.blocks.push((*id, bytes.to_vec()));
        }
    }

    /// A tag of the record.
    pub(crate) fn tag(&mut self, key: &[u8; 3], encoding: Vec<u8>, blocks: &[(i32, &[u8])]) {
        self.tags.push((*key, encoding));
        self.blocks.extend(blocks.iter().map(|(id, bytes)| (*id, bytes.to_vec())));
    }

    /// The file.
    pub(crate) fn file(&self) -> Vec<u8> {
        let mut out = b"CRAM\x03\x00".to_vec();
        out.extend([b'x'; 20]);
        let text = [&(self.header.len() as u32).to_le_bytes()[..], self.header.as_bytes()].concat();
        container(&block(0, 0, &text), [0, 0, 0], 0, 1, &mut out);
        let keys: Vec<u8> = self.tags.iter().flat_map(|(key, _)| *key).collect();
        let dictionary = [&keys[..], &[0]].concat();
        let mut preservation = itf8(4);
        preservation.extend(b"RN\x01AP\x00RR\x00TD");
        preservation.extend([itf8(dictionary.len() as i32), dictionary].concat());
        let mut series = itf8(self.series.len() as i32);
        for (name, encoding) in &self.series {
            series.extend([&name[..], encoding].concat());
        }
        let mut tags = itf8(self.tags.len() as i32);
        for ([a, b, kind], encoding) in &self.tags {
            let key = i32::from(*a) << 16 | i32::from(*b) << 8 | i32::from(*kind);
            tags.extend([itf8(key), encoding.clone()].concat());
        }
        let maps = [preservation, series, tags].map(|m| [itf8(m.len() as i32), m].concat());
        let mut body = block(1, 0, &maps.concat());
        let mut slice: Vec<u8> = self.place.iter().flat_map(|&n| itf8(n)).collect();
        slice.extend([itf8(self.records), vec![0]].concat());
        slice.extend([itf8(self.blocks.len() as i32 + 1), vec![0]].concat());
        slice.extend([itf8(self.embedded), vec![0; 16]].concat());
        body.extend(block(2, 0, &slice));
        body.extend(block(5, 0, b""));
        for (id, bytes) in &self.blocks {
            body.extend(block(4, *id, bytes));
        }
        let blocks = self.blocks.len() as i32 + 3;
        container(&body, self.place, self.records, blocks, &mut out);
        // The end-of-file container of version 3.
        out.extend([0x0f, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 0xe0, 0x45, 0x4f, 0x46, 0, 0, 0]);
        out.extend([0, 1, 0, 0x05, 0xbd, 0xd9, 0x4f, 0, 1, 0, 6, 6, 1, 0, 1, 0, 1, 0]);
        out.extend([0xee, 0x63, 0x01, 0x4b]);
        out
    }
}

fn block(content: u8, id: i32, data: &[u8]) -> Vec<u8> {
    let mut out = vec![0, content];
    out.extend([itf8(id), itf8(data.len() as i32), itf8(data.len() as i32)].concat());
    out.extend(data);
    out.extend(crc32(&out).to_le_bytes());
    out
}

fn container(body: &[u8], place: [i32; 3], records: i32, blocks: i32, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend((body.len() as u32).to_le_bytes());
    out.extend(place.iter().flat_map(|&n| itf8(n)));
    // The counter and the number of bases.
    out.extend([itf8(records), vec![0, 0], itf8(blocks), vec![0]].concat());
    out.extend(crc32(&out[start..]).to_le_bytes());
    out.extend(body);
}
