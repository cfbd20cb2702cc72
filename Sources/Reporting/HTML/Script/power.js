// The power of all parts over time, computed from the lanes of what costs it.

const powerNames = { cpu: "CPU", wakeups: "wakeups", radio: "radio", disk: "disk" };

/** As a grid of its own: joules of each part. */
class PowerGrid {
  constructor(gridOf) {
    const price = timeline.prices;
    const watts = timeline.radio ? timeline.radio.watts : {};
    const parts = {
      cpu: [[gridOf("cpu"), { running: price.wattsPerCore / 1e6 }]],
      wakeups: [[gridOf("wakeups"), { leftIdle: price.joulesPerWakeup }]],
      radio: [
        [gridOf("radio"), Object.fromEntries(
          Object.keys(watts).map((state) => [state, watts[state] / 1e6]))],
        [gridOf("network"), { nanojoules: 1e-9 }]
      ],
      disk: [[gridOf("disk"), {
        operations: price.joulesPerOperation, bytes: price.joulesPerByte,
        randomBlocks: price.joulesPerRandomBlock
      }]]
    };
    this.channels = Object.keys(parts).filter((part) => parts[part].some(([grid]) => grid));
    this.sources = this.channels.map((part) => parts[part].filter(([grid]) => grid)
      .map(([grid, prices]) => [grid, grid.channels.map((name) => prices[name] || 0)]));
  }

  totals(from, to) {
    const totals = {};
    this.channels.forEach((part, index) => {
      totals[part] = this.sources[index].reduce((sum, [grid, prices]) => {
        const amounts = grid.totals(from, to);
        return sum + grid.channels.reduce(
          (all, name, channel) => all + amounts[name] * prices[channel], 0);
      }, 0);
    });
    return totals;
  }

  columns(from, to, count) {
    const all = new Float64Array(count * this.channels.length);
    this.sources.forEach((sources, part) => sources.forEach(([grid, prices]) => {
      const amounts = grid.columns(from, to, count);
      const channels = prices.length;
      for (let column = 0; column < count; column += 1) {
        let joules = 0;
        for (let channel = 0; channel < channels; channel += 1) {
          joules += amounts[column * channels + channel] * prices[channel];
        }
        all[column * this.channels.length + part] += joules;
      }
    }));
    return all;
  }
}
