// Samples: found by their names, chosen in the table, shown in the charts of all and by themselves. What is packed is unpacked
// when it is asked for.
(() => {
  // Neighbours are packed together, as they have much in common.
  const packs = new Map();
  const unpacked = (id) => {
    if (!packs.has(id)) {
      packs.set(id, (async () => {
        const bytes = Uint8Array.from(atob(document.getElementById(id).content.textContent), (letter) => letter.charCodeAt(0));
        const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
        // Bodies are cut before each chart: the numbers of their pieces, then the first ones of all, the second ones, and so on.
        const [numbers, ...pieces] = (await new Response(stream).text()).split("\f");
        const bodies = numbers.split(" ").map((number) => ({ left: Number(number), text: "" }));
        let next = 0;
        while (next < pieces.length) {
          for (const body of bodies) {
            if (body.left-- > 0) body.text += pieces[next++];
          }
        }
        return bodies.map((body) => body.text);
      })());
    }
    return packs.get(id);
  };
  // Puts what `from` names at the end of `into`; gives the element that was put there.
  const unpack = async (from, into) => {
    const { pack, part } = from.dataset;
    try {
      const text = (await unpacked(pack))[Number(part)];
      into.insertAdjacentHTML("beforeend", text);
    } catch {
      into.insertAdjacentHTML("beforeend", "<p>This browser can't unpack the charts: one of 2023 or later can.</p>");
    }
    return into.lastElementChild;
  };
  const tell = (element) => element.dispatchEvent(new CustomEvent("biofast-unpacked", { bubbles: true }));
  // Samples that are shown of those that are packed, and the rows that name them.
  const shown = new Map();
  const row = (id) => document.querySelector(`tr[data-pack] a[href="#${CSS.escape(id)}"]`)?.closest("tr");
  const show = async (id, open) => {
    const from = row(id);
    if (!from) {
      if (open && document.getElementById(id) instanceof HTMLDetailsElement) document.getElementById(id).open = true;
      return;
    }
    shown.set(id, true);
    if (!from.unpacked) {
      from.unpacked = unpack(from, from.closest("section").querySelector(".unpacked")).then((sample) => {
        sample.open = open;
        tell(sample);
        return sample;
      });
    }
    const sample = await from.unpacked;
    sample.hidden = !shown.get(id);
    if (open) sample.open = true;
  };
  const hide = async (id) => {
    const from = row(id);
    if (!from?.unpacked) return;
    shown.set(id, false);
    (await from.unpacked).hidden = !shown.get(id);
  };
  addEventListener("biofast-open", async (event) => {
    await show(event.detail, true);
    document.getElementById(event.detail)?.scrollIntoView();
  });
  // The charts of all samples come when the page is there.
  const late = async () => {
    for (const joint of document.querySelectorAll(".late[data-pack]")) tell(await unpack(joint, joint));
  };
  addEventListener("load", () => setTimeout(late));

  for (const table of document.querySelectorAll("table.sortable")) {
    const rows = [...table.tBodies[0].rows];
    if (rows.length < 2) continue;
    const section = table.closest("section");
    const of = (row) => row.cells[0].querySelector("a").hash.slice(1);
    const byId = new Map(rows.map((row) => [of(row), row]));
    const tools = document.createElement("div");
    tools.className = "tools";
    tools.innerHTML = '<label>Find <input type="search" autocomplete="off"></label>' +
      '<button type="button" aria-pressed="false">Show selected only</button><button type="button">Clear selection</button>' +
      '<button type="button">Save as TSV</button><output></output>';
    const [find, only, none, save, said] =
      [tools.querySelector("input"), ...tools.querySelectorAll("button"), tools.querySelector("output")];
    const chosen = new Set();
    const lines = new Map();
    const look = () => {
      lines.clear();
      for (const line of section.querySelectorAll("[data-s]")) {
        lines.set(line.dataset.s, [...(lines.get(line.dataset.s) ?? []), line]);
      }
    };
    const update = () => {
      const word = find.value.trim().toLowerCase();
      const isOnly = only.getAttribute("aria-pressed") === "true";
      let seen = 0;
      for (const [id, row] of byId) {
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
        (chosen.size ? `${seen < rows.length ? ", " : ""}${chosen.size} selected` : "");
    };
    look();
    section.addEventListener("biofast-unpacked", (event) => {
      if (!event.target.classList.contains("joint") && !event.target.closest(".joint")) return;
      look();
      update();
    });
    const change = (event) => {
      const id = of(event.target.closest("tr"));
      const is = event.target.checked;
      if (is) chosen.add(id); else chosen.delete(id);
      // Of many samples those are shown that are chosen.
      if (is) show(id, chosen.size === 1); else hide(id);
      update();
    };
    for (const row of rows) {
      const box = document.createElement("input");
      box.type = "checkbox";
      box.setAttribute("aria-label", `Select ${row.cells[0].textContent}`);
      row.cells[0].prepend(box);
    }
    table.tBodies[0].addEventListener("change", change);
    find.addEventListener("input", update);
    only.addEventListener("click", () => {
      only.setAttribute("aria-pressed", String(only.getAttribute("aria-pressed") !== "true"));
      update();
    });
    none.addEventListener("click", () => {
      for (const box of table.tBodies[0].querySelectorAll("input:checked")) {
        box.checked = false;
        hide(of(box.closest("tr")));
      }
      chosen.clear();
      only.setAttribute("aria-pressed", "false");
      find.value = "";
      update();
    });
    save.addEventListener("click", () => {
      const heads = [...table.tHead.rows[0].cells].map((head) => head.textContent);
      const line = (row) => [...row.cells].map((cell, i) =>
        (!["Sample", "Verdicts", "Status"].includes(heads[i]) && cell.dataset.v !== undefined ? cell.dataset.v : cell.textContent).trim()).join("\t");
      const shown = [...table.tBodies[0].rows].filter((row) => !row.hidden);
      dispatchEvent(new CustomEvent("biofast-save", { detail:
        { name: `${table.id}.tsv`, type: "text/tab-separated-values", text: [heads.join("\t"), ...shown.map(line)].join("\n") + "\n" } }));
    });
    table.closest(".scroll").before(tools);
    // The line nearest to the pointer is that of a sample, which a click chooses.
    section.addEventListener("biofast-sample", (event) => {
      byId.get(event.detail)?.cells[0].querySelector("input").click();
    });
    section.nameOf = (id) => byId.get(id)?.cells[0].textContent;
  }
  // Folded samples are printed, too; packed ones if they are open.
  addEventListener("beforeprint", () => {
    document.querySelectorAll("details.sample").forEach((sample) => {
      if (!sample.closest(".unpacked")) sample.open = true;
    });
  });
})();
