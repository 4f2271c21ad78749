//! The public items of the crate `biofast` are those listed in docs/api: `cargo ci-api` compares, `cargo renew-api` writes the list anew.
//!
//! rustdoc says which items there are and where in the source (`--output-format json`, unstable, so that it runs with
//! `RUSTC_BOOTSTRAP`); their signatures are cut out of the source. Only what rarely changes in that format is looked at.
//! What the crate re-exports is looked up in the crate that it comes from, and listed by its path in `biofast`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The crate that is listed, and those whose items it re-exports.
const CRATES: [&str; 7] = [
    "biofast", "biofast-kernels", "biofast-io", "biofast-fastq", "biofast-bam", "biofast-remote",
    "biofast-ops",
];

/// Traits that no caller has to know: unstable ones, and those about panics.
const COMPILERS: [&str; 5] =
    ["Freeze", "RefUnwindSafe", "StructuralPartialEq", "UnsafeUnpin", "UnwindSafe"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Of each crate what rustdoc found, all in one build. In a folder of its own: who looks at `RUSTC_BOOTSTRAP` would be compiled
/// anew each time.
fn rustdoc() -> Vec<Value> {
    let target = root().join("target/api");
    let status = Command::new(env!("CARGO"))
        .args(["doc", "--quiet", "--locked", "--lib", "--no-deps", "--all-features"])
        .args(CRATES.iter().flat_map(|name| ["--package", name]))
        .arg("--target-dir")
        .arg(&target)
        .env("RUSTDOCFLAGS", "-Zunstable-options --output-format=json --cap-lints=allow")
        .env("RUSTC_BOOTSTRAP", "1")
        // Nothing is linked: C libraries needn't be compiled.
        .envs(["CC", "AR"].map(|name| (name, root().join(".ci/stubcc"))))
        .current_dir(root())
        .status();
    assert!(status.unwrap().success(), "rustdoc");
    let file = |name: &str| target.join("doc").join(format!("{}.json", name.replace('-', "_")));
    CRATES
        .iter()
        .map(|n| serde_json::from_slice(&std::fs::read(file(n)).unwrap()).unwrap())
        .collect()
}

/// A type as it is written, without the ids of rustdoc, which change with any item.
fn type_text(of: &Value) -> String {
    let path = &of["resolved_path"];
    if let Some(name) = of["generic"].as_str().or(of["primitive"].as_str()) {
        name.to_owned()
    } else if let Some(name) = path["path"].as_str() {
        let name = name.rsplit("::").next().unwrap();
        match path["args"]["angle_bracketed"]["args"].as_array() {
            Some(args) if !args.is_empty() => {
                let args: Vec<String> = args.iter().map(|arg| type_text(&arg["type"])).collect();
                format!("{name}<{}>", args.join(", "))
            }
            _ => name.to_owned(),
        }
    } else if let Some(borrowed) = of["borrowed_ref"].as_object() {
        let lifetime =
            borrowed["lifetime"].as_str().map_or(String::new(), |name| format!("{name} "));
        let mutable = if borrowed["is_mutable"] == true { "mut " } else { "" };
        format!("&{lifetime}{mutable}{}", type_text(&borrowed["type"]))
    } else {
        panic!("a type of a new kind in a macro's function: {of}")
    }
}

struct Listing<'a> {
    found: &'a [Value],
    /// The crate whose items are listed now, an index into `found`.
    of: usize,
    /// Crate and id of what is defined under this path, of this kind.
    defined: BTreeMap<(String, String), (usize, Value)>,
    sources: BTreeMap<String, String>,
    /// Where each item of each crate was listed first.
    seen: BTreeMap<(usize, String), String>,
    /// What is re-exported: the path of the module, the crate, and the item `use`.
    uses: Vec<(String, usize, &'a Value)>,
    lines: Vec<String>,
}

/// The kind of an item, and what is said of that kind.
fn kind(item: &Value) -> (&str, &Value) {
    let (kind, inner) = item["inner"].as_object().unwrap().iter().next().unwrap();
    (kind, inner)
}

/// Path and kind of an item.
fn place(summary: &Value) -> (String, String) {
    (summary["path"].to_string(), summary["kind"].to_string())
}

impl<'a> Listing<'a> {
    fn item(&self, id: &Value) -> Option<&'a Value> {
        self.found[self.of]["index"].get(id.to_string())
    }

    /// Crate and id of what this crate calls `id`, if it is one of ours.
    fn definition(&self, id: &Value) -> Option<(usize, Value)> {
        if self.item(id).is_some() {
            return Some((self.of, id.clone()));
        }
        self.defined.get(&place(&self.found[self.of]["paths"][id.to_string()])).cloned()
    }

    /// The item's text in the source up to one of `ends`, in one line and without comments.
    fn text(&mut self, item: &Value, ends: &[char]) -> String {
        let span = &item["span"];
        let Some(file) = span["filename"].as_str() else { return String::new() };
        let source = self
            .sources
            .entry(file.to_owned())
            .or_insert_with(|| std::fs::read_to_string(root().join(file)).unwrap());
        let at = |place: &Value| {
            let line = place[0].as_u64().unwrap() as usize - 1;
            let before: usize = source.split_inclusive('\n').take(line).map(str::len).sum();
            let column = place[1].as_u64().unwrap() as usize - 1;
            let text = source[before..].chars().take(column).map(char::len_utf8).sum::<usize>();
            before + text
        };
        let (from, to) = (at(&span["begin"]), at(&span["end"]));
        let text = &source[from..to];
        let text = text.lines().map(|line| line.split("//").next().unwrap_or_default().trim());
        let text = text.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
        let text = text.split(|c| ends.contains(&c)).next().unwrap_or_default();
        let text = text.trim().trim_end_matches([';', ',']);
        text.replace("( ", "(").replace(", )", ")").replace(",)", ")").replace(", >", ">")
    }

    fn line(&mut self, path: &str, item: &Value, text: &str) {
        let attributes = item["attrs"].to_string();
        let mut line = format!("{path}: ");
        for (attribute, shown) in [
            ("non_exhaustive", "#[non_exhaustive] "),
            ("MustUse", "#[must_use] "),
            ("must_use", "#[must_use] "),
        ] {
            line += if attributes.contains(attribute) { shown } else { "" };
        }
        self.lines.push(line + text);
    }

    fn module(&mut self, path: &str, module: &'a Value) {
        for id in module["items"].as_array().unwrap() {
            let Some(item) = self.item(id) else { continue };
            match kind(item).0 {
                "use" => self.uses.push((path.to_owned(), self.of, item)),
                _ => self.add(path, item["name"].as_str().unwrap(), id),
            }
        }
    }

    /// Re-exported items, and those re-exported by them.
    fn all_uses(&mut self) {
        while let Some((path, of, item)) = self.uses.pop() {
            self.of = of;
            let used = kind(item).1;
            let (name, source) = (used["name"].as_str().unwrap(), used["source"].as_str().unwrap());
            let Some((of, id)) = self.definition(&used["id"]) else {
                self.line(&format!("{path}::{name}"), item, &format!("pub use {source}"));
                continue;
            };
            self.of = of;
            match self.item(&id) {
                Some(module) if used["is_glob"] == true => self.module(&path, kind(module).1),
                _ => self.add(&path, name, &id),
            }
        }
    }

    fn add(&mut self, path: &str, name: &str, id: &Value) {
        let Some(item) = self.item(id) else { return };
        let path = format!("{path}::{name}");
        if let Some(first) = self.seen.get(&(self.of, id.to_string())) {
            let text = format!("pub use {first}");
            return self.line(&path, item, &text);
        }
        self.seen.insert((self.of, id.to_string()), path.clone());
        let (kind, inner) = kind(item);
        match kind {
            "module" => {
                self.line(&path, item, "pub mod");
                self.module(&path, inner);
            }
            "struct" | "union" => {
                let text = self.text(item, &['{', '(']);
                let is_open = inner.to_string().contains("\"has_stripped_fields\":false");
                let is_open = is_open
                    || inner["kind"]["tuple"]
                        .as_array()
                        .is_some_and(|fields| !fields.contains(&Value::Null));
                self.line(&path, item, &(text + if is_open { "" } else { " (private fields)" }));
                self.fields(&path, &inner["kind"]["plain"]);
                self.fields(&path, &inner["kind"]);
            }
            "enum" => {
                let text = self.text(item, &['{']);
                self.line(&path, item, &text);
                for id in inner["variants"].as_array().unwrap() {
                    let Some(variant) = self.item(id) else { continue };
                    let path = format!("{path}::{}", variant["name"].as_str().unwrap());
                    let text = self.text(variant, &['{', '=']);
                    self.line(&path, variant, &text);
                    self.fields(&path, &self::kind(variant).1["kind"]["struct"]);
                }
            }
            "trait" => {
                let text = self.text(item, &['{']);
                self.line(&path, item, &text);
                self.members(&path, &inner["items"]);
            }
            "constant" | "static" => {
                let text = self.text(item, &['=']);
                self.line(&path, item, &text);
            }
            "function" => self.function(&path, item),
            _ => {
                let text = self.text(item, &[]);
                self.line(&path, item, &text);
            }
        }
        if kind != "trait" && !inner["impls"].is_null() {
            self.impls(&path, &inner["impls"]);
        }
    }

    fn function(&mut self, path: &str, item: &Value) {
        let mut text = self.text(item, &['{']);
        if !text.contains("fn ") {
            // Made by a macro: what rustdoc says of the types will do.
            let sig = &kind(item).1["sig"];
            let inputs = sig["inputs"].as_array().unwrap().iter();
            let inputs: Vec<String> = inputs
                .map(|input| format!("{}: {}", input[0].as_str().unwrap(), type_text(&input[1])))
                .collect();
            text = format!("fn({}) -> {}", inputs.join(", "), type_text(&sig["output"]));
        }
        self.line(path, item, &text);
    }

    /// The public fields of a struct, or of a variant; a variant's without names are part of its text.
    fn fields(&mut self, path: &str, kind: &Value) {
        let fields = [&kind["fields"], &kind["tuple"]];
        for id in fields.into_iter().filter_map(Value::as_array).flatten() {
            if let Some(field) = self.item(id).filter(|field| !field["span"].is_null()) {
                let text = self.text(field, &[]);
                let path = format!("{path}.{}", field["name"].as_str().unwrap());
                self.line(&path, field, &text);
            }
        }
    }

    fn members(&mut self, path: &str, items: &Value) {
        for id in items.as_array().unwrap() {
            let Some(item) = self.item(id) else { continue };
            let path = format!("{path}::{}", item["name"].as_str().unwrap());
            match kind(item) {
                ("function", _) => self.function(&path, item),
                _ => {
                    let text = self.text(item, &['=']);
                    self.line(&path, item, &text);
                }
            }
        }
    }

    /// The methods of a type, and the traits it has.
    fn impls(&mut self, path: &str, impls: &Value) {
        let mut traits = Vec::new();
        for id in impls.as_array().unwrap() {
            let Some(item) = self.item(id) else { continue };
            let inner = kind(item).1;
            let Some(of) = inner["trait"]["path"].as_str() else {
                self.members(path, &inner["items"]);
                continue;
            };
            let name = of.rsplit("::").next().unwrap();
            if !inner["blanket_impl"].is_null() || COMPILERS.contains(&name) {
                continue;
            }
            let not = if inner["is_negative"] == true { "!" } else { "" };
            match inner["trait"]["args"].is_null() {
                true => traits.push(format!("{not}{name}")),
                false => {
                    let text = self.text(item, &['{']);
                    self.lines.push(format!("{path}: {text}"));
                }
            }
            for id in inner["items"].as_array().unwrap() {
                let Some(item) = self.item(id).filter(|item| kind(item).0 == "assoc_type") else {
                    continue;
                };
                let text = self.text(item, &[]);
                self.lines.push(format!("{path}: {name} with {text}"));
            }
        }
        traits.sort();
        traits.dedup();
        self.lines.push(format!("{path}: impl {}", traits.join(", ")));
    }
}

