// The flame graph: time by cause and call stack, callers above their callees, of all the time or
// of the span that is chosen.

/** The same with what was called; a graph's own figures where no span is chosen. */
const secondsOf = (graph, span) => {
  if (!span) { return graph.seconds; }
  const seconds = ownSecondsOf(graph, span.from, span.to);
  for (let node = seconds.length - 1; node > 0; node -= 1) {
    seconds[graph.parents[node]] += seconds[node];
  }
  return seconds;
};

const startFlame = () => {
  const box = byId("flame-graph");
  if (!box || !timeline || timeline.flames.length === 0) { return; }
  const choice = byId("flame-of");
  const find = byId("flame-find");
  const reset = byId("flame-reset");
  const rowHeight = 20;
  const narrowest = 2;
  let graph = null;
  let seconds = [];
  let children = [];
  let root = 0;
  let active = 0;
  let boxes = new Map();

  const frameOf = (node) => graph.functions[node] >= 0 && node > 0
    ? graph.frames[graph.functions[node]] : null;
  const causeIndex = (node) => {
    let at = node;
    while (at > 0 && graph.parents[at] > 0) { at = graph.parents[at]; }
    return at > 0 ? -1 - graph.functions[at] : -1;
  };
  const nameOf = (node) => {
    if (node === 0) { return "all"; }
    const frame = frameOf(node);
    if (frame) { return shown(frame.function); }
    const cause = graph.causes[-1 - graph.functions[node]];
    return stateNames[cause] || words(cause);
  };
  const describeNode = (node) => {
    const frame = frameOf(node);
    return nameOf(node) + (frame && placeOf(frame) ? " (" + placeOf(frame) + ")" : "") + ", " +
      secondsText(seconds[node]) + ", " +
      percentText(seconds[0] > 0 ? seconds[node] / seconds[0] : 0) + " of the time";
  };

  const activate = (node) => {
    const old = boxes.get(active);
    if (old) { old.classList.remove("active"); }
    active = node;
    const now = boxes.get(node);
    if (now) {
      now.classList.add("active");
      box.setAttribute("aria-activedescendant", now.id);
    }
    byId("flame-readout").textContent = describeNode(node);
  };

  const show = () => {
    clear(box);
    boxes = new Map();
    const width = box.clientWidth;
    const scale = seconds[root] > 0 ? width / seconds[root] : 0;
    const wanted = find.value.trim().toLowerCase();
    const ancestors = [];
    for (let at = root; at >= 0; at = graph.parents[at]) { ancestors.unshift(at); }
    let deepest = 0;
    const place = (node, left, depth, size) => {
      deepest = Math.max(deepest, depth);
      const item = make("div", "flame-box", size > 30 ? nameOf(node) : "");
      const frame = frameOf(node);
      item.id = "flame-" + node;
      item.setAttribute("role", "treeitem");
      item.setAttribute("aria-level", String(depth + 1));
      item.setAttribute("aria-label", describeNode(node));
      item.title = describeNode(node);
      item.dataset.node = node;
      item.dataset.cause = node > 0 ? graph.causes[causeIndex(node)] : "all";
      if (frame && frame.isProgram) { item.classList.add("own"); }
      if (node > 0 && !frame) { item.classList.add("cause"); }
      if (wanted && nameOf(node).toLowerCase().indexOf(wanted) >= 0) {
        item.classList.add("found");
      }
      item.style.left = left + "px";
      item.style.top = depth * rowHeight + "px";
      item.style.width = Math.max(size - 1, 1) + "px";
      boxes.set(node, item);
      box.appendChild(item);
    };
    ancestors.forEach((node, depth) => place(node, 0, depth, width));
    const descend = (node, left, depth) => {
      let at = left;
      children[node].forEach((child) => {
        const size = seconds[child] * scale;
        if (size >= narrowest) {
          place(child, at, depth, size);
          descend(child, at, depth + 1);
        }
        at += size;
      });
    };
    descend(root, 0, ancestors.length);
    box.style.height = (deepest + 1) * rowHeight + "px";
    reset.disabled = root === 0;
  };

  const zoom = (node) => {
    root = node;
    show();
    activate(node);
  };

  /** Of the span that is chosen; the largest of the whole recording stay first. */
  const span = () => {
    seconds = secondsOf(graph, view.selection);
    byId("flame-span").textContent = spanText(view.selection);
    if (seconds[root] <= 0) { root = 0; }
    show();
    activate(root);
  };

  const load = () => {
    graph = timeline.flames[Number(choice.value)];
    children = graph.parents.map(() => []);
    graph.parents.forEach((parent, node) => { if (parent >= 0) { children[parent].push(node); } });
    root = 0;
    span();
  };

  const sibling = (step) => {
    const all = children[graph.parents[active]] || [];
    return all[all.indexOf(active) + step];
  };
  const moves = {
    ArrowDown: () => children[active][0],
    ArrowUp: () => graph.parents[active],
    ArrowLeft: () => sibling(-1),
    ArrowRight: () => sibling(1)
  };
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter") { zoom(active); }
    if (event.key === "Escape") { zoom(0); }
    if (!moves[event.key]) { return; }
    event.preventDefault();
    const next = moves[event.key]();
    if (next !== undefined && next >= 0) { activate(next); }
  });
  box.addEventListener("click", (event) => {
    const item = event.target.closest(".flame-box");
    if (item) { zoom(Number(item.dataset.node)); }
  });
  box.addEventListener("pointerover", (event) => {
    const item = event.target.closest(".flame-box");
    if (item) { byId("flame-readout").textContent = describeNode(Number(item.dataset.node)); }
  });
  timeline.flames.forEach((item, index) => {
    const option = make("option", "", shown(item.title));
    option.value = String(index);
    choice.appendChild(option);
  });
  choice.addEventListener("change", load);
  find.addEventListener("input", show);
  reset.addEventListener("click", () => zoom(0));
  window.addEventListener("resize", show);
  spanListeners.push(span);
  load();
};
