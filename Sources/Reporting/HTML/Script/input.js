// Moving about the timeline: by mouse, touch, keyboard and buttons.

/** No span shorter than this is of use: the lanes' times are whole microseconds. */
const shortestSpan = 20;

const setView = (from, to) => {
  const span = clamp(to - from, Math.min(shortestSpan, duration), duration);
  const start = clamp(from, 0, duration - span);
  view.from = start;
  view.to = start + span;
  redraw();
  if (!view.selection) { refreshFigures(); }
};

const zoomAt = (time, factor) => {
  const span = clamp((view.to - view.from) * factor, Math.min(shortestSpan, duration), duration);
  const share = (time - view.from) / (view.to - view.from);
  setView(time - span * share, time + span * (1 - share));
};

const middle = () => (view.from + view.to) / 2;
const anchor = () => view.cursor !== null && view.cursor >= view.from && view.cursor <= view.to
  ? view.cursor : middle();

let isTelling = false;

/** Once for each picture at most: a span that is drawn changes with each movement. */
const tellSpan = () => {
  if (isTelling) { return; }
  isTelling = true;
  requestAnimationFrame(() => {
    isTelling = false;
    spanListeners.forEach((listener) => listener());
  });
};

const select = (from, to) => {
  view.selection = from === null ? null : {
    from: clamp(Math.min(from, to), 0, duration), to: clamp(Math.max(from, to), 0, duration)
  };
  redraw();
  refreshFigures();
  tellSpan();
};

const zoomToSelection = () => {
  if (!view.selection) { return; }
  setView(view.selection.from, view.selection.to);
};

/** Shows a moment with some of what surrounds it, as findings and tables ask for. */
const goTo = (seconds) => {
  const time = seconds * micro;
  const hang = hangs.find((item) => Math.abs(item.start - seconds) < 1e-4);
  const length = hang ? hang.durationSeconds * micro : Math.min(duration / 50, 2 * micro);
  setView(time - length, time + length * 2);
  view.cursor = time;
  if (hang) {
    select(time, time + length);
    showDetails({ type: "hang", item: hang, start: hang.start,
      end: hang.start + hang.durationSeconds });
  }
  showCursor(time, null, 0, 0);
  announce(time);
  byId("timeline").scrollIntoView({ block: "start" });
  byId("tl-plot").focus({ preventScroll: true });
};

const goToHang = (direction) => {
  const now = view.cursor === null ? -1 : view.cursor / micro;
  const next = direction > 0 ? hangs.find((hang) => hang.start > now + 1e-6)
    : hangs.slice().reverse().find((hang) => hang.start < now - 1e-6);
  if (next) { goTo(next.start); }
};

const moveCursor = (step, isSelecting) => {
  const from = anchor();
  const time = clamp(from + step * (view.to - view.from), 0, duration);
  if (time < view.from || time > view.to) {
    setView(view.from + time - from, view.to + time - from);
  }
  if (isSelecting) {
    const other = view.selection
      ? Math.abs(view.selection.from - from) < Math.abs(view.selection.to - from)
        ? view.selection.to : view.selection.from
      : from;
    select(other, time);
  }
  showCursor(time, null, 0, 0);
  announce(time);
};

const keys = {
  ArrowLeft: (event) => moveCursor(-0.02, event.shiftKey),
  ArrowRight: (event) => moveCursor(0.02, event.shiftKey),
  ArrowUp: () => zoomAt(anchor(), 1 / 1.5),
  ArrowDown: () => zoomAt(anchor(), 1.5),
  PageUp: () => moveCursor(-0.5, false),
  PageDown: () => moveCursor(0.5, false),
  "+": () => zoomAt(anchor(), 1 / 1.5),
  "=": () => zoomAt(anchor(), 1 / 1.5),
  "-": () => zoomAt(anchor(), 1.5),
  Home: () => setView(0, duration),
  Enter: () => zoomToSelection(),
  Escape: () => {
    select(null);
    showDetails(null);
    hideCursor();
  },
  n: () => goToHang(1),
  p: () => goToHang(-1)
};

/** Pointers that are down, by id, with where they began. */
const pointers = new Map();
let gesture = null;

const placeOfEvent = (event) => {
  const box = byId("tl-plot").getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
};

const pointerDown = (event) => {
  if (event.button !== 0) { return; }
  const place = placeOfEvent(event);
  pointers.set(event.pointerId, place);
  byId("tl-plot").setPointerCapture(event.pointerId);
  const pans = event.pointerType === "touch" ? !view.touchSelects : view.dragPans;
  gesture = pointers.size > 1 ? { kind: "pinch" } : {
    kind: (pans || event.altKey) ? "pan" : "select", x: place.x, y: place.y, moved: false,
    from: view.from, to: view.to, time: xToTime(place.x)
  };
};

