// Samples: found by their names, chosen in the table, shown in the charts of all and by themselves. What is packed is unpacked
// when it is opened.
(() => {
  // Neighbours are packed together, as they have much in common.
  const packs = new Map();
  const unpacked = (id) => {
    if (!packs.has(id)) {
      packs.set(id, (async () => {
        const bytes = Uint8Array.from(atob(document.getElementById(id).content.textContent), (letter) => letter.charCodeAt(0));
        const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
        return (await new Response(stream).text()).split("\f");
      })());
    }
    return packs.get(id);
  };
  const unpack = async (sample) => {
    const { pack, part } = sample.dataset;
    if (!pack) return;
    delete sample.dataset.pack;
    try {
      sample.insertAdjacentHTML("beforeend", (await unpacked(pack))[Number(part)]);
    } catch {
      sample.insertAdjacentHTML("beforeend", "<p>This browser can't unpack the charts: one of 2023 or later can.</p>");
    }
    sample.dispatchEvent(new CustomEvent("biofast-unpacked", { bubbles: true }));
  };
  const show = (id, open) => {
    const sample = document.getElementById(id);
    if (!(sample instanceof HTMLDetailsElement)) return;
    sample.classList.add("shown");
    if (open) sample.open = true;
  };
  for (const sample of document.querySelectorAll("details.packed")) {
    sample.addEventListener("toggle", () => { if (sample.open) unpack(sample); });
  }
  addEventListener("biofast-open", (event) => {
    show(event.detail, true);
    document.getElementById(event.detail)?.scrollIntoView();
  });

  for (const table of document.querySelectorAll("table.sortable")) {
    const rows = [...table.tBodies[0].rows];
    if (rows.length < 2) continue;
    const section = table.closest("section");
    const of = (row) => row.cells[0].querySelector("a").hash.slice(1);
    const tools = document.createElement("div");
    tools.className = "tools";
    tools.innerHTML = '<label>Find <input type="search" autocomplete="off"></label>' +
      '<button type="button" aria-pressed="false">Only chosen</button><button type="button">Choose none</button>' +
      '<button type="button">Save as TSV</button><output></output>';
    const [find, only, none, save, said] =
      [tools.querySelector("input"), ...tools.querySelectorAll("button"), tools.querySelector("output")];
    const chosen = new Set();
    const lines = new Map();
    for (const line of section.querySelectorAll("[data-s]")) {
      lines.set(line.dataset.s, [...(lines.get(line.dataset.s) ?? []), line]);
    }
    const update = () => {
      const word = find.value.trim().toLowerCase();
      const isOnly = only.getAttribute("aria-pressed") === "true";
      let seen = 0;
      for (const row of rows) {
        const id = of(row);
        const is = chosen.has(id);
        row.hidden = !row.cells[0].textContent.toLowerCase().includes(word) || (isOnly && !is);
        row.classList.toggle("chosen", is);
        seen += !row.hidden;
        for (const line of lines.get(id) ?? []) {
          line.classList.toggle("chosen", is);
          line.style.display = row.hidden ? "none" : "";
        }
      }
      section.classList.toggle("has-chosen", chosen.size > 0);
      said.textContent = (seen < rows.length ? `${seen} of ${rows.length} samples` : "") +
        (chosen.size ? `${seen < rows.length ? ", " : ""}${chosen.size} chosen` : "");
    };
    for (const row of rows) {
      const box = document.createElement("input");
      box.type = "checkbox";
      box.setAttribute("aria-label", `Choose ${row.cells[0].textContent}`);
      box.addEventListener("change", () => {
        const id = of(row);
        if (box.checked) chosen.add(id); else chosen.delete(id);
        // Of many samples those are shown that are chosen.
        if (box.checked) show(id, chosen.size === 1);
        else if (document.getElementById(id)?.classList.contains("packed")) document.getElementById(id).classList.remove("shown");
        update();
      });
      row.cells[0].prepend(box);
    }
    find.addEventListener("input", update);
    only.addEventListener("click", () => {
      only.setAttribute("aria-pressed", String(only.getAttribute("aria-pressed") !== "true"));
      update();
    });
    none.addEventListener("click", () => {
      chosen.clear();
      for (const box of table.tBodies[0].querySelectorAll("input:checked")) {
        box.checked = false;
        box.dispatchEvent(new Event("change"));
      }
      only.setAttribute("aria-pressed", "false");
      find.value = "";
      update();
    });
    save.addEventListener("click", () => {
      const heads = [...table.tHead.rows[0].cells].map((head) => head.textContent);
      const line = (row) => [...row.cells].map((cell, i) =>
        (i > 1 && cell.dataset.v !== undefined ? cell.dataset.v : cell.textContent).trim()).join("\t");
      const shown = [...table.tBodies[0].rows].filter((row) => !row.hidden);
      dispatchEvent(new CustomEvent("biofast-save", { detail:
        { name: `${table.id}.tsv`, type: "text/tab-separated-values", text: [heads.join("\t"), ...shown.map(line)].join("\n") + "\n" } }));
    });
    table.closest(".scroll").before(tools);
    // The line nearest to the pointer is that of a sample, which a click chooses.
    section.addEventListener("biofast-sample", (event) => {
      const row = rows.find((row) => of(row) === event.detail);
      row?.cells[0].querySelector("input").click();
    });
    section.nameOf = (id) => rows.find((row) => of(row) === id)?.cells[0].textContent;
  }
  // Folded samples are printed, too; packed ones if they are open.
  addEventListener("beforeprint", () => {
    document.querySelectorAll("details.sample:not(.packed)").forEach((sample) => { sample.open = true; });
  });
})();
