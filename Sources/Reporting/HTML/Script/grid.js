// The amounts of a lane over time, as the report packed them (see GridEncoder in the sources).

class Grid {
  constructor(lane) {
    this.channels = lane.channels;
    const packed = new PackedNumbers(lane.data);
    const quantum = lane.quantum;
    const starts = [];
    const ends = [];
    const sums = lane.channels.map(() => [0]);
    let cell = 0;
    const add = (cells, amounts) => {
      starts.push(cell * quantum);
      cell += cells;
      ends.push(cell * quantum);
      sums.forEach((sum, channel) => {
        sum.push(sum[sum.length - 1] + (amounts[channel] || 0));
      });
    };
    while (!packed.isOver) {
      const token = packed.next();
      const kind = token % 4;
      const count = Math.floor(token / 4);
      if (kind === 0) {
        cell += count;
      } else if (kind === 2) {
        const amounts = {};
        for (let channel = 0; channel < sums.length; channel += 1) {
          if (count & (1 << channel)) { amounts[channel] = packed.next(); }
        }
        add(1, amounts);
      } else {
        const channel = packed.next();
        add(count, { [channel]: count * (kind === 1 ? quantum : packed.next()) });
      }
    }
    this.starts = Float64Array.from(starts);
    this.ends = Float64Array.from(ends);
    this.sums = sums.map((sum) => Float64Array.from(sum));
  }

  /** The last run that begins at or before a time, or -1. */
  find(time) {
    let low = 0;
    let high = this.starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.starts[middle] <= time) { low = middle + 1; } else { high = middle; }
    }
    return low - 1;
  }

  /** What each channel has amounted to up to a time that lies in or after a run. */
  upTo(time, run, into, at) {
    if (run < 0) {
      for (let channel = 0; channel < this.sums.length; channel += 1) { into[at + channel] = 0; }
      return;
    }
    const start = this.starts[run];
    const share = clamp((time - start) / (this.ends[run] - start), 0, 1);
    for (let channel = 0; channel < this.sums.length; channel += 1) {
      const sum = this.sums[channel];
      into[at + channel] = sum[run] + (sum[run + 1] - sum[run]) * share;
    }
  }

  /** What each channel amounts to between two times, in microseconds. */
  totals(from, to) {
    const before = new Float64Array(this.sums.length);
    const after = new Float64Array(this.sums.length);
    this.upTo(from, this.find(from), before, 0);
    this.upTo(to, this.find(to), after, 0);
    const result = {};
    this.channels.forEach((name, channel) => { result[name] = after[channel] - before[channel]; });
    return result;
  }

  /** The amounts in each of so many equal columns: column by column, channel by channel. */
  columns(from, to, count) {
    const width = this.sums.length;
    const result = new Float64Array(width * count);
    const edge = new Float64Array(width);
    const last = new Float64Array(width);
    let run = this.find(from);
    this.upTo(from, run, last, 0);
    for (let column = 0; column < count; column += 1) {
      const time = from + (to - from) * (column + 1) / count;
      while (run + 1 < this.starts.length && this.starts[run + 1] <= time) { run += 1; }
      this.upTo(time, run, edge, 0);
      for (let channel = 0; channel < width; channel += 1) {
        result[column * width + channel] = edge[channel] - last[channel];
        last[channel] = edge[channel];
      }
    }
    return result;
  }
}
