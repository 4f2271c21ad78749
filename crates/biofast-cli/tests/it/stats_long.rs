//! Long reads by length and quality, time and channel.
#![cfg(unix)]

use serde_json::{Value, json};

use crate::common::{Folder, good, listed, long_reads, reads};

/// What JSON says of long reads, wherever that stands.
fn long_reads_in(json: &Value) -> Option<&Value> {
    match json {
        Value::Object(fields) => {
            fields.get("long_reads").or_else(|| fields.values().find_map(long_reads_in))
        }
        Value::Array(values) => values.iter().find_map(long_reads_in),
        _ => None,
    }
}

fn stats(folder: &Folder, args: &[&str]) -> Value {
    let json: Value = serde_json::from_str(&good(folder, args).stdout).unwrap();
    long_reads_in(&json).cloned().unwrap_or_default()
}

/// A read as it was made.
struct MadeRead {
    len: u64,
    quality: u64,
    hour: String,
    channel: u64,
}

#[test]
fn long_reads_are_counted_by_length_quality_hour_and_channel() {
    let folder = Folder::new();
    let text = long_reads(400);
    folder.file("r.fq", &text);
    let found = stats(&folder, &["stats", "--json", "r.fq", "-@1"]);
    // The same from the text: length, quality, hour and channel of each read.
    let lines: Vec<&str> = text.lines().collect();
    let all = lines.chunks(4).map(|read| {
        let (_, hour) = read[0].split_once('T').unwrap();
        let (_, channel) = read[0].split_once("ch:i:").unwrap();
        let quality = u64::from(read[3].as_bytes()[0] - b'!');
        MadeRead {
            len: read[1].len() as u64,
            quality,
            hour: hour[..2].to_owned(),
            channel: channel[..1].parse().unwrap(),
        }
    });
    let all: Vec<_> = all.filter(|read| read.len >= 500).collect();
    assert_eq!(found["reads"], all.len());
    for cell in found["density"].as_array().unwrap() {
        let [from, quality, reads] = [0, 1, 2].map(|at| cell[at].as_u64().unwrap());
        let to = (from - from % (1 << (from.ilog2() - 4))) + (1 << (from.ilog2() - 4));
        let are = |read: &&MadeRead| read.quality == quality && (from..to).contains(&read.len);
        assert_eq!(all.iter().filter(are).count() as u64, reads, "{cell}");
    }
    let sums = |are: &dyn Fn(&MadeRead) -> bool| {
        let some: Vec<_> = all.iter().filter(|read| are(read)).collect();
        let bases: u64 = some.iter().map(|read| read.len).sum();
        json!([some.len(), bases, some.iter().map(|read| read.quality).sum::<u64>()])
    };
    let said = |of: &Value| json!([of["reads"], of["bases"], of["quality_sum"]]);
    let hours = found["hours"].as_array().unwrap();
    assert_eq!(hours.len(), 4);
    for hour in hours {
        let time = hour["time"].as_str().unwrap();
        assert!(time.starts_with("2023-05-12T") && time.ends_with(":00Z"), "{time}");
        assert_eq!(said(hour), sums(&|read| read.hour == time[11..13]));
        // Half of the bases are in reads of this length and more.
        let n50 = hour["n50"].as_u64().unwrap();
        let of = |longer: u64| {
            let some = all.iter().filter(|read| read.hour == time[11..13] && read.len >= longer);
            2 * some.map(|read| read.len).sum::<u64>()
        };
        let bases = hour["bases"].as_u64().unwrap();
        assert!(of(n50) >= bases && of(n50 + n50 / 15) < bases, "{n50}");
    }
    let channels = found["channels"].as_array().unwrap();
    assert_eq!(channels.len(), 7);
    for of in channels {
        assert_eq!(said(of), sums(&|read| of["channel"] == read.channel));
    }
    // On threads, in chunks, merged, from tags, and from the descriptions of other programs.
    let half = text.match_indices("@r200 ").next().unwrap().0;
    folder.file("a.fq", &text[..half]);
    folder.file("b.fq", &text[half..]);
    for file in ["a", "b"] {
        let [fastq, json] = [format!("{file}.fq"), format!("{file}.json")];
        good(&folder, &["stats", "--json", &fastq, "-o", &json]);
    }
    good(&folder, &["import", "-T", "*", "r.fq", "-o", "r.bam"]);
    let guppy = text.replace("ch:i:", "ch=").replace("\tst:Z:", " start_time=");
    folder.file("g.fq", guppy.replace("+00:00\n", "Z\n"));
    for line in [
        "stats --json r.fq -@3 --chunk-size 1024",
        "merge --json --sample r a.json b.json",
        "stats --json r.bam",
        "stats --json g.fq",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        assert!(stats(&folder, &words) == found, "{line}");
    }
}

#[test]
fn pages_show_long_reads_only_where_there_are_any() {
    let folder = Folder::new();
    let told = long_reads(50);
    let untold = told.lines().map(|line| {
        let name = line.split(' ').next().unwrap_or_default();
        if line.starts_with("@r") { format!("{name}\n") } else { format!("{line}\n") }
    });
    let untold: String = untold.collect();
    for (name, text, charts) in [
        ("told", told.clone(), &["density", "yield", "n50", "channels"][..]),
        ("untold", untold, &["density"]),
        ("short", reads("r", 50), &[]),
    ] {
        let (fastq, page) = (format!("{name}.fq"), format!("{name}.html"));
        folder.file(&fastq, text);
        good(&folder, &["stats", "--html", &page, &fastq]);
        let page = std::fs::read_to_string(folder.path(&page)).unwrap();
        for chart in ["density", "yield", "n50", "channels"] {
            let id = format!("id=\"r0-{chart}\"");
            assert_eq!(page.contains(&id), charts.contains(&chart), "{name}: {chart}");
        }
    }
    assert!(listed(&folder).contains(&"told.html".into()));
}
