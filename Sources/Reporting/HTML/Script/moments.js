// When the time of a flame graph was, as the report packed it (see FlameMoments in the sources).

/** When a flame graph's time was: where each part began and ended, its node, and how much it was;
 * all in microseconds. */
const momentsOf = (graph) => {
  const packed = new PackedNumbers(graph.moments.data);
  const quantum = graph.moments.quantum;
  const moments = [];
  let cell = 0;
  while (!packed.isOver) {
    cell += packed.next();
    const length = packed.next();
    const node = packed.next();
    moments.push({
      start: cell * quantum, end: (cell + length) * quantum, node: node, amount: packed.next()
    });
  }
  return moments;
};

/** Seconds that ended at each node within a span, times in microseconds. */
const ownSecondsOf = (graph, from, to) => {
  graph.decoded = graph.decoded || momentsOf(graph);
  const seconds = new Float64Array(graph.parents.length);
  graph.decoded.forEach((moment) => {
    const length = moment.end - moment.start;
    const share = length === 0 ? (moment.start >= from && moment.start < to ? 1 : 0)
      : clamp((Math.min(moment.end, to) - Math.max(moment.start, from)) / length, 0, 1);
    seconds[moment.node] += moment.amount / micro * share;
  });
  return seconds;
};
