// Saving: a chart as SVG, as PNG, and its figures as TSV.
(() => {
  const save = (name, blob) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  addEventListener("biofast-save", ({ detail }) => save(detail.name, new Blob([detail.text], { type: detail.type })));

  const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "opacity", "font-size",
    "font-family", "display"];
  const SPACE = new DOMParser().parseFromString("<svg></svg>", "text/html").querySelector("svg").namespaceURI;
  const element = (name, attributes, text) => {
    const made = document.createElementNS(SPACE, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const dressed = (from) => {
    const copy = from.cloneNode(true);
    const all = [from, ...from.querySelectorAll("*")];
    [copy, ...copy.querySelectorAll("*")].forEach((to, i) => {
      const style = getComputedStyle(all[i]);
      for (const name of STYLES) to.style.setProperty(name, style.getPropertyValue(name));
      to.removeAttribute("class");
    });
    return copy;
  };
  // The drawing with its title and key, styles and all.
  const drawing = (figure) => {
    const svg = figure.querySelector("svg[role=img]");
    const { width, height } = svg.viewBox.baseVal;
    const body = getComputedStyle(document.body);
    const [ink, soft, font] = [body.color, getComputedStyle(figure.querySelector("text") ?? figure).fill, body.fontFamily];
    const paper = getComputedStyle(document.documentElement).getPropertyValue("--paper").trim() || "white";
    const entries = [...figure.querySelectorAll(".key li:not(.unseen)")];
    let [x, y] = [14, 44];
    const key = [];
    for (const entry of entries) {
      const wide = 34 + 6.6 * entry.textContent.length;
      if (x + wide > width && x > 14) [x, y] = [14, y + 18];
      const swatch = dressed(entry.querySelector("svg"));
      const group = element("g", { transform: `translate(${x} ${y - 10})` });
      group.append(...swatch.childNodes);
      key.push(group, element("text", { x: x + 29, y, fill: soft, "font-size": 12, "font-family": font }, entry.textContent));
      x += wide + 12;
    }
    const above = entries.length ? y + 8 : 32;
    const whole = element("svg", { xmlns: SPACE, width, height: height + above, viewBox: `0 0 ${width} ${height + above}` });
    whole.append(element("rect", { width, height: height + above, fill: paper }));
    const title = figure.querySelector("h4").textContent;
    whole.append(element("text", { x: 14, y: 22, fill: ink, "font-size": 15, "font-weight": 600, "font-family": font }, title), ...key);
    const inner = dressed(svg);
    for (const [name, value] of Object.entries({ y: above, width, height })) inner.setAttribute(name, value);
    inner.querySelector(".cross")?.remove();
    inner.style.removeProperty("display");
    whole.append(inner);
    return { text: new XMLSerializer().serializeToString(whole), width, height: height + above };
  };
  const png = (figure, name) => {
    const { text, width, height } = drawing(figure);
    const image = new Image();
    image.addEventListener("load", () => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [2 * width, 2 * height];
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => save(name, blob), "image/png");
    });
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
  };
  const tsv = (figure) => {
    const plain = (cell) => /^[\d,]+(\.\d+)?$/.test(cell) ? cell.replaceAll(",", "") : cell;
    const columns = figure.dataset.figures.split("\n").map((column) => column.split("\t").map(plain));
    const rows = columns[0].map((_, row) => columns.map((column) => column[row]).join("\t"));
    return [figure.dataset.columns, ...rows].join("\n") + "\n";
  };
  const equip = (figure) => {
    if (figure.querySelector(".save")) return;
    const title = figure.querySelector("h4").textContent;
    const box = document.createElement("span");
    box.className = "save";
    const button = (word, act) => {
      const made = document.createElement("button");
      made.type = "button";
      made.textContent = word;
      made.setAttribute("aria-label", `${word}: save ${title}`);
      made.addEventListener("click", act);
      box.append(made);
    };
    button("SVG", () => save(`${figure.id}.svg`, new Blob([drawing(figure).text], { type: "image/svg+xml" })));
    button("PNG", () => png(figure, `${figure.id}.png`));
    if (figure.dataset.figures) {
      button("TSV", () => save(`${figure.id}.tsv`, new Blob([tsv(figure)], { type: "text/tab-separated-values" })));
    }
    figure.querySelector("figcaption").append(box);
    // For tests, and for scripts of a reader's own.
    figure.biofast = { svg: () => drawing(figure).text, tsv: () => tsv(figure) };
  };
  document.querySelectorAll("figure.chart").forEach(equip);
  document.addEventListener("biofast-unpacked", (event) => event.target.querySelectorAll("figure.chart").forEach(equip));
})();
