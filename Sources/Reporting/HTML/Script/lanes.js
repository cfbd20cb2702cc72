// What the timeline shows, from top to bottom, and where.

const duration = timeline ? Math.max(timeline.durationSeconds * micro, 1) : 1;
const signals = report ? report.signals : null;
const mainThread = signals ? signals.mainThread : null;
const hangs = mainThread && mainThread.hasEventLoop ? mainThread.hangs : [];
const bursts = signals && signals.network ? signals.network.bursts : [];
/** The most that was held: the kernel knows of more than two readings show. */
const peakFootprint = signals && signals.memory ? signals.memory.peakFootprintBytes : 0;
const cpuCount = report && report.trace && report.trace.cpuCount ? report.trace.cpuCount : 1;

/** Threads beyond the main one that are shown before all are asked for. */
const threadsShown = 3;

const roleNames = {
  main: "Main thread", "event loop": "Event loop", "cooperative pool": "Swift pool",
  "dispatch worker": "Worker", "thread pool": "Thread pool"
};

/** What a thread does says more than its name, which many share. */
const threadLabel = (lane) => roleNames[lane.role] || "Thread";

/** A lane's name in a line of text: threads of a role are told apart by their ids. */
const laneName = (lane) => lane.label + (lane.tid ? " " + lane.tid : "");

const makeLanes = () => {
  if (!timeline) { return []; }
  const lanes = [];
  const named = (kind) => timeline.lanes.filter((lane) => lane.kind === kind);
  const add = (id, kind, label, detail, height, lane, extra) => lanes.push(Object.assign({
    id: id, kind: kind, label: label, detail: detail, height: height, lane: lane,
    grid: lane ? new Grid(lane) : null, top: 0, always: true
  }, extra));
  if (timeline.phases.length > 0) {
    add("phases", "phases", "Phases", "launch, marks", 22, null);
  }
  named("thread").forEach((lane, index) => {
    const isMain = lane.role === "main";
    if (isMain && hangs.length > 0) {
      add("hangs", "hangs", "Hangs", countText(hangs.length, "long turn"), 20, null);
    }
    add("thread-" + lane.tid, "thread", threadLabel(lane), shown(lane.name || "thread"),
      isMain ? 64 : 26, lane, { always: index <= threadsShown, isMain: isMain, tid: lane.tid });
  });
  named("cpu").forEach((lane) => {
    add("cpu", "cpu", "CPU", countText(cpuCount, "core") + " at most", 44, lane);
  });
  named("wakeups").forEach((lane) => add("wakeups", "wakeups", "Wakeups", "by cause", 44, lane));
  named("radio").forEach((lane) => {
    add("radio", "radio", "Radio", shown(signals.network.radio.profile) + " model", 48, lane);
  });
  named("network").forEach((lane) => {
    add("network", "network", lane.name === "loopback" ? "Loopback" : "Network",
      "sent up, received down", 44, lane);
  });
  named("disk").forEach((lane) => add("disk", "disk", "Disk", "writes, syncs on top", 44, lane));
  if (timeline.footprint.length > 1) {
    add("footprint", "footprint", "Footprint", "memory", 56, null);
  }
  if (timeline.prices) {
    const gridOf = (kind) => (lanes.find((one) => one.kind === kind) || {}).grid || null;
    add("power", "power", "Power", "all parts stacked", 56, null,
      { grid: new PowerGrid(gridOf) });
    // Above what it is the sum of.
    const first = lanes.findIndex((lane) => ["cpu", "wakeups", "radio"].includes(lane.kind));
    if (first >= 0) { lanes.splice(first, 0, lanes.pop()); }
  }
  return lanes;
};

const lanes = makeLanes();
const laneOf = (kind) => lanes.find((lane) => lane.kind === kind);
const mainLane = lanes.find((lane) => lane.isMain);

/** The part of the axis that is shown, what is selected, and how. */
const view = {
  from: 0, to: duration, cursor: null, selection: null, allThreads: false,
  width: 0, height: 0, ratio: 1, dragPans: false
};

/** Told when another span is chosen, or none. */
const spanListeners = [];

const visibleLanes = () => lanes.filter((lane) => lane.always || view.allThreads);

const timeToX = (time) => (time - view.from) / (view.to - view.from) * view.width;
const xToTime = (x) => view.from + x / view.width * (view.to - view.from);

/** How much of a start is left out of what is shown first. */
const idleShare = 0.15;

/** Where the first hundredth of the CPU time is over: a late one follows on idleness. */
const firstMoment = () => {
  const lane = laneOf("cpu");
  if (!lane) { return 0; }
  const all = lane.grid.totals(0, duration).running;
  let low = 0;
  let high = duration;
  while (high - low > duration / 1e4) {
    const middle = (low + high) / 2;
    if (lane.grid.totals(0, middle).running < all / 100) { low = middle; } else { high = middle; }
  }
  // Phases begin with the program; marks and hangs are what somebody looks for.
  const others = timeline.phases.filter((phase) => !phase.end).concat(hangs)
    .map((thing) => thing.start * micro);
  const first = Math.min(low, ...others);
  const begin = first - (duration - first) / 20;
  return begin > duration * idleShare ? begin : 0;
};

/** The hang, burst or phase nearest to a place on a lane, within a few pixels. */
const thingAt = (lane, time) => {
  const slack = 4 * (view.to - view.from) / Math.max(view.width, 1);
  const within = (start, end) => time >= start * micro - slack && time <= end * micro + slack;
  const size = (thing) => thing.end - thing.start;
  let things = [];
  if (lane.kind === "hangs" || lane.isMain) {
    things = hangs.filter((hang) => within(hang.start, hang.start + hang.durationSeconds))
      .map((hang) => ({
        type: "hang", item: hang, start: hang.start, end: hang.start + hang.durationSeconds
      }));
  } else if (lane.kind === "radio" || lane.kind === "network") {
    things = bursts.filter((burst) => within(burst.start, burst.start + burst.durationSeconds))
      .map((burst) => ({
        type: "burst", item: burst, start: burst.start, end: burst.start + burst.durationSeconds
      }));
  } else if (lane.kind === "phases") {
    things = timeline.phases.filter((phase) => within(phase.start, phase.end || phase.start))
      .map((phase) => ({
        type: "phase", item: phase, start: phase.start, end: phase.end || phase.start
      }));
  }
  return things.sort((left, right) => size(left) - size(right))[0] || null;
};
