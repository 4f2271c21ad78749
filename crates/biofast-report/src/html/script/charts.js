// Charts: figures where the pointer is, with a line there, and as a table.
(() => {
  // Figures are stored by column.
  const rowsOf = (figure) => {
    const columns = (figure.dataset.figures ?? "").split("\n").map((column) => column.split("\t"));
    return columns[0].map((_, row) => columns.map((column) => column[row]));
  };
  const placesOf = (figure) => {
    const text = figure.dataset.x ?? figure.dataset.y;
    if (text === undefined) return null;
    if (!text.includes("+")) return text.split(" ").map(Number);
    const [start, step] = text.split("+").map(Number);
    return rowsOf(figure).map((_, i) => start + i * step);
  };
  const known = new WeakMap();
  const about = (figure) => {
    if (!known.has(figure)) {
      known.set(figure, { rows: rowsOf(figure), columns: (figure.dataset.columns ?? "").split("\t"), places: placesOf(figure) });
    }
    return known.get(figure);
  };

  // Where axes begin and end; names of lines may follow. Below is a margin.
  const [LEFT, RIGHT, TOP, BOTTOM] = [64, 526, 12, 44];

  // The table is made when it is opened.
  document.addEventListener("toggle", (event) => {
    const details = event.target;
    const figure = details.closest?.("figure.chart");
    if (!figure || !details.classList.contains("figures") || !details.open || details.querySelector("table")) return;
    const { rows, columns } = about(figure);
    const box = document.createElement("div");
    box.className = "scroll";
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", `Values of ${figure.querySelector("h4").textContent}`);
    const table = document.createElement("table");
    const head = table.createTHead().insertRow();
    for (const name of columns) {
      const cell = document.createElement("th");
      cell.scope = "col";
      cell.textContent = name;
      head.append(cell);
    }
    const body = table.createTBody();
    for (const row of rows) {
      const line = body.insertRow();
      for (const cell of row) line.insertCell().textContent = cell;
    }
    box.append(table);
    details.append(box);
  }, true);

  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("aria-hidden", "true");
  document.body.append(tip);
  // The page names no address, not even that of a namespace.
  const space = new DOMParser().parseFromString("<svg></svg>", "text/html").querySelector("svg").namespaceURI;
  const cross = document.createElementNS(space, "path");
  cross.setAttribute("class", "cross");

  const nearest = (places, at) => {
    let best = 0;
    places.forEach((place, i) => { if (Math.abs(place - at) < Math.abs(places[best] - at)) best = i; });
    return best;
  };
  const points = new WeakMap();
  // Where a line of the chart of all samples is at x.
  const height = (line, x) => {
    if (!points.has(line)) {
      // A place, and steps from there.
      const [x, y, ...steps] = line.getAttribute("d").match(/-?[\d.]+/g).map(Number);
      const all = [[x, y]];
      for (let i = 0; i + 1 < steps.length; i += 2) {
        const last = all[all.length - 1];
        all.push([last[0] + steps[i], last[1] + steps[i + 1]]);
      }
      points.set(line, all);
    }
    const all = points.get(line);
    if (x < all[0][0] - 8 || x > all[all.length - 1][0] + 8) return null;
    let i = all.findIndex((point) => point[0] >= x);
    if (i < 1) i = i < 0 ? all.length - 1 : 1;
    const [a, b] = [all[i - 1] ?? all[0], all[i] ?? all[0]];
    return b[0] === a[0] ? b[1] : a[1] + (b[1] - a[1]) * (Math.min(Math.max(x, a[0]), b[0]) - a[0]) / (b[0] - a[0]);
  };
  let near = null;
  const hide = () => {
    tip.hidden = true;
    cross.remove();
    near?.classList.remove("near");
    near = null;
  };
  const put = (event, lines) => {
    tip.replaceChildren(...lines.map(([name, value]) => {
      const line = document.createElement("div");
      const word = document.createElement("span");
      word.textContent = name;
      const figure = document.createElement("b");
      figure.textContent = value;
      line.append(word, figure);
      return line;
    }));
    tip.hidden = false;
    const left = event.clientX + 14 + tip.offsetWidth > innerWidth ? event.clientX - 14 - tip.offsetWidth : event.clientX + 14;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${Math.max(4, Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 4))}px`;
  };
  const move = (event) => {
    const svg = event.target.closest?.("figure.chart > svg");
    if (!svg) return hide();
    const figure = svg.closest("figure");
    const box = svg.getBoundingClientRect();
    const view = svg.viewBox.baseVal;
    const x = (event.clientX - box.left) * view.width / box.width;
    const y = (event.clientY - box.top) * view.height / box.height;
    const { rows, columns, places } = about(figure);
    const lines = [...svg.querySelectorAll("[data-s]")].filter((line) => line.style.display !== "none");
    if (lines.length) {
      let [best, distance] = [null, 14];
      for (const line of lines) {
        const at = height(line, x);
        if (at !== null && Math.abs(at - y) < distance) [best, distance] = [line, Math.abs(at - y)];
      }
      if (!best) return hide();
      near?.classList.remove("near");
      near = best;
      near.classList.add("near");
      const name = svg.closest("section").nameOf?.(near.dataset.s);
      return put(event, [[name ?? "", ""]]);
    }
    if (!places) return hide();
    const upright = figure.dataset.y !== undefined;
    const i = nearest(places, upright ? y : x);
    const [left, right, top, bottom] = [LEFT, RIGHT, TOP, view.height - BOTTOM];
    if (x < left - 6 || x > right + 6 || y < top - 6 || y > bottom + 6) return hide();
    cross.setAttribute("d", upright ? `M${left} ${places[i]}H${right}` : `M${places[i]} ${top}V${bottom}`);
    svg.append(cross);
    put(event, columns.map((name, column) => [name, rows[i][column] ?? ""]));
  };
  document.addEventListener("pointermove", move);
  document.addEventListener("pointerdown", move);
  document.addEventListener("pointerleave", hide);
  addEventListener("scroll", hide, { passive: true });
  document.addEventListener("click", (event) => {
    const svg = event.target.closest?.("figure.chart > svg");
    if (svg && near) near.dispatchEvent(new CustomEvent("biofast-sample", { bubbles: true, detail: near.dataset.s }));
  });
})();
