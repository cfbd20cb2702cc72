// The timeline's canvas: every lane drawn from amounts per pixel.

const canvas = byId("tl-canvas");
const ink = canvas ? canvas.getContext("2d") : null;
const rulerHeight = 24;
const laneGap = 10;
const stateOrder = ["running", "runnable", "file", "sync", "network", "lock", "sleep", "child",
  "pageFault", "ipc", "other", "unknown"];
const causeColors = {
  timer: "sleep", network: "network", disk: "file", sameProcess: "running",
  otherProcess: "ipc", signal: "runnable", other: "other", unknown: "unknown"
};

const powerColors = { cpu: "running", wakeups: "sleep", radio: "network", disk: "file" };

/** The style sheet's colours, read again when the theme changes. */
let colors = {};
const readColors = () => {
  const style = getComputedStyle(document.documentElement);
  colors = {};
  stateOrder.concat(["ink", "muted", "grid", "lane", "accent", "hang", "select", "font"])
    .forEach((name) => { colors[name] = style.getPropertyValue("--tl-" + name).trim(); });
};

/** The next length that is 1, 2 or 5 of a power of ten. */
const roundStep = (least) => {
  const power = Math.pow(10, Math.floor(Math.log10(least)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= least);
};

/** A fill for columns of equal height next to each other, in as few rectangles as there are. */
const fillColumns = (count, width, top, baseOf, heightOf, color) => {
  ink.fillStyle = color;
  let start = 0;
  while (start < count) {
    const height = heightOf(start);
    const base = baseOf(start);
    let end = start + 1;
    while (end < count && heightOf(end) === height && baseOf(end) === base) { end += 1; }
    if (height > 0) {
      ink.fillRect(start * width, top + base - height, (end - start) * width, height);
    }
    start = end;
  }
};

/** Stacks the channels of columns, each column's amount a share of `full`. */
const drawStack = (lane, columns, names, colorOf, full, least) => {
  const count = columns.count;
  const width = view.width / count;
  const heights = new Float64Array(count);
  for (let column = 0; column < count; column += 1) {
    const total = names.reduce((sum, name) => sum + columns.amount(column, name), 0);
    const share = total / full;
    const height = Math.min(share, 1) * lane.height;
    heights[column] = share > 0 ? Math.max(height, least) / total : 0;
  }
  const bases = new Float64Array(count).fill(lane.height);
  names.forEach((name) => {
    const height = (column) => columns.amount(column, name) * heights[column];
    fillColumns(count, width, lane.top, (column) => bases[column], height, colorOf(name));
    for (let column = 0; column < count; column += 1) { bases[column] -= height(column); }
  });
};

/** A lane's amounts in columns of so many pixels. */
const columnsOf = (lane, size) => {
  const count = Math.max(1, Math.round(view.width / size));
  const amounts = lane.grid.columns(view.from, view.to, count);
  const channels = lane.grid.channels.length;
  const indices = {};
  lane.grid.channels.forEach((name, channel) => { indices[name] = channel; });
  return {
    count: count, amount: (column, name) => amounts[column * channels + indices[name]]
  };
};

/** How many steps of time there are in view, at least. */
const stepsInView = 250;

/**
 * A lane's amounts in steps of time that do not depend on how wide the page is, so that its peak
 * is the same on every screen. A column of two pixels shows the highest step it has a part of.
 */
const stepsOf = (lane, names) => {
  const step = roundStep((view.to - view.from) / stepsInView / 2.5);
  const first = Math.floor(view.from / step);
  const steps = Math.ceil(view.to / step) - first;
  const amounts = lane.grid.columns(first * step, (first + steps) * step, steps);
  const channels = lane.grid.channels.length;
  const indices = {};
  lane.grid.channels.forEach((name, channel) => { indices[name] = channel; });
  const totals = new Float64Array(steps);
  for (let index = 0; index < steps; index += 1) {
    totals[index] = names.reduce(
      (sum, name) => sum + amounts[index * channels + indices[name]], 0);
  }
  const count = Math.max(1, Math.round(view.width / 2));
  const highest = new Int32Array(count);
  for (let column = 0; column < count; column += 1) {
    const place = (edge) => xToTime(edge * view.width / count) / step - first;
    let best = clamp(Math.floor(place(column)), 0, steps - 1);
    for (let index = best + 1; index < Math.min(place(column + 1), steps); index += 1) {
      if (totals[index] > totals[best]) { best = index; }
    }
    highest[column] = best;
  }
  return {
    count: count, most: totals.reduce((high, total) => Math.max(high, total), 0),
    seconds: step / micro,
    amount: (column, name) => amounts[highest[column] * channels + indices[name]]
  };
};

const note = (lane, text) => {
  ink.font = "11px " + colors.font;
  ink.textAlign = "right";
  ink.textBaseline = "top";
  const width = ink.measureText(text).width;
  ink.fillStyle = colors.lane;
  ink.globalAlpha = 0.8;
  ink.fillRect(view.width - width - 8, lane.top + 1, width + 6, 14);
  ink.globalAlpha = 1;
  ink.fillStyle = colors.muted;
  ink.fillText(text, view.width - 5, lane.top + 2);
};

/** Text inside a box, if there is room for some of it. */
const inside = (text, x, width, y, color) => {
  const left = Math.max(x, 0) + 4;
  const room = Math.min(x + width, view.width) - left - 3;
  if (room < 24) { return; }
  ink.save();
  ink.beginPath();
  ink.rect(left, y - 10, room, 20);
  ink.clip();
  ink.font = "11px " + colors.font;
  ink.textAlign = "left";
  ink.textBaseline = "middle";
  ink.fillStyle = color;
  ink.fillText(text, left, y);
  ink.restore();
};

const drawPhases = (lane) => timeline.phases.forEach((phase, index) => {
  const x = timeToX(phase.start * micro);
  const isSpan = phase.end !== null && phase.end !== undefined;
  const width = isSpan ? Math.max(timeToX(phase.end * micro) - x, 2) : 2;
  if (x > view.width || x + width < -200) { return; }
  ink.fillStyle = colors.accent;
  ink.globalAlpha = isSpan ? 0.22 : 1;
  ink.fillRect(x, lane.top, width, lane.height);
  ink.globalAlpha = 1;
  ink.fillStyle = colors.accent;
  ink.fillRect(x, lane.top, 2, lane.height);
  const next = timeline.phases[index + 1];
  const room = Math.min(isSpan && width > 40 ? width : 160,
    next ? timeToX(next.start * micro) - x : Infinity);
  inside(shown(phase.name), x, room, lane.top + lane.height / 2, colors.ink);
});

const drawHangs = (lane) => {
  let last = -1;
  hangs.forEach((hang) => {
    const x = timeToX(hang.start * micro);
    const width = Math.max(timeToX((hang.start + hang.durationSeconds) * micro) - x, 3);
    if (x > view.width || x + width < 0 || x + width <= last) { return; }
    last = x + width;
    ink.fillStyle = colors.hang;
    ink.globalAlpha = hang.severity === "noticeable" ? 0.55 : 1;
    ink.fillRect(x, lane.top, width, lane.height);
    ink.globalAlpha = 1;
    inside(secondsText(hang.durationSeconds) +
      (hang.blamedFunction ? " in " + shown(hang.blamedFunction) : ""), x, width,
    lane.top + lane.height / 2, "#fff");
  });
};

const drawRadio = (lane) => {
  const watts = timeline.radio.watts;
  const most = Object.keys(watts).reduce((high, state) => Math.max(high, watts[state]), 0.001);
  const count = Math.max(1, Math.round(view.width));
  const amounts = lane.grid.columns(view.from, view.to, count);
  const names = lane.grid.channels;
  const stateColors = { transfer: colors.network, promotion: colors.runnable };
  const strip = 10;
  const column = (view.to - view.from) / count;
  names.filter((name) => name !== "idle").forEach((name) => {
    const channel = names.indexOf(name);
    const height = (index) => {
      const power = names.reduce((sum, state, position) => sum + (watts[state] || 0) *
        amounts[index * names.length + position], 0) / column;
      let dominant = 0;
      names.forEach((state, position) => {
        if (state !== "idle" && amounts[index * names.length + position] >
          amounts[index * names.length + dominant] || dominant === 0 && state !== "idle") {
          dominant = position;
        }
      });
      return dominant === channel && power > 0
        ? Math.max(power / most * (lane.height - strip), 1.5) : 0;
    };
    ink.globalAlpha = stateColors[name] ? 1 : 0.45;
    fillColumns(count, view.width / count, lane.top, () => lane.height, height,
      stateColors[name] || colors.network);
  });
  ink.globalAlpha = 1;
  ink.fillStyle = colors.accent;
  let last = -1;
  bursts.forEach((burst) => {
    const x = timeToX(burst.start * micro);
    const width = Math.max(timeToX((burst.start + burst.durationSeconds) * micro) - x, 3);
    if (x > view.width || x + width < 0 || x + width <= last) { return; }
    last = x + width;
    ink.fillRect(x, lane.top, width, 5);
  });
  note(lane, brief(most) + " W");
};

const drawNetwork = (lane) => {
  const middle = lane.height / 2;
  const sent = stepsOf(lane, ["sent"]);
  const received = stepsOf(lane, ["received"]);
  const high = Math.max(sent.most, received.most);
  if (high <= 0) { return; }
  const width = view.width / sent.count;
  const height = (columns, name) => (column) => {
    const amount = columns.amount(column, name);
    return amount > 0 ? Math.max(amount / high * middle, 1.5) : 0;
  };
  fillColumns(sent.count, width, lane.top, () => middle, height(sent, "sent"), colors.network);
  const down = height(received, "received");
  fillColumns(received.count, width, lane.top, (column) => middle + down(column), down,
    colors.file);
  ink.fillStyle = colors.grid;
  ink.fillRect(0, lane.top + middle, view.width, 1);
  note(lane, "up to " + bytesText(high) + " in " + secondsText(sent.seconds));
};

const drawDisk = (lane) => {
  const steps = stepsOf(lane, ["bytes"]);
  const strip = 9;
  fillColumns(steps.count, view.width / steps.count, lane.top, () => lane.height, (column) => {
    const bytes = steps.amount(column, "bytes");
    return bytes > 0 ? Math.max(bytes / steps.most * (lane.height - strip), 2) : 0;
  }, colors.file);
  const syncs = columnsOf(lane, 2);
  fillColumns(syncs.count, view.width / syncs.count, lane.top, () => 6,
    (column) => syncs.amount(column, "syncs") > 0 ? 6 : 0, colors.sync);
  if (steps.most > 0) {
    note(lane, "up to " + bytesText(steps.most) + " in " + secondsText(steps.seconds));
  }
};

const drawFootprint = (lane) => {
  const points = timeline.footprint;
  const high = points.reduce(
    (most, point) => Math.max(most, point.footprintBytes), Math.max(peakFootprint, 1));
  const y = (bytes) => lane.top + lane.height - bytes / high * (lane.height - 6);
  ink.beginPath();
  points.forEach((point, index) => {
    const x = timeToX(point.time * micro);
    if (index === 0) { ink.moveTo(x, y(point.footprintBytes)); }
    ink.lineTo(x, y(point.footprintBytes));
  });
  ink.strokeStyle = colors.lock;
  ink.lineWidth = 1.5;
  ink.stroke();
  ink.lineTo(timeToX(points[points.length - 1].time * micro), lane.top + lane.height);
  ink.lineTo(timeToX(points[0].time * micro), lane.top + lane.height);
  ink.fillStyle = colors.lock;
  ink.globalAlpha = 0.16;
  ink.fill();
  ink.globalAlpha = 1;
  note(lane, bytesText(high) + " at its peak");
};

const drawLane = (lane) => {
  if (lane.kind === "phases") { drawPhases(lane); }
  if (lane.kind === "hangs") { drawHangs(lane); }
  if (lane.kind === "thread") {
    const columns = columnsOf(lane, 1 / view.ratio);
    drawStack(lane, columns, stateOrder, (name) => colors[name],
      (view.to - view.from) / columns.count, 2);
  }
  if (lane.kind === "cpu") {
    const steps = stepsOf(lane, ["running"]);
    const cores = Math.max(1, Math.ceil(steps.most / micro / steps.seconds - 0.05));
    drawStack(lane, steps, ["running"], () => colors.running, cores * steps.seconds * micro, 1.5);
    note(lane, countText(cores, "core"));
  }
  if (lane.kind === "wakeups" || lane.kind === "power") {
    const isPower = lane.kind === "power";
    const names = isPower ? lane.grid.channels : Object.keys(causeColors);
    const steps = stepsOf(lane, names);
    if (steps.most > 0) {
      drawStack(lane, steps, names,
        (name) => colors[(isPower ? powerColors : causeColors)[name]], steps.most, isPower ? 1 : 2);
      note(lane, "up to " + brief(steps.most / steps.seconds) + (isPower ? " W" : " a second") +
        " over " + secondsText(steps.seconds));
    }
  }
  if (lane.kind === "radio") { drawRadio(lane); }
  if (lane.kind === "network") { drawNetwork(lane); }
  if (lane.kind === "disk") { drawDisk(lane); }
  if (lane.kind === "footprint") { drawFootprint(lane); }
};

const drawRuler = () => {
  const span = (view.to - view.from) / micro;
  const step = roundStep(span / Math.max(2, view.width / 110));
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  ink.font = "11px " + colors.font;
  ink.textAlign = "left";
  ink.textBaseline = "middle";
  const first = Math.ceil(view.from / micro / step);
  for (let tick = first; tick * step <= view.to / micro; tick += 1) {
    const x = Math.round(timeToX(tick * step * micro));
    ink.fillStyle = colors.grid;
    ink.fillRect(x, 0, 1, view.height);
    ink.fillStyle = colors.muted;
    if (x < view.width - 40) { ink.fillText((tick * step).toFixed(digits) + " s", x + 5, 11); }
  }
};

const drawSelection = () => {
  if (!view.selection) { return; }
  const left = timeToX(view.selection.from);
  const right = timeToX(view.selection.to);
  ink.fillStyle = colors.select;
  ink.globalAlpha = 0.16;
  ink.fillRect(left, 0, Math.max(right - left, 1), view.height);
  ink.globalAlpha = 1;
  ink.fillRect(left, 0, 1.5, view.height);
  ink.fillRect(right - 1, 0, 1.5, view.height);
};

const layout = () => {
  const narrow = byId("tl").clientWidth < 700;
  byId("tl").classList.toggle("tl-narrow", narrow);
  let top = rulerHeight + 6;
  visibleLanes().forEach((lane) => {
    lane.top = top + (narrow ? 16 : 0);
    top = lane.top + lane.height + laneGap;
  });
  view.height = top;
  view.width = Math.max(byId("tl-plot").clientWidth, 50);
  view.ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(view.width * view.ratio);
  canvas.height = Math.round(view.height * view.ratio);
  canvas.style.height = view.height + "px";
  const labels = byId("tl-labels");
  clear(labels);
  visibleLanes().forEach((lane) => {
    const label = make("div", "tl-label");
    label.style.top = (narrow ? lane.top - 16 : lane.top) + "px";
    label.style.height = (narrow ? 16 : lane.height) + "px";
    const name = make("span", "tl-name");
    name.appendChild(make("span", "", lane.label));
    if (lane.tid) { name.appendChild(make("span", "tl-tid", " " + lane.tid)); }
    label.appendChild(name);
    if (lane.height >= 34 || narrow) { label.appendChild(make("small", "", lane.detail)); }
    label.title = laneName(lane) + ", " + lane.detail;
    labels.appendChild(label);
  });
};

const draw = () => {
  ink.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
  ink.clearRect(0, 0, view.width, view.height);
  ink.fillStyle = colors.lane;
  visibleLanes().forEach((lane) => ink.fillRect(0, lane.top, view.width, lane.height));
  drawRuler();
  visibleLanes().forEach(drawLane);
  drawSelection();
};

let drawPending = false;
const redraw = () => {
  if (drawPending || !ink) { return; }
  drawPending = true;
  requestAnimationFrame(() => {
    drawPending = false;
    draw();
  });
};
