# brew install --build-from-source ./biofast.rb
class Biofast < Formula
  desc "Statistics, filters and checks of sequencing reads and alignments"
  homepage "https://github.com/biofast/biofast"
  url "https://github.com/biofast/biofast/archive/refs/tags/v0.2.0.tar.gz"
  # Of the tag's archive: known when the tag is there (docs/releasing.md).
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license any_of: ["MIT", "Apache-2.0"]
  head "https://github.com/biofast/biofast.git", branch: "main"

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args(path: "crates/biofast-cli", features: "remote")
    system bin/"biofast", "man", man1
    generate_completions_from_executable(bin/"biofast", "completions", shells: [:bash, :zsh, :fish])
  end

  test do
    (testpath/"reads.fq").write "@r\nACGT\n+\nIIII\n"
    assert_match "reads.fq\tFASTQ\tDNA\t1\t4", shell_output("#{bin}/biofast stats -T reads.fq")
    (testpath/"cut.fq").write "@r\nACGT\n+\nII"
    assert_match "cut.fq", shell_output("#{bin}/biofast check cut.fq 2>&1", 1)
  end
end
