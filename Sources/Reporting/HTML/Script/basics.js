// What everything else uses: elements, the page's data, and figures for people.

const byId = (id) => document.getElementById(id);

const dataOf = (id) => {
  const element = byId(id);
  return element ? JSON.parse(element.textContent) : null;
};

const report = dataOf("report-data");
const timeline = dataOf("timeline-data");

/** Whole numbers as the report packed them: seven bits in a byte, the lowest first (LEB128). */
class PackedNumbers {
  constructor(data) {
    this.bytes = atob(data);
    this.offset = 0;
  }

  get isOver() { return this.offset >= this.bytes.length; }

  next() {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.bytes.charCodeAt(this.offset);
      this.offset += 1;
      value += (byte & 127) * scale;
      if (byte < 128) { return value; }
      scale *= 128;
    }
  }
}

/** Lanes and cursors count in microseconds, reports in seconds. */
const micro = 1e6;

/** A new element; text is only ever set as text, so that no name can become markup. */
const make = (tag, className, text) => {
  const element = document.createElement(tag);
  if (className) { element.className = className; }
  if (text !== undefined) { element.textContent = text; }
  return element;
};

const clear = (element) => {
  while (element.firstChild) { element.removeChild(element.firstChild); }
};

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

/** A name with what cannot be seen, or would mislead, written as escapes. */
const shown = (name) => String(name).replace(
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}\u115F\u1160\u3164\uFFA0\u2800]|\u034F/gu,
  (character) => {
    const code = character.codePointAt(0);
    if (code === 10) { return "\\n"; }
    if (code === 9) { return "\\t"; }
    if (code === 13) { return "\\r"; }
    const digits = code.toString(16).toUpperCase();
    return code < 0x100 ? "\\x" + digits.padStart(2, "0") : "\\u{" + digits + "}";
  });

const trimmed = (text) => text.indexOf(".") < 0 ? text : text.replace(/\.?0+$/, "");

/** A number with about three digits that mean something. */
const brief = (value) => {
  const size = Math.abs(value);
  if (size === 0) { return "0"; }
  if (size >= 100) { return value.toFixed(0); }
  if (size >= 10) { return value.toFixed(1); }
  if (size >= 0.1) { return trimmed(value.toFixed(2)); }
  return trimmed(value.toFixed(4));
};

const secondsText = (value) => {
  const size = Math.abs(value);
  if (size === 0) { return "0 s"; }
  if (size >= 120) { return (value / 60).toFixed(1) + " min"; }
  if (size >= 1) { return brief(value) + " s"; }
  if (size >= 1e-3) { return brief(value * 1e3) + " ms"; }
  if (size >= 1e-6) { return brief(value * 1e6) + " µs"; }
  return brief(value * 1e9) + " ns";
};

const bytesText = (value) => {
  const size = Math.abs(value);
  if (size >= 1e9) { return brief(value / 1e9) + " GB"; }
  if (size >= 1e6) { return brief(value / 1e6) + " MB"; }
  if (size >= 1e3) { return brief(value / 1e3) + " kB"; }
  return Math.round(value) + " B";
};

const joulesText = (value) => {
  const size = Math.abs(value);
  if (size >= 1e4) { return brief(value / 1e3) + " kJ"; }
  return size === 0 || size >= 1 ? brief(value) + " J" : brief(value * 1e3) + " mJ";
};

const percentText = (share) => brief(share * 100) + " %";

const wholeText = (value) => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");

const countText = (value, noun) => wholeText(value) + " " + noun +
  (Math.round(value) === 1 ? "" : "s");

/** A moment on the axis, with as many digits as the span in view needs. */
const momentText = (seconds, span) => {
  const digits = span > 100 ? 1 : clamp(Math.ceil(-Math.log10(span / 1000)), 1, 6);
  return seconds.toFixed(digits) + " s";
};

/** A key such as `sameProcess` in words. */
const words = (key) => shown(key).replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();

const stateNames = {
  running: "running", runnable: "waiting for a CPU", idle: "idle", file: "blocked on a file",
  sync: "blocked in a sync", network: "blocked on the network", lock: "blocked on a lock",
  sleep: "sleeping", child: "waiting for a child process", pageFault: "blocked on a page fault",
  ipc: "blocked on a pipe or socket", other: "blocked otherwise",
  unknown: "waiting for what is not known"
};

const placeOf = (frame) => {
  const last = (path) => shown(path.slice(path.lastIndexOf("/") + 1));
  if (frame.file) {
    return last(frame.file) + (frame.line === null || frame.line === undefined
      ? "" : ":" + frame.line);
  }
  return last(frame.module || "");
};

/** A stack as a list, innermost frame first. */
const stackList = (stack) => {
  const list = make("ol", "frames");
  stack.forEach((frame) => {
    const item = make("li", frame.isProgram ? "own" : "");
    item.appendChild(make("code", "", shown(frame.function)));
    item.appendChild(document.createTextNode(" "));
    item.appendChild(make("span", "place", placeOf(frame)));
    list.appendChild(item);
  });
  return list;
};

/** Adds a term and what it means to a description list; `value` is the bare number. */
const describe = (list, term, text, value, style) => {
  const group = make("div");
  const head = make("dt");
  if (style) {
    const swatch = make("span", "swatch");
    swatch.style.background = style;
    head.appendChild(swatch);
  }
  head.appendChild(document.createTextNode(term));
  const body = make("dd", "", text);
  if (value !== undefined) { body.dataset.value = value; }
  group.appendChild(head);
  group.appendChild(body);
  list.appendChild(group);
};
