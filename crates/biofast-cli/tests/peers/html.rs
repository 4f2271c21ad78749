//! Pages of `--html` in a real browser.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::common::html::{EVIL, pages};
use crate::common::{Folder, biofast, text};
use crate::tools::{self, need};

/// What the browser is called here.
fn browser() -> &'static str {
    let found = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|program| {
        let mut run = need(program);
        run.arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    });
    found.expect("chromium is not installed: this test opens pages in it")
}

/// What the page's document looks like when `script` has run in a copy of it, and what was said on
/// the console.
fn run_in(browser: &str, folder: &Folder, page: &Path, script: &str) -> (Value, Vec<String>) {
    run_until_done(browser, folder, page, &format!("{script}; done();"))
}

/// The same of a script that calls `done()` when it has found what it looks for.
fn run_until_done(
    browser: &str,
    folder: &Folder,
    page: &Path,
    script: &str,
) -> (Value, Vec<String>) {
    let text = std::fs::read_to_string(page).unwrap();
    let report = "const out = document.createElement('pre'); out.id = 'found'; \
                  out.textContent = encodeURIComponent(JSON.stringify(found)); document.body.append(out);";
    let added = format!(
        "<script>{{ const found = {{}}; const done = () => {{ {report} }}; {script} }}</script></body>"
    );
    let copy = folder.file("copy.html", text.replace("</body>", &added));
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        .args(["--enable-logging=stderr", "--dump-dom", "--virtual-time-budget=20000"])
        .arg(format!("--user-data-dir={}", folder.path("profile").display()))
        .arg(format!("file://{copy}"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let console = said.lines().filter(|line| line.contains("CONSOLE")).map(str::to_owned).collect();
    let dom = String::from_utf8(output.stdout).unwrap();
    let found = dom.split_once("<pre id=\"found\">").expect("the script ran to its end").1;
    let found = found.split_once("</pre>").unwrap().0;
    let mut bytes = Vec::new();
    let mut rest = found.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next().unwrap(), rest.next().unwrap()];
                u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
            }
            byte => byte,
        });
    }
    (serde_json::from_slice(&bytes).unwrap(), console)
}

