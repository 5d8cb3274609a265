"use strict";
// The page is whole without this: it only hides what was not asked for and opens folds.
(() => {
  const get = (id) => document.getElementById(id);
  const providers = [...document.querySelectorAll("details.provider")];
  const marked = new Map();
  for (const row of document.querySelectorAll("[data-p]")) {
    const place = row.dataset.p;
    if (!marked.has(place)) marked.set(place, []);
    marked.get(place).push(row);
  }
  const apply = () => {
    const wanted = get("name").value.trim().toLowerCase();
    const bad = get("bad").checked;
    let found = 0;
    for (const one of providers) {
      const shown = one.dataset.n.toLowerCase().includes(wanted) && !(bad && "hn".includes(one.dataset.s));
      found += shown;
      for (const row of marked.get(one.dataset.p)) row.hidden = !shown;
    }
    get("found").textContent = wanted || bad ? `${found} of ${providers.length} providers` : "";
  };
  // A link into a fold opens it, also in browsers that do not do so themselves.
  const follow = () => {
    const target = get(decodeURIComponent(location.hash.slice(1)));
    const fold = target && target.closest("details");
    if (!fold) return;
    fold.hidden = false;
    fold.open = true;
    fold.scrollIntoView();
    fold.querySelector("summary").focus();
  };
  get("filter").hidden = false;
  get("filter").addEventListener("submit", (event) => event.preventDefault());
  get("name").addEventListener("input", apply);
  get("bad").addEventListener("change", apply);
  get("open").addEventListener("click", () => {
    const folds = [...document.querySelectorAll("details.provider, details.contract")].filter((one) => !one.hidden);
    const open = folds.some((one) => !one.open);
    for (const one of folds) one.open = open;
    get("open").textContent = open ? "Close all folds" : "Open all folds";
  });
  addEventListener("hashchange", follow);
  follow();
})();
