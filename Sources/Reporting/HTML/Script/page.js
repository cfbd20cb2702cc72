// The page itself: its theme, the download, links into the timeline, and how it prints.

const themes = ["auto", "light", "dark"];

const setTheme = (theme) => {
  const button = byId("theme");
  if (theme === "auto") {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = theme;
  }
  button.textContent = "Theme: " + theme;
  button.setAttribute("aria-label",
    "Theme: " + (theme === "auto" ? "as the system has it" : theme));
  if (timeline && canvas) { relayout(); }
};

const startTheme = () => {
  const button = byId("theme");
  if (!button) { return; }
  let index = 0;
  button.addEventListener("click", () => {
    index = (index + 1) % themes.length;
    setTheme(themes[index]);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    if (timeline && canvas) { relayout(); }
  });
};

const startDownload = () => {
  const button = byId("download");
  if (!button) { return; }
  button.addEventListener("click", () => {
    const text = JSON.stringify(report, null, 2) + "\n";
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    const name = report.process ? report.process.name : "comparison";
    link.download = String(name).replace(/[^A-Za-z0-9._-]+/g, "_") + "-lull.json";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
};

/** Opens the details that a link leads to. */
const openTarget = () => {
  const target = location.hash.length > 1 ? byId(decodeURIComponent(location.hash.slice(1))) : null;
  for (let at = target; at; at = at.parentElement) {
    if (at.tagName === "DETAILS") { at.open = true; }
  }
  if (target) { target.scrollIntoView(); }
};

const startLinks = () => {
  document.addEventListener("click", (event) => {
    const button = event.target.closest(".jump-time");
    if (button && timeline && canvas) { goTo(Number(button.dataset.time)); }
    const gauge = event.target.closest(".gauges .gauge");
    if (gauge) {
      const input = byId("finding-filter");
      input.value = gauge.dataset.category;
      input.dispatchEvent(new Event("input"));
    }
  });
  window.addEventListener("hashchange", openTarget);
  openTarget();
};

const startPrinting = () => {
  window.addEventListener("beforeprint", () => {
    if (!timeline || !canvas) { return; }
    setView(0, duration);
    draw();
  });
};

document.documentElement.classList.add("has-script");
startTimeline();
document.querySelectorAll(".table-group").forEach(startTable);
startFindingFilter();
startFlame();
startTheme();
startDownload();
startLinks();
startPrinting();
document.documentElement.dataset.ready = "yes";
