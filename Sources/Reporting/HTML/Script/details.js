// What is known of the place under the cursor, and of the thing that was clicked.

const laneAt = (y) => visibleLanes().find(
  (lane) => y >= lane.top - laneGap / 2 && y < lane.top + lane.height + laneGap / 2) || null;

/** The footprint sample at or before a time. */
const footprintAt = (time) => {
  const points = timeline.footprint;
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle].time * micro <= time) { low = middle + 1; } else { high = middle; }
  }
  return points[Math.max(low - 1, 0)];
};

const partsText = (totals, names, most) => names.filter((name) => totals[name] > 0)
  .sort((left, right) => totals[right] - totals[left]).slice(0, most)
  .map((name) => (stateNames[name] || words(name)) + " " + secondsText(totals[name] / micro));

/** What a lane has at a time, in a line or two of text. */
const laneText = (lane, time) => {
  const half = (view.to - view.from) / Math.max(view.width, 1) * 1.5;
  const from = Math.max(0, time - half);
  const to = Math.min(duration, time + half);
  const seconds = (to - from) / micro;
  const thing = thingAt(lane, time);
  if (thing && thing.type === "hang") {
    const hang = thing.item;
    return [hang.severity + " of " + secondsText(hang.durationSeconds)]
      .concat(hang.blamedFunction ? ["in " + shown(hang.blamedFunction)] : [])
      .concat(lane.isMain ? partsText(lane.grid.totals(from, to), lane.grid.channels, 1) : []);
  }
  if (thing && thing.type === "phase") {
    return [shown(thing.item.name) + (thing.item.end
      ? ", " + secondsText(thing.item.end - thing.item.start) : "")];
  }
  if (lane.kind === "footprint") {
    const point = footprintAt(time);
    return [bytesText(point.footprintBytes) + " footprint, " +
      bytesText(point.residentBytes) + " resident"];
  }
  if (!lane.grid) { return []; }
  const totals = lane.grid.totals(from, to);
  if (lane.kind === "thread") {
    const names = lane.grid.channels.filter((name) => totals[name] > 0)
      .sort((left, right) => totals[right] - totals[left]);
    return names.length === 0 ? ["not alive"] : names.slice(0, 3).map(
      (name) => (stateNames[name] || words(name)) + " " + percentText(totals[name] / (to - from)));
  }
  if (lane.kind === "power") {
    return lane.grid.channels.map(
      (part) => powerNames[part] + " " + brief(totals[part] / seconds) + " W");
  }
  if (lane.kind === "cpu") {
    return [percentText(totals.running / micro / seconds) + " of a core"];
  }
  if (lane.kind === "wakeups") {
    const causes = Object.keys(causeColors).filter((cause) => totals[cause] >= 0.01);
    return causes.length === 0 ? ["none"]
      : causes.map((cause) => words(cause) + " " + brief(totals[cause]));
  }
  if (lane.kind === "radio") {
    const state = lane.grid.channels.slice().sort((a, b) => totals[b] - totals[a])[0];
    return [words(state) + ", " + brief(timeline.radio.watts[state] || 0) + " W"].concat(
      thing ? ["burst to " + thing.item.remotes.map(shown).join(", ") + ", " +
        joulesText(thing.item.energyJoules)] : []);
  }
  if (lane.kind === "network") {
    return [bytesText(totals.sent) + " sent, " + bytesText(totals.received) + " received"];
  }
  return [bytesText(totals.bytes) + " in " + countText(totals.writes, "write"),
    countText(totals.syncs, "sync")];
};

const tip = byId("tl-tip");
const cross = byId("tl-cross");

const showCursor = (time, lane, x, y) => {
  view.cursor = time;
  const left = timeToX(time);
  cross.hidden = left < 0 || left > view.width;
  cross.style.transform = "translateX(" + left + "px)";
  cross.style.height = view.height + "px";
  const span = (view.to - view.from) / micro;
  if (!lane) {
    tip.hidden = true;
    return;
  }
  clear(tip);
  tip.appendChild(make("strong", "", momentText(time / micro, span)));
  tip.appendChild(make("span", "tl-tip-lane", laneName(lane)));
  laneText(lane, time).forEach((line) => tip.appendChild(make("span", "", line)));
  tip.hidden = false;
  const width = tip.offsetWidth;
  const goesLeft = x + 14 + width > view.width;
  tip.style.transform = "translate(" + clamp(goesLeft ? x - width - 14 : x + 14, 0,
    Math.max(view.width - width, 0)) + "px," + clamp(y + 12, 0,
    Math.max(view.height - tip.offsetHeight, 0)) + "px)";
};

const hideCursor = () => {
  tip.hidden = true;
  cross.hidden = true;
};

/** Says what is at the cursor to those who do not see it. */
const announce = (time) => {
  const span = (view.to - view.from) / micro;
  const parts = visibleLanes().filter((lane) => lane.always).slice(0, 8).map((lane) => {
    const text = laneText(lane, time).join(", ");
    return text ? laneName(lane) + ": " + text : "";
  }).filter((text) => text);
  byId("tl-readout").textContent = momentText(time / micro, span) + ". " + parts.join(". ") + ".";
};

const refreshFigures = () => {
  const selection = view.selection;
  const whole = view.from <= 0 && view.to >= duration;
  const from = selection ? selection.from : view.from;
  const to = selection ? selection.to : view.to;
  const span = (view.to - view.from) / micro;
  byId("tl-figures-title").textContent = (selection ? "Selection" : whole ? "Whole recording"
    : "In view") + (whole && !selection ? "" : ", " + momentText(from / micro, span) + " to " +
    momentText(to / micro, span));
  byId("tl-zoom").disabled = !selection;
  showFigures(byId("tl-figures"), from, to, colors);
};

const showDetails = (thing) => {
  const box = byId("tl-details");
  const body = byId("tl-details-body");
  clear(body);
  box.hidden = !thing;
  if (!thing) { return; }
  const list = make("dl", "rows");
  const item = thing.item;
  describe(list, "From", momentText(thing.start, (view.to - view.from) / micro));
  if (thing.end > thing.start) { describe(list, "Length", secondsText(thing.end - thing.start)); }
  if (thing.type === "hang") {
    byId("tl-details-title").textContent = "Hang of the main thread, " + item.severity;
    if (item.blamedFunction) { describe(list, "Blame", shown(item.blamedFunction)); }
    describe(list, "Running", secondsText(item.runningSeconds), undefined, colors.running);
    describe(list, "Waiting for a CPU", secondsText(item.runnableSeconds), undefined,
      colors.runnable);
    Object.keys(item.blockedByCause).sort((left, right) =>
      item.blockedByCause[right] - item.blockedByCause[left]).forEach((cause) => {
      describe(list, "Blocked, " + words(cause), secondsText(item.blockedByCause[cause]),
        undefined, colors[cause]);
    });
  } else if (thing.type === "burst") {
    byId("tl-details-title").textContent = "Network burst, " + words(item.class);
    describe(list, "Hosts", item.remotes.map(shown).join(", ") || "unknown");
    describe(list, "Sent", bytesText(item.bytesSent));
    describe(list, "Received", bytesText(item.bytesReceived));
    describe(list, "Energy", joulesText(item.energyJoules) + ", " +
      joulesText(item.tailEnergyJoules) + " of it in tails");
  } else {
    byId("tl-details-title").textContent = shown(item.name);
  }
  body.appendChild(list);
  if (item.stack && item.stack.length > 0) {
    body.appendChild(make("h4", "", "Stack"));
    body.appendChild(stackList(item.stack));
  }
};
