// Tables that can be sorted and filtered, and go along with the span that is chosen; the filter
// of the findings.

const rowsAtFirst = 15;

/** A table's column, by its title; -1 where it has none. */
const columnOf = (heads, title) => heads.findIndex(
  (head) => head.querySelector("button").textContent === title);

/** Another figure in a copy's cell. */
const setCell = (row, column, value, text) => {
  row.cells[column].dataset.sort = String(value);
  row.cells[column].textContent = text;
};

/** Rows of things that happened at a time and lasted: those that were within a span. */
const rowsWithin = (heads, whole) => (span) => {
  const length = columnOf(heads, "Length");
  return whole.filter((row) => {
    const times = Array.from(row.querySelectorAll(".jump-time")).map(
      (button) => Number(button.dataset.time) * micro);
    if (times.length === 0) { return false; }
    const end = times.length > 1 ? times[1]
      : length < 0 ? duration : times[0] + Number(row.cells[length].dataset.sort) * micro;
    return times[0] < span.to && end >= span.from;
  });
};

/** Threads with what their lanes hold of a span; of those without a lane nothing is known. */
const threadRows = (heads, whole) => (span) => {
  const [thread, cpu, blocked] = ["Thread", "CPU", "Blocked"].map(
    (title) => columnOf(heads, title));
  return whole.map((row) => {
    const copy = row.cloneNode(true);
    const tid = Number(row.cells[thread].dataset.sort);
    const lane = lanes.find((one) => one.id === "thread-" + tid);
    for (let column = cpu; column < row.cells.length; column += 1) {
      setCell(copy, column, -1, "–");
    }
    if (!lane) { return copy; }
    const totals = lane.grid.totals(span.from, span.to);
    const waited = causesOf(totals).reduce((sum, cause) => sum + totals[cause], 0);
    setCell(copy, cpu, totals.running / micro, secondsText(totals.running / micro));
    setCell(copy, blocked, waited / micro, secondsText(waited / micro));
    return copy;
  });
};

/** Functions to blame within a span, by the call tree of all threads. */
const blameRows = (heads, isBlocked) => {
  const graph = timeline.flames.find((one) => one.title === "All threads");
  if (!graph) { return null; }
  const causeOf = (node) => {
    let at = node;
    while (graph.parents[at] > 0) { at = graph.parents[at]; }
    return at > 0 ? graph.causes[-1 - graph.functions[at]] : "";
  };
  return (span) => {
    const own = ownSecondsOf(graph, span.from, span.to);
    const found = new Map();
    const rowOf = (frame, cause) => {
      const key = frame.function + "\n" + frame.module + "\n" + cause;
      if (!found.has(key)) { found.set(key, { frame: frame, cause: cause, own: 0, all: 0 }); }
      return found.get(key);
    };
    own.forEach((seconds, node) => {
      const cause = causeOf(node);
      if (seconds <= 0 || !cause || isBlocked === (cause === "running")) { return; }
      if (graph.blamed[node] >= 0) {
        rowOf(graph.frames[graph.blamed[node]], cause).own += seconds;
      }
      const seen = new Set();
      for (let at = node; at > 0 && graph.functions[at] >= 0; at = graph.parents[at]) {
        const row = rowOf(graph.frames[graph.functions[at]], cause);
        if (!seen.has(row)) { row.all += seconds; }
        seen.add(row);
      }
    });
    return Array.from(found.values()).filter((row) => row.own > 0)
      .sort((left, right) => right.own - left.own).map((row) => {
        const line = make("tr");
        const add = (text, value) => {
          const cell = make("td", value === undefined ? "" : "num", text);
          if (value !== undefined) { cell.dataset.sort = String(value); }
          line.appendChild(cell);
        };
        const name = make("td");
        name.appendChild(make("code", "", shown(row.frame.function)));
        line.appendChild(name);
        add(placeOf(row.frame));
        if (isBlocked) { add(words(row.cause)); }
        add(secondsText(row.own), row.own);
        add(secondsText(row.all), row.all);
        while (line.cells.length < heads.length) { add("–", -1); }
        return line;
      });
  };
};

/** How a table's rows are made for a span; null for one that is of the whole recording only. */
const spanRows = (group, heads, whole) => {
  if (!timeline) { return null; }
  if (group.id === "table-threads") { return threadRows(heads, whole); }
  if (group.id === "table-blame-blocked") { return blameRows(heads, true); }
  if (group.id === "table-blame-cpu" && columnOf(heads, "Samples") >= 0) {
    return blameRows(heads, false);
  }
  return whole.some((row) => row.querySelector(".jump-time")) ? rowsWithin(heads, whole) : null;
};

const startTable = (group) => {
  const body = group.querySelector("tbody");
  const whole = Array.from(body.rows);
  let rows = whole;
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
  const ofSpan = spanRows(group, heads, whole);
  spanListeners.push(() => {
    const span = view.selection;
    group.querySelector(".table-span").textContent = !span ? ""
      : ofSpan ? spanText(span) : "of the whole recording";
    if (!ofSpan) { return; }
    rows = span ? ofSpan(span) : whole;
    body.replaceChildren(...rows);
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    group.querySelector(".count").textContent = wholeText(rows.length);
    refresh();
  });
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
