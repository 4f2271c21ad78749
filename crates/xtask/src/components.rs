//! What the program is made of: the packages that are linked into it, as a list for machines and with their licences for people.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::{cargo, output};

/// A package that is linked into the program.
pub(crate) struct Component {
    name: String,
    version: String,
    /// An SPDX expression.
    licence: String,
    /// Where its sources are.
    folder: PathBuf,
    /// Of the workspace itself.
    is_ours: bool,
}

/// The packages that `biofast` of a target [default: all targets] is made of, sorted: normal dependencies, not those of tests, build
/// scripts or macros' own.
pub(crate) fn of_program(root: &Path, target: Option<&str>) -> Result<Vec<Component>> {
    let mut command = cargo(root);
    command.args([
        "metadata", "--format-version", "1", "--locked", "--features", "biofast-cli/remote",
    ]);
    if let Some(target) = target {
        command.args(["--filter-platform", target]);
    }
    let metadata: Value = serde_json::from_str(&output(&mut command)?)?;
    let mut packages = BTreeMap::new();
    for package in list(&metadata, "/packages") {
        packages.insert(text(package, "/id"), package);
    }
    let mut needs = BTreeMap::new();
    for node in list(&metadata, "/resolve/nodes") {
        let of_program = list(node, "/deps").iter().filter(|dependency| {
            list(dependency, "/dep_kinds").iter().any(|kind| kind["kind"].is_null())
        });
        needs
            .insert(text(node, "/id"), of_program.map(|dep| text(dep, "/pkg")).collect::<Vec<_>>());
    }
    let program = packages
        .iter()
        .find(|(_, package)| package["name"] == "biofast-cli")
        .map(|(id, _)| id.clone())
        .context("no package biofast-cli")?;
    let (mut open, mut seen) = (vec![program], BTreeSet::new());
    while let Some(id) = open.pop() {
        if seen.insert(id.clone()) {
            open.extend(needs.get(&id).into_iter().flatten().cloned());
        }
    }
    let mut components: Vec<Component> = seen.iter().map(|id| component(packages[id])).collect();
    components.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(components)
}

fn component(package: &Value) -> Component {
    let manifest = PathBuf::from(text(package, "/manifest_path"));
    Component {
        name: text(package, "/name"),
        version: text(package, "/version"),
        licence: text(package, "/license").replace('/', " OR "),
        folder: manifest.parent().map(Path::to_path_buf).unwrap_or_default(),
        is_ours: package["source"].is_null(),
    }
}

fn list<'v>(value: &'v Value, pointer: &str) -> &'v [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A CycloneDX 1.5 document without a time and a serial number, so that it is the same in every build.
pub(crate) fn sbom(root: &Path, components: &[Component]) -> Result<Value> {
    let sums = checksums(&fs::read_to_string(root.join("Cargo.lock"))?);
    let entry = |component: &Component| {
        let Component { name, version, licence, .. } = component;
        let purl = format!("pkg:cargo/{name}@{version}");
        let mut entry = json!({
            "type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl,
            "licenses": [{ "expression": licence }],
        });
        if let Some(sum) = sums.get(&(name.clone(), version.clone())) {
            entry["hashes"] = json!([{ "alg": "SHA-256", "content": sum }]);
        }
        entry
    };
    let program = components.iter().find(|c| c.name == "biofast-cli").context("no biofast-cli")?;
    let mut main = entry(program);
    main["type"] = "application".into();
    let others = components.iter().filter(|component| component.name != "biofast-cli");
    Ok(json!({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": { "component": main },
        "components": others.map(entry).collect::<Vec<_>>(),
    }))
}

/// Checksums of packages in a lock file, by name and version.
fn checksums(lock: &str) -> BTreeMap<(String, String), String> {
    let mut sums = BTreeMap::new();
    for package in lock.split("[[package]]").skip(1) {
        let field = |name: &str| {
            let line =
                package.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "));
            line.map(|value| value.trim_matches('"').to_owned())
        };
        if let (Some(name), Some(version), Some(sum)) =
            (field("name"), field("version"), field("checksum"))
        {
            sums.insert((name, version), sum);
        }
    }
    sums
}

/// The licences of everything that isn't ours, text by text: each text once, below the packages it is of.
pub(crate) fn licences(components: &[Component]) -> Result<String> {
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut summary = String::new();
    for component in components.iter().filter(|component| !component.is_ours) {
        let Component { name, version, licence, .. } = component;
        summary.push_str(&format!("{name} {version}: {licence}\n"));
        for file in licence_files(&component.folder)? {
            let text = fs::read(&file).with_context(|| format!("can't read {}", file.display()))?;
            let text = String::from_utf8_lossy(&text).replace("\r\n", "\n");
            texts.entry(text).or_default().push(format!("{name} {version}"));
        }
    }
    let mut page = format!(
        "biofast contains the following packages. Their licences are below; those whose sources bring no text of it are only listed.\n\n{summary}"
    );
    let mut texts: Vec<(Vec<String>, String)> =
        texts.into_iter().map(|(text, owners)| (owners, text)).collect();
    texts.sort();
    for (mut owners, text) in texts {
        owners.dedup();
        let line = "-".repeat(80);
        page.push_str(&format!("\n{line}\n{}\n{line}\n\n{}\n", owners.join(", "), text.trim()));
    }
    Ok(page)
}

/// Files of a package, and of the C sources it brings, that hold its licence.
fn licence_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![(folder.to_path_buf(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let entries = fs::read_dir(&folder);
        for entry in entries.with_context(|| format!("can't read {}", folder.display()))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().to_uppercase();
            if entry.file_type()?.is_dir() {
                // `libdeflate-sys/libdeflate`, `zstd-sys/zstd`, `liblzma-sys/xz`
                if depth == 0 && !["SRC", "TESTS", "BENCHES", "EXAMPLES"].contains(&name.as_str()) {
                    folders.push((entry.path(), 1));
                }
            } else if ["LICENSE", "LICENCE", "COPYING", "UNLICENSE", "NOTICE"]
                .iter()
                .any(|start| name.starts_with(start))
            {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_linked_is_listed_with_licence_and_checksum_and_what_tests_need_is_not() -> Result<()>
    {
        let root = crate::root()?;
        let components = of_program(&root, Some("x86_64-unknown-linux-musl"))?;
        let names: Vec<&str> = components.iter().map(|c| c.name.as_str()).collect();
        for linked in ["biofast-kernels", "libdeflate-sys", "clap", "zstd-sys"] {
            assert!(names.contains(&linked), "{linked}");
        }
        for other in ["proptest", "biofast-testkit", "noodles-bgzf-tests", "boon", "cc"] {
            assert!(!names.contains(&other), "{other}");
        }
        assert!(components.iter().all(|component| !component.licence.is_empty()));
        let sbom = sbom(&root, &components)?;
        assert_eq!(sbom["metadata"]["component"]["name"], "biofast-cli");
        let listed = list(&sbom, "/components");
        assert_eq!(listed.len(), components.len() - 1);
        let foreign = components.iter().filter(|component| !component.is_ours).count();
        assert_eq!(listed.iter().filter(|entry| entry.get("hashes").is_some()).count(), foreign);
        Ok(())
    }

    #[test]
    fn texts_of_licences_are_there_of_c_sources_too() -> Result<()> {
        let components = of_program(&crate::root()?, None)?;
        let page = licences(&components)?;
        assert!(page.contains("Eric Biggers"), "libdeflate's");
        assert!(page.contains("Meta Platforms") || page.contains("Facebook"), "zstd's");
        assert!(!page.contains("\nbiofast-"));
        Ok(())
    }
}
