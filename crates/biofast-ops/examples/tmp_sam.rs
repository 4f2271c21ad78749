use biofast_io::*;
use biofast_ops::samtools_stats::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let o = Options { threads: a[2].parse().unwrap(), ..Default::default() };
    let f = a.get(3).map(|p| biofast_bam::Fasta::open(p).unwrap());
    match SamtoolsStats::collect(Source::open(&a[1]).unwrap(), &o, f.as_ref()) {
        Ok(s) => print!("{}", s.text("0.1.0", "x")),
        Err(e) => {
            eprintln!("{e}");
            std::process::exit(2)
        }
    }
}
