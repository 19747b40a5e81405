// Comfort only: without this file every page works, apart from rows that arrive while one looks.
"use strict";
(() => {
  const root = document.documentElement;
  const stored = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const recall = (name) => { try { return JSON.parse(localStorage.getItem(name)); } catch { return null; } };
  const keep = (name, value) => { try { localStorage.setItem(name, JSON.stringify(value)); } catch { /* private window */ } };
  // Run before the first paint, so that a chosen theme does not flash and chosen columns do not jump.
  if (stored()) root.dataset.theme = stored();
  if (Array.isArray(recall("columns"))) root.dataset.columns = recall("columns").join(" ");

  const switchTheme = () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("theme", root.dataset.theme); } catch { /* private window: until the next page */ }
  };

  const AGES = [[86400, "day", "days"], [3600, "h", "h"], [60, "min", "min"]];
  const age = (then, now) => {
    const seconds = Math.floor((now - then) / 1000);
    if (seconds < 5) return "just now";
    for (const [length, one, many] of AGES) {
      if (seconds >= length) { const n = Math.floor(seconds / length); return `${n} ${n === 1 ? one : many} ago`; }
    }
    return `${seconds} s ago`;
  };

  const pad = (n, width = 2) => String(n).padStart(width, "0");
  const clock = (d) => `${pad(d.getHours())}:${pad(d.getMinutes())}:${pad(d.getSeconds())}.${pad(d.getMilliseconds(), 3)}`;
  const zone = () => {
    const part = new Intl.DateTimeFormat("en", { timeZoneName: "short" }).formatToParts(new Date());
    return part.find((p) => p.type === "timeZoneName").value;
  };
  const write = (node, text) => { if (node.textContent !== text) node.textContent = text; };

  const tellTimes = () => {
    const now = Date.now();
    for (const node of document.querySelectorAll("time[data-age]")) write(node, age(Date.parse(node.dateTime), now));
    for (const node of document.querySelectorAll("time[data-local]")) {
      const d = new Date(node.dateTime);
      const day = `${d.getFullYear()}-${pad(d.getMonth() + 1)}-${pad(d.getDate())}`;
      write(node, node.dataset.local === "full" ? `${day} ${clock(d)} ${zone()}` : clock(d));
    }
    for (const node of document.querySelectorAll("[data-zone]")) write(node, `local (${zone()}), UTC on hover`);
  };

  const showControls = () => {
    for (const node of document.querySelectorAll("[data-copy][hidden], [data-copy-from][hidden], [data-theme-switch][hidden], [data-help][hidden]")) node.hidden = false;
  };

  const copy = async (button) => {
    const from = button.dataset.copyFrom;
    const label = button.querySelector("[data-label]");
    let done = "Copied";
    try {
      const text = from ? await (await fetch(from)).text() : button.dataset.copy === "address" ? location.href : button.dataset.copy;
      await navigator.clipboard.writeText(text);
    } catch { done = "Not copied"; }
    if (!label) { button.setAttribute("title", done); return; }
    const before = label.textContent;
    if (before === done) return;
    label.textContent = done;
    setTimeout(() => { label.textContent = before; }, 1500);
  };

  const links = () => [...document.querySelectorAll("a.row-link")].filter((a) => a.checkVisibility());
  const step = (by) => {
    const all = links();
    if (!all.length) return;
    const here = all.indexOf(document.activeElement);
    const next = all[here < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, here + by))];
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  };

  const chooseColumns = (menu) => {
    const boxes = [...menu.querySelectorAll("input")];
    const chosen = recall("columns") ?? ["what", "ran", "took", "when"];
    for (const box of boxes) box.checked = chosen.includes(box.value);
    menu.addEventListener("change", () => {
      const now = boxes.filter((box) => box.checked).map((box) => box.value);
      keep("columns", now);
      root.dataset.columns = now.join(" ");
    });
    menu.hidden = false;
  };

  // Ways to narrow a list take room: who closed them once, or has a small screen, finds them closed.
  const foldFacets = () => {
    const facets = document.querySelector(".facets");
    if (!facets) return;
    facets.open = recall("facets") ?? matchMedia("(min-width: 44.01rem)").matches;
    facets.querySelector("summary").addEventListener("click", () => keep("facets", !facets.open));
  };

  const saved = () => (Array.isArray(recall("searches")) ? recall("searches") : []).filter((it) => typeof it?.query === "string");
  const listSaved = (menu) => {
    const item = (it) => {
      const li = document.createElement("li");
      const link = Object.assign(document.createElement("a"), { href: `/calls?${it.query}`, textContent: it.name });
      const remove = Object.assign(document.createElement("button"), { type: "button", textContent: "×" });
      remove.setAttribute("aria-label", `Forget ${it.name}`);
      remove.addEventListener("click", () => {
        keep("searches", saved().filter((other) => other.name !== it.name));
        listSaved(menu);
      });
      li.append(link, remove);
      return li;
    };
    menu.querySelector("ul").replaceChildren(...saved().map(item));
  };
  const keepSearches = (menu) => {
    const form = menu.querySelector("form");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const name = form.elements.name.value.trim();
      keep("searches", [...saved().filter((it) => it.name !== name), { name, query: location.search.slice(1) }]);
      form.reset();
      listSaved(menu);
    });
    listSaved(menu);
    menu.hidden = false;
  };

  const keys = {
    "/": () => { const box = document.getElementById("search"); box.focus(); box.select(); },
    j: () => step(1),
    k: () => step(-1),
    t: switchTheme,
    "?": () => document.getElementById("help").showModal(),
  };
  const typing = (node) => node.matches?.("input:not([type=checkbox]), textarea, select, [contenteditable]");

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key === "Escape") {
      if (typing(event.target)) event.target.blur();
      document.querySelectorAll(".menu-of[open]").forEach((menu) => { menu.open = false; });
    }
    if (typing(event.target) || document.querySelector("dialog[open]") || !(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  });

  document.addEventListener("click", (event) => {
    const target = event.target.closest?.("[data-copy], [data-copy-from], [data-theme-switch], [data-help]");
    if (!target) return;
    if ("themeSwitch" in target.dataset) switchTheme();
    else if ("help" in target.dataset) keys["?"]();
    else copy(target);
  });

  // Whoever asked for older calls by keyboard goes on from the first of them.
  let resumeAt = -1;
  document.addEventListener("htmx:before:swap", () => {
    resumeAt = document.activeElement?.closest?.("#more") ? links().length : -1;
  });
  document.addEventListener("htmx:after:swap", () => {
    tellTimes();
    showControls();
    foldFacets();
    if (resumeAt >= 0) links()[resumeAt]?.focus({ preventScroll: true });
    resumeAt = -1;
  });

  document.addEventListener("DOMContentLoaded", () => {
    showControls();
    document.querySelectorAll("[data-columns]").forEach((menu) => menu !== root && chooseColumns(menu));
    foldFacets();
    document.querySelectorAll("[data-saved]").forEach(keepSearches);
    tellTimes();
    setInterval(tellTimes, 5000);
  });
})();