const pinch = (event, place) => {
  const old = Array.from(pointers.values());
  const before = { low: Math.min(old[0].x, old[1].x), high: Math.max(old[0].x, old[1].x) };
  const times = { low: xToTime(before.low), high: xToTime(before.high) };
  pointers.set(event.pointerId, place);
  const now = Array.from(pointers.values());
  const after = { low: Math.min(now[0].x, now[1].x), high: Math.max(now[0].x, now[1].x) };
  const scale = (times.high - times.low) / Math.max(after.high - after.low, 8);
  setView(times.low - after.low * scale, times.low + (view.width - after.low) * scale);
};

const pointerMove = (event) => {
  const place = placeOfEvent(event);
  if (pointers.size > 1 && pointers.has(event.pointerId)) {
    pinch(event, place);
    return;
  }
  if (gesture && pointers.has(event.pointerId)) {
    const distance = place.x - gesture.x;
    if (!gesture.moved && Math.abs(distance) < 4) { return; }
    gesture.moved = true;
    if (gesture.kind === "pan") {
      const shift = distance / view.width * (gesture.to - gesture.from);
      setView(gesture.from - shift, gesture.to - shift);
    } else if (gesture.kind === "select") {
      select(gesture.time, xToTime(clamp(place.x, 0, view.width)));
    }
  }
  showCursor(xToTime(clamp(place.x, 0, view.width)), laneAt(place.y), place.x, place.y);
};

const pointerUp = (event) => {
  const place = placeOfEvent(event);
  const isClick = gesture && !gesture.moved && gesture.kind !== "pinch";
  pointers.delete(event.pointerId);
  if (pointers.size === 0) { gesture = null; }
  if (!isClick || event.type === "pointercancel") { return; }
  const lane = laneAt(place.y);
  const time = xToTime(place.x);
  const thing = lane ? thingAt(lane, time) : null;
  if (thing && thing.end > thing.start) {
    select(thing.start * micro, thing.end * micro);
  } else {
    select(null);
  }
  showDetails(thing);
  showCursor(time, lane, place.x, place.y);
  announce(time);
};

const wheel = (event) => {
  const unit = event.deltaMode === 1 ? 16 : 1;
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    zoomAt(xToTime(placeOfEvent(event).x), Math.exp(clamp(event.deltaY * unit, -300, 300) / 240));
  } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    event.preventDefault();
    const pixels = (event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX) * unit;
    const shift = pixels / view.width * (view.to - view.from);
    setView(view.from + shift, view.to + shift);
  }
};

const makeLegend = () => {
  const legend = byId("tl-legend");
  stateOrder.filter((state) => lanes.some(
    (lane) => lane.kind === "thread" && lane.grid.totals(0, duration)[state] > 0))
    .forEach((state) => {
      const item = make("li");
      const swatch = make("span", "swatch");
      swatch.style.background = colors[state];
      item.appendChild(swatch);
      item.appendChild(document.createTextNode(stateNames[state]));
      legend.appendChild(item);
    });
};

const relayout = () => {
  readColors();
  const legend = byId("tl-legend");
  clear(legend);
  layout();
  makeLegend();
  refreshFigures();
  redraw();
};

const startTimeline = () => {
  if (!timeline || !canvas) { return; }
  const plot = byId("tl-plot");
  plot.setAttribute("aria-label", "Timeline of " + secondsText(duration / micro) + " in " +
    lanes.length + " lanes: " + lanes.map(laneName).join(", "));
  readColors();
  layout();
  makeLegend();
  view.from = firstMoment();
  draw();
  refreshFigures();
  plot.addEventListener("pointerdown", pointerDown);
  plot.addEventListener("pointermove", pointerMove);
  plot.addEventListener("pointerup", pointerUp);
  plot.addEventListener("pointercancel", pointerUp);
  plot.addEventListener("pointerleave", () => { if (pointers.size === 0) { hideCursor(); } });
  plot.addEventListener("wheel", wheel, { passive: false });
  plot.addEventListener("dblclick", (event) => zoomAt(xToTime(placeOfEvent(event).x), 0.5));
  plot.addEventListener("keydown", (event) => {
    const action = keys[event.key] || keys[event.key.toLowerCase()];
    if (!action || event.ctrlKey || event.metaKey) { return; }
    event.preventDefault();
    action(event);
  });
  byId("tl-in").addEventListener("click", () => zoomAt(anchor(), 0.5));
  byId("tl-out").addEventListener("click", () => zoomAt(anchor(), 2));
  byId("tl-fit").addEventListener("click", () => setView(0, duration));
  byId("tl-zoom").addEventListener("click", zoomToSelection);
  [["tl-prev", -1], ["tl-next", 1]].forEach(([id, direction]) => {
    byId(id).hidden = hangs.length === 0;
    byId(id).addEventListener("click", () => goToHang(direction));
  });
  const threads = byId("tl-threads");
  threads.hidden = lanes.every((lane) => lane.always);
  threads.addEventListener("click", () => {
    view.allThreads = !view.allThreads;
    threads.setAttribute("aria-pressed", String(view.allThreads));
    relayout();
  });
  byId("tl-mode").addEventListener("click", () => {
    view.dragPans = !view.dragPans;
    view.touchSelects = !view.touchSelects;
    byId("tl-mode").setAttribute("aria-pressed", String(view.dragPans));
  });
  window.addEventListener("resize", relayout);
};
