// Tables that can be sorted and filtered, and the filter of the findings.

const rowsAtFirst = 15;

const startTable = (group) => {
  const body = group.querySelector("tbody");
  const rows = Array.from(body.rows);
  const input = group.querySelector(".table-filter");
  const more = group.querySelector(".more");
  const heads = Array.from(group.querySelectorAll("th"));
  let showsAll = false;

  const refresh = () => {
    const wanted = input.value.trim().toLowerCase();
    let matching = 0;
    Array.from(body.rows).forEach((row) => {
      const matches = row.textContent.toLowerCase().indexOf(wanted) >= 0;
      if (matches) { matching += 1; }
      row.hidden = !matches || !showsAll && matching > rowsAtFirst;
    });
    more.hidden = showsAll || matching <= rowsAtFirst;
    more.textContent = "Show all " + matching + " rows";
    group.querySelector(".table-count").textContent =
      wanted ? matching + " of " + rows.length : "";
  };

  const valueOf = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.sort === undefined ? cell.textContent : Number(cell.dataset.sort);
  };

  heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
    const isNumber = head.classList.contains("num");
    const old = head.getAttribute("aria-sort");
    const order = old === null ? (isNumber ? "descending" : "ascending")
      : old === "ascending" ? "descending" : "ascending";
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const sorted = rows.slice().sort((left, right) => {
      const first = valueOf(left, column);
      const second = valueOf(right, column);
      if (typeof first === "number") { return sign * (first - second); }
      return sign * (first < second ? -1 : first > second ? 1 : 0);
    });
    sorted.forEach((row) => body.appendChild(row));
    refresh();
  }));
  input.addEventListener("input", refresh);
  more.addEventListener("click", () => {
    showsAll = true;
    refresh();
  });
  refresh();
};

const startFindingFilter = () => {
  const input = byId("finding-filter");
  if (!input) { return; }
  input.addEventListener("input", () => {
    const wanted = input.value.trim().toLowerCase();
    document.querySelectorAll(".finding").forEach((finding) => {
      const text = finding.textContent + " " + finding.dataset.category;
      finding.hidden = text.toLowerCase().indexOf(wanted) < 0;
    });
  });
};