#[test]
#[ignore = "needs chromium"]
fn every_chart_has_marks_and_nothing_is_said_on_the_console() {
    let browser = browser();
    let folder = Folder::new();
    let mut all = pages(&folder);
    all.push(("many", many(&folder)));
    for (name, page) in all {
        let script = "
            const look = () => {
            const charts = [...document.querySelectorAll('figure svg[role=img]')];
            found.charts = charts.length;
            found.bare = charts.filter((svg) => ![...svg.querySelectorAll('.mark')].some((mark) => {
              const box = mark.getBBox(); return box.width > 0 || box.height > 0;
            })).map((svg) => svg.textContent.slice(0, 80));
            found.outside = charts.filter((svg) => [...svg.querySelectorAll('.mark, text')].some((mark) => {
              const box = mark.getBoundingClientRect(), frame = svg.getBoundingClientRect();
              return frame.width > 0 && (box.left < frame.left - 2 || box.right > frame.right + 2
                || box.top < frame.top - 2 || box.bottom > frame.bottom + 2);
            })).map((svg) => svg.textContent.slice(0, 80));
            const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
            found.doubled = ids.filter((id, i) => ids.indexOf(id) !== i);
            found.unnamed = charts.filter((svg) => !svg.getAttribute('aria-labelledby').split(' ')
              .every((id) => document.getElementById(id)?.textContent)).length;
            const levels = [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')]
              .map((head) => Number(head.getAttribute('aria-level') ?? head.tagName[1]));
            found.jumps = levels.filter((level, i) => i > 0 && level > levels[i - 1] + 1);
            found.wide = document.documentElement.scrollWidth > innerWidth;
            done(); };
            // Charts of many samples come when the page is there.
            const many = document.querySelector('.late');
            if (many) document.addEventListener('biofast-unpacked', look, { once: true }); else look();";
        let (found, console) = run_until_done(browser, &folder, &page, script);
        assert_eq!(console, Vec::<String>::new(), "{name}");
        assert!(found["charts"].as_u64().unwrap() > 0, "{name}");
        for problem in ["bare", "outside", "doubled", "jumps"] {
            assert_eq!(found[problem], json!([]), "{name}: {problem}");
        }
        assert_eq!((&found["unnamed"], &found["wide"]), (&json!(0), &json!(false)), "{name}");
    }
}

#[test]
#[ignore = "needs chromium"]
fn the_table_sorts_by_its_buttons_and_by_the_address() {
    let browser = browser();
    let folder = Folder::new();
    let (_, page) = pages(&folder).swap_remove(0);
    let script = "
        const table = document.getElementById('reads');
        const heads = [...table.tHead.rows[0].cells];
        const names = () => [...table.tBodies[0].rows].map((row) => row.cells[0].textContent);
        const column = (name) => heads.findIndex((head) => head.textContent === name);
        const press = (name) => heads[column(name)].querySelector('button').click();
        const sorted = () => heads.map((head) => head.getAttribute('aria-sort')).filter((s) => s !== 'none');
        found.given = names();
        found.evil = names()[0];
        found.focusable = heads.every((head) => head.querySelector('button').tabIndex === 0);
        press('Sample'); found.byName = names(); found.byNameSort = sorted();
        press('Bases'); found.byBases = names(); found.byBasesSort = sorted();
        press('Bases'); found.byBasesUp = names();
        press('Status'); press('Status'); found.byStatus = names()[0];
        location.hash = '#sort=reads,' + column('Quality of the mean error') + ',ascending';
        dispatchEvent(new HashChangeEvent('hashchange'));
        found.byQuality = names(); found.byQualitySort = sorted();
        document.getElementById('r1').open = false; location.hash = '#r1';
        dispatchEvent(new HashChangeEvent('hashchange'));
        found.opened = document.getElementById('r1').open";
    let (found, console) = run_in(browser, &folder, &page, script);
    assert_eq!(console, Vec::<String>::new());
    let evil = EVIL.replace('\n', "\\n").replace('\u{202e}', "\\u{202e}");
    let names = |names: [&str; 5]| json!(names);
    assert_eq!(found["given"], names([&evil, "10", "9", "long", "empty"]));
    assert_eq!(found["focusable"], json!(true));
    assert_eq!(found["byName"], names([&evil, "9", "10", "empty", "long"]));
    assert_eq!(found["byNameSort"], json!(["ascending"]));
    // The faulty sample has no figures: it stays at the end either way.
    assert_eq!(found["byBases"][4], json!("9"));
    assert_eq!(found["byBases"][2], json!("long"));
    assert_eq!(found["byBasesSort"], json!(["descending"]));
    assert_eq!(found["byBasesUp"][0], json!("empty"));
    assert_eq!(found["byBasesUp"][4], json!("9"));
    assert_eq!(found["byStatus"], json!("9"));
    assert_eq!(found["byQuality"][0], json!("empty"));
    assert_eq!(found["byQualitySort"], json!(["ascending"]));
    assert_eq!(found["opened"], json!(true));
}

/// A page of 30 samples, of which one is worse than the others.
fn many(folder: &Folder) -> PathBuf {
    let page = folder.path("many.html");
    let mut args = vec!["stats".to_owned(), "-q".into(), "--html".into(), text(&page)];
    for i in 0..30usize {
        let phred =
            |j: usize| if i == 17 { b'#' + (j % 3) as u8 } else { b'F' + ((i + j) % 4) as u8 };
        let read = |r: usize| {
            let base = |j: usize| b"ACGT"[(r * 7 + j * j + i * j) % 4] as char;
            let bases: String = (0..100).map(base).collect();
            let phreds: String = (0..100).map(|j| phred(j + r) as char).collect();
            format!("@r{r}\n{bases}\n+\n{phreds}\n")
        };
        args.push(folder.file(&format!("s{i:02}.fq"), (0..40).map(read).collect::<String>()));
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    assert_eq!(biofast(&args).code, 0);
    page
}

#[test]
#[ignore = "needs chromium"]
fn many_samples_are_compared_outliers_first_and_charts_are_unpacked() {
    let browser = browser();
    let folder = Folder::new();
    let page = many(&folder);
    let size = std::fs::metadata(&page).unwrap().len();
    assert!(size < 170_000, "{size} bytes: what few will open is packed");
    let script = "
        document.addEventListener('biofast-unpacked', () => {
        const table = document.getElementById('reads');
        const rows = () => [...table.tBodies[0].rows].filter((row) => !row.hidden);
        const names = () => rows().map((row) => row.cells[0].textContent);
        const tools = document.querySelector('.tools'), find = tools.querySelector('input');
        const [only, none] = tools.querySelectorAll('button');
        found.first = names().slice(0, 2);
        const frame = table.closest('.scroll').getBoundingClientRect();
        found.cut = [...table.querySelectorAll('tbody input')].filter((box) => box.getBoundingClientRect().left < frame.left).length;
        found.marked = rows()[0].querySelectorAll('td.down.far').length;
        found.heads = [...table.tHead.rows[0].cells].slice(0, 3).map((head) => head.textContent);
        found.packed = [table.querySelectorAll('tr[data-pack]').length, document.querySelectorAll('details.sample').length];
        find.value = 's1'; find.dispatchEvent(new Event('input'));
        found.matching = names().length; found.said = tools.querySelector('output').textContent;
        found.lines = [...document.querySelectorAll('#all-quality [data-s]')].filter((l) => l.style.display !== 'none').length;
        find.value = ''; find.dispatchEvent(new Event('input'));
        rows()[0].cells[0].querySelector('input').click();
        only.click(); found.only = names(); only.click();
        found.chosen = document.querySelectorAll('#all-quality .chosen, #all-gc .chosen').length;
        setTimeout(() => {
          const sample = document.getElementById('r17');
          found.open = sample.open;
          found.charts = sample.querySelectorAll('figure').length;
          const figure = document.getElementById('r17-quality'), svg = figure.querySelector('svg[role=img]');
          const box = svg.getBoundingClientRect();
          // The middle of the axis: names of lines follow it.
          const wide = Number(svg.getAttribute('viewBox').split(' ')[2]);
          const [, left, right] = svg.querySelector('path.axis').getAttribute('d').match(/^M(\\d+) .*H(\\d+)/).map(Number);
          const at = { bubbles: true, clientX: box.left + box.width * (left + right) / 2 / wide, clientY: box.top + box.height / 2 };
          svg.dispatchEvent(new PointerEvent('pointermove', at));
          found.tip = [...document.querySelectorAll('.tip span')].map((span) => span.textContent);
          found.place = Number(document.querySelector('.tip b').textContent);
          found.crossed = Boolean(svg.querySelector('.cross'));
          found.tsv = figure.biofast.tsv().split('\\n');
          const saved = new DOMParser().parseFromString(figure.biofast.svg(), 'image/svg+xml');
          found.saved = [saved.documentElement.nodeName, saved.querySelectorAll('path').length > 5];
          figure.querySelector('details.figures').open = true;
          setTimeout(() => {
            found.rows = figure.querySelectorAll('tbody tr').length;
            none.click();
            setTimeout(() => {
              found.left = [document.querySelectorAll('.chosen').length, names().length, sample.hidden];
              done();
            }, 100);
          }, 200);
        }, 1000); }, { once: true });";
    let (found, console) = run_until_done(browser, &folder, &page, script);
    assert_eq!(console, Vec::<String>::new());
    assert_eq!(found["first"], json!(["s17", "s00"]), "{found}");
    assert_eq!(found["cut"], json!(0), "boxes beyond the table's edge");
    assert!(found["marked"].as_u64().unwrap() >= 3, "{found}");
    assert_eq!(found["heads"], json!(["Sample", "Verdicts", "Reads"]));
    assert_eq!((&found["packed"], &found["matching"]), (&json!([30, 0]), &json!(10)));
    assert_eq!(found["said"], json!("10 of 30 samples"));
    assert_eq!((&found["lines"], &found["only"]), (&json!(10), &json!(["s17"])));
    assert_eq!(
        (&found["chosen"], &found["open"], &found["charts"]),
        (&json!(2), &json!(true), &json!(6))
    );
    assert_eq!(found["tip"], json!(["Position", "10 %", "25 %", "Median", "75 %", "90 %", "Mean"]));
    assert!((50.0..=51.0).contains(&found["place"].as_f64().unwrap()), "{found}");
    assert_eq!((&found["crossed"], &found["rows"]), (&json!(true), &json!(100)));
    assert_eq!(found["tsv"][0], json!("Position\t10 %\t25 %\tMedian\t75 %\t90 %\tMean"));
    assert_eq!(found["tsv"].as_array().unwrap().len(), 102);
    assert_eq!(found["saved"], json!(["svg", true]));
    assert_eq!(found["left"], json!([0, 30, true]));
}

/// What the page's script draws from figures is what is drawn for a page of one sample.
#[test]
#[ignore = "needs chromium"]
fn charts_that_were_packed_are_drawn_as_others() {
    let browser = browser();
    let folder = Folder::new();
    let page = many(&folder);
    let one = folder.path("one.html");
    let file = text(&folder.path("s17.fq"));
    assert_eq!(biofast(&["stats", "-q", "--html", one.to_str().unwrap(), &file]).code, 0);
    let marks = |page: &Path, id: &str| -> Vec<Value> {
        let script = format!(
            "dispatchEvent(new CustomEvent('biofast-open', {{ detail: '{id}' }}));
            setTimeout(() => {{
              found.marks = [...document.querySelectorAll('#{id} figure path.mark')].map((mark) => {{
                const box = mark.getBBox();
                return [box.x, box.y, box.width, box.height, mark.getTotalLength()];
              }});
              done();
            }}, 1500)"
        );
        let (found, console) = run_until_done(browser, &folder, page, &script);
        assert_eq!(console, Vec::<String>::new());
        found["marks"].as_array().unwrap().clone()
    };
    let (packed, plain) = (marks(&page, "r17"), marks(&one, "r0"));
    assert!(plain.len() >= 14, "{} marks", plain.len());
    assert_eq!(packed.len(), plain.len());
    for (packed, plain) in packed.iter().zip(&plain) {
        for at in 0..5 {
            let [a, b] = [packed, plain].map(|mark| mark[at].as_f64().unwrap());
            // Figures are rounded, which the length of a path of 100 points adds up.
            let near = if at == 4 { 2.0 + b / 50.0 } else { 0.6 };
            assert!((a - b).abs() <= near, "{packed} is not {plain}");
        }
    }
}

/// `npm install axe-core` in a folder that `BIOFAST_AXE` names, or in `target/axe`.
fn axe() -> String {
    let folder = std::env::var("BIOFAST_AXE")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/axe").into());
    std::fs::read_to_string(format!("{folder}/node_modules/axe-core/axe.min.js"))
        .expect("axe-core is not installed (npm install --prefix target/axe axe-core)")
}

#[test]
#[ignore = "needs chromium and axe-core"]
fn axe_finds_nothing_that_keeps_anybody_out() {
    let (browser, axe) = (browser(), axe());
    let folder = Folder::new();
    let mut all = pages(&folder);
    all.push(("many", many(&folder)));
    for (name, page) in all {
        // All that can be unfolded is looked at, too.
        let script = format!(
            "{axe}; document.querySelectorAll('details:not(.packed)').forEach((d) => {{ d.open = true; }});
            document.querySelector('.sortable tbody input')?.click();
            setTimeout(async () => {{
              const results = await axe.run(document, {{ resultTypes: ['violations'] }});
              found.violations = results.violations.map((v) => [v.id, v.nodes.map((n) => n.html.slice(0, 200))]);
              found.passed = results.passes.length;
              done();
            }}, 1500)"
        );
        let (found, _) = run_until_done(browser, &folder, &page, &script);
        assert_eq!(found["violations"], json!([]), "{name}");
        assert!(found["passed"].as_u64().unwrap() > 15, "{name}: {found}");
    }
}

/// Pictures of all pages, wide and narrow, light and dark; they are kept where `BIOFAST_SCREENSHOTS` names a folder.
#[test]
#[ignore = "needs chromium"]
fn pages_are_drawn_wide_and_narrow_light_and_dark() {
    let browser = browser();
    let folder = Folder::new();
    let kept = std::env::var("BIOFAST_SCREENSHOTS").ok();
    let mut all = pages(&folder);
    all.push(("many", many(&folder)));
    for (name, page) in all {
        let mut pictures = Vec::new();
        for (look, size, dark) in [
            ("wide", "1280,2400", false),
            ("narrow", "420,2400", false),
            ("dark", "1280,2400", true),
        ] {
            let picture = match &kept {
                Some(folder) => format!("{folder}/{name}-{look}.png"),
                None => text(&folder.path("picture.png")),
            };
            let mut run = Command::new(browser);
            run.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
                .args(["--hide-scrollbars", "--virtual-time-budget=3000"])
                .arg(format!("--user-data-dir={}", folder.path("profile").display()))
                .arg(format!("--window-size={size}"))
                .arg(format!("--screenshot={picture}"));
            if dark {
                run.args(["--force-dark-mode", "--blink-settings=preferredColorScheme=0"]);
            }
            tools::run(run.arg(format!("file://{}", page.display())));
            let bytes = std::fs::read(&picture).unwrap();
            // An empty page takes a few kilobytes.
            assert!(bytes.len() > 30_000, "{name} {look}: {} bytes", bytes.len());
            pictures.push(bytes);
        }
        assert!(pictures[0] != pictures[2], "{name}: dark is another picture");
    }
}
