// The figures of a span of time, recomputed from the lanes.

/** A lane's totals with the report's own of the whole recording, which no cells have rounded. */
const wholeOf = (totals, own) => {
  if (!totals) { return null; }
  Object.keys(totals).forEach((name) => {
    if (typeof own[name] === "number") { totals[name] = own[name]; }
  });
  return totals;
};

/** Seconds of each state as lanes count them. */
const inMicroseconds = (seconds) => Object.fromEntries(
  Object.keys(seconds).map((state) => [state, seconds[state] * micro]));

/** Everything that a span amounts to; times in seconds, null where it was not measured. */
const figuresOf = (from, to) => {
  const seconds = (to - from) / micro;
  const totals = (kind) => {
    const lane = kind === "main" ? mainLane : laneOf(kind);
    return lane && lane.grid ? lane.grid.totals(from, to) : null;
  };
  const overlapping = hangs.filter((hang) => hang.start * micro < to &&
    (hang.start + hang.durationSeconds) * micro > from);
  const points = (timeline ? timeline.footprint : [])
    .filter((point) => point.time * micro >= from && point.time * micro <= to);
  const radio = totals("radio");
  const network = totals("network");
  let joules = null;
  if (radio && timeline.radio) {
    joules = Object.keys(timeline.radio.watts).reduce(
      (sum, state) => sum + (radio[state] || 0) / micro * timeline.radio.watts[state], 0);
    joules += network.nanojoules / 1e9;
  }
  const isWhole = from <= 0 && to >= duration;
  const main = totals("main");
  const cpu = totals("cpu");
  const power = totals("power");
  if (isWhole && mainThread) {
    wholeOf(main, inMicroseconds(Object.assign({
      running: mainThread.runningSeconds, runnable: mainThread.runnableSeconds,
      idle: mainThread.idleSeconds
    }, mainThread.blockedByCause)));
  }
  if (isWhole && signals.cpu) { wholeOf(cpu, { running: signals.cpu.totalSeconds * micro }); }
  if (isWhole && signals.energy) {
    wholeOf(power, {
      cpu: signals.energy.cpuJoules, wakeups: signals.energy.wakeupJoules,
      disk: signals.energy.diskJoules
    });
  }
  // The program did not live in all of a recording that its build is in.
  const lived = isWhole
    ? report.phases.reduce((sum, phase) => sum + phase.durationSeconds, 0) || seconds : seconds;
  return {
    seconds: seconds, lived: Math.max(lived, 1e-9), main: main, cpu: cpu,
    wakeups: totals("wakeups"), power: power, radio: radio, radioJoules: joules,
    network: network, disk: totals("disk"),
    hangs: overlapping, footprint: points
  };
};

/** What a chosen span is called. */
const spanText = (span) => span
  ? "of the span from " + momentText(span.from / micro, (span.to - span.from) / micro) + " to " +
    momentText(span.to / micro, (span.to - span.from) / micro)
  : "of the whole recording";

const causesOf = (main) => Object.keys(main)
  .filter((state) => ["running", "runnable", "idle"].indexOf(state) < 0);

const showFigures = (list, from, to, colors) => {
  clear(list);
  const span = figuresOf(from, to);
  describe(list, "Span", secondsText(span.seconds), span.seconds);
  const share = (time) => secondsText(time / micro) + " (" +
    percentText(time / micro / Math.max(span.seconds, 1e-9)) + ")";
  if (span.main) {
    describe(list, "Main thread running", share(span.main.running), span.main.running / micro,
      colors.running);
    describe(list, "Waiting for a CPU", share(span.main.runnable), span.main.runnable / micro,
      colors.runnable);
    causesOf(span.main).filter((cause) => span.main[cause] > 0)
      .sort((left, right) => span.main[right] - span.main[left])
      .forEach((cause) => {
        const name = stateNames[cause] || words(cause);
        describe(list, name.charAt(0).toUpperCase() + name.slice(1), share(span.main[cause]),
          span.main[cause] / micro, colors[cause]);
      });
    describe(list, "Idle", share(span.main.idle), span.main.idle / micro);
  }
  if (hangs.length > 0) {
    const longest = span.hangs.reduce((most, hang) => Math.max(most, hang.durationSeconds), 0);
    describe(list, "Hangs", span.hangs.length === 0 ? "none"
      : countText(span.hangs.length, "hang") + ", up to " + secondsText(longest),
    span.hangs.length);
  }
  if (span.cpu) {
    describe(list, "CPU", secondsText(span.cpu.running / micro) + " (" +
      percentText(span.cpu.running / micro / span.lived) + " of a core)",
    span.cpu.running / micro);
  }
  if (span.wakeups) {
    const causes = Object.keys(span.wakeups)
      .filter((cause) => cause !== "idle" && cause !== "leftIdle");
    const total = causes.reduce((sum, cause) => sum + span.wakeups[cause], 0);
    const most = causes.filter((cause) => span.wakeups[cause] >= 0.5)
      .sort((left, right) => span.wakeups[right] - span.wakeups[left]).slice(0, 3)
      .map((cause) => words(cause) + " " + wholeText(span.wakeups[cause]));
    describe(list, "Wakeups", wholeText(total) + " (" +
      brief(total / span.lived) + " a second)" +
      (most.length > 0 ? ": " + most.join(", ") : ""), total);
  }
  if (span.power) {
    const parts = Object.keys(span.power).filter((part) => span.power[part] > 0);
    const all = parts.reduce((sum, part) => sum + span.power[part], 0);
    describe(list, "Energy", joulesText(all) + (parts.length > 0 ? ": " + parts.map(
      (part) => powerNames[part] + " " + joulesText(span.power[part])).join(", ") : ""), all);
  }
  if (span.network) {
    describe(list, laneOf("network").label, bytesText(span.network.sent) + " sent, " +
      bytesText(span.network.received) + " received", span.network.sent + span.network.received);
  }
  if (span.radioJoules !== null) {
    describe(list, "Radio", joulesText(span.radioJoules), span.radioJoules);
  }
  if (span.disk) {
    describe(list, "Written", bytesText(span.disk.bytes) + " in " +
      countText(span.disk.writes, "write"), span.disk.bytes);
    const timed = span.disk.syncs - (span.disk.syncsUntimed || 0);
    describe(list, "Syncs", wholeText(span.disk.syncs) + (timed > 0
      ? ", " + (timed < span.disk.syncs ? wholeText(timed) + " of them " : "") + "taking " +
        secondsText(span.disk.syncNanoseconds / 1e9) : ""), span.disk.syncs);
  }
  if (span.footprint.length > 0) {
    const isWhole = span.footprint.length === timeline.footprint.length;
    const peak = span.footprint.reduce(
      (most, point) => Math.max(most, point.footprintBytes), isWhole ? peakFootprint : 0);
    const change = span.footprint[span.footprint.length - 1].footprintBytes -
      span.footprint[0].footprintBytes;
    describe(list, "Footprint", bytesText(peak) + " at most, " + (change < 0 ? "−" : "+") +
      bytesText(Math.abs(change)), peak);
  }
};
