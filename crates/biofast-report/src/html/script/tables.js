// Tables. Sorting: a button in a head sorts its table, a second time the other way round. Rows without a
// value stay at the end. "#sort=TABLE,COLUMN,descending" in the address sorts, too.
(() => {
  const value = (row, column) => {
    const cell = row.cells[column];
    return cell?.dataset.v ?? cell?.textContent ?? "";
  };
  const compare = (a, b) => {
    const numbers = a !== "" && b !== "" && isFinite(a) && isFinite(b);
    return numbers ? a - b : a.localeCompare(b, "en", { numeric: true });
  };
  const sort = (table, column, descending) => {
    const body = table.tBodies[0];
    const rows = [...body.rows].sort((a, b) => {
      const [x, y] = [value(a, column), value(b, column)];
      if ((x === "") !== (y === "")) return x === "" ? 1 : -1;
      return descending ? compare(y, x) : compare(x, y);
    });
    body.append(...rows);
    [...table.tHead.rows[0].cells].forEach((head, i) => {
      head.setAttribute("aria-sort", i !== column ? "none" : descending ? "descending" : "ascending");
    });
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const numbers = table.tBodies[0].querySelector(`tr > :nth-child(${column + 1}).n`);
      head.querySelector("button").addEventListener("click", () => {
        const now = head.getAttribute("aria-sort");
        // Of numbers, the largest are looked for first.
        sort(table, column, now === "none" ? Boolean(numbers) : now === "ascending");
      });
    });
  }
  const follow = () => {
    const hash = location.hash.slice(1);
    if (hash.startsWith("sort=")) {
      const [id, column, order] = hash.slice(5).split(",");
      const table = document.getElementById(id);
      if (table?.tHead?.rows[0].cells[column]) sort(table, Number(column), order === "descending");
    } else if (hash) {
      dispatchEvent(new CustomEvent("biofast-open", { detail: hash }));
    }
  };
  addEventListener("hashchange", follow);
  addEventListener("DOMContentLoaded", follow);
})();
