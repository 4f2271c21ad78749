# pkgs.callPackage ./package.nix { }
{
  lib,
  rustPlatform,
  installShellFiles,
}:

rustPlatform.buildRustPackage {
  pname = "biofast";
  version = (lib.importTOML ../../Cargo.toml).workspace.package.version;

  src = lib.fileset.toSource {
    root = ../..;
    fileset = lib.fileset.unions [
      ../../Cargo.toml
      ../../Cargo.lock
      ../../.cargo
      ../../crates
      ../../datasets
      ../../docs
      ../../README.md
    ];
  };
  cargoLock.lockFile = ../../Cargo.lock;
  cargoBuildFlags = [
    "--package"
    "biofast-cli"
    "--features"
    "remote"
  ];
  # The tests of the program compare with other tools: `cargo test` in a clone.
  doCheck = false;

  nativeBuildInputs = [ installShellFiles ];
  postInstall = ''
    $out/bin/biofast self-test
    $out/bin/biofast man man1
    installManPage man1/*.1
    for shell in bash zsh fish; do
      $out/bin/biofast completions $shell > biofast.$shell
    done
    installShellCompletion biofast.{bash,zsh,fish}
  '';

  meta = {
    description = "Statistics, filters and checks of sequencing reads and alignments";
    homepage = "https://github.com/biofast/biofast";
    license = with lib.licenses; [
      mit
      asl20
    ];
    mainProgram = "biofast";
  };
}