/// The public items of the crate, one a line, sorted by path.
fn listing() -> String {
    let found = rustdoc();
    let mut defined = BTreeMap::new();
    for (of, found) in found.iter().enumerate() {
        for (id, summary) in found["paths"].as_object().unwrap() {
            if summary["crate_id"] == 0 {
                defined.insert(place(summary), (of, serde_json::from_str(id).unwrap()));
            }
        }
    }
    let mut listing = Listing {
        found: &found,
        of: 0,
        defined,
        sources: BTreeMap::new(),
        seen: BTreeMap::new(),
        uses: Vec::new(),
        lines: Vec::new(),
    };
    let module = &found[0]["index"][found[0]["root"].to_string()];
    listing.module(CRATES[0], kind(module).1);
    listing.all_uses();
    listing.lines.sort();
    listing.lines.dedup();
    listing.lines.join("\n") + "\n"
}

fn file() -> PathBuf {
    root().join("docs/api").join(format!("{}.txt", CRATES[0]))
}

#[test]
#[ignore = "compiles all libraries for rustdoc: cargo ci-api"]
fn is_as_listed() {
    let known = std::fs::read_to_string(file()).unwrap_or_default();
    let found = listing();
    let is_in = |text: &str, line: &str| text.lines().any(|other| other == line);
    let gone = known.lines().filter(|l| !is_in(&found, l)).map(|l| format!("-{l}"));
    let new = found.lines().filter(|l| !is_in(&known, l)).map(|l| format!("+{l}"));
    let changes: Vec<String> = gone.chain(new).collect();
    assert!(
        changes.is_empty(),
        "public items differ from docs/api; if that is meant, run `cargo renew-api` and say in the commit \
         what changes for callers:\n{}",
        changes.join("\n")
    );
}

#[test]
#[ignore = "writes docs/api: cargo renew-api"]
fn renew() {
    std::fs::create_dir_all(root().join("docs/api")).unwrap();
    std::fs::write(file(), listing()).unwrap();
}
