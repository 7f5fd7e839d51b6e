// Tables at the desk: a grid by keyboard, whose rows are one text for drafts and decisions. Loaded before both: without
// it the cells are plain inputs with names of their own.

const cells = (row) => [...row.querySelectorAll("[data-cell]")];
const rows = (grid) => [...grid.tBodies[0].rows];
const gridOf = (element) => element?.closest?.("[data-field]")?.querySelector("[data-grid]");
const holder = (grid) => grid.closest("[data-field]").querySelector("[data-grid-value]");
const plain = (text) => text.replace(/\s+/g, " ").trim();
const read = (text) => text.split(/\r\n|\r|\n/).filter((line) => line.trim()).map((line) => line.split("\t").map(plain));
const write = (grid) => rows(grid).map((row) => cells(row).map((one) => plain(one.value)))
  .filter((row) => row.some(Boolean)).map((row) => row.join("\t")).join("\n");

let last = null; // the cell that was in last
const before = []; // texts of grids before rows were added, deleted, split or merged, for Ctrl+Z

// ---- the one text ------------------------------------------------------------------------------------------------
function tell(grid, kind = "input") {
  const value = holder(grid);
  const text = write(grid);
  if (kind === "input" && value.value === text) return;
  value.value = text;
  value.dispatchEvent(new Event(kind, { bubbles: true }));
  sum(grid);
}

// What a column adds up to beside the field that says what it should; figures that cannot be read say nothing.
function sum(grid) {
  const told = grid.closest("[data-field]").querySelector("[data-sum]");
  const heads = [...grid.tHead.rows[0].cells];
  const at = heads.findIndex((head) => head.dataset.total);
  if (at < 1 || !told) return;
  const figures = rows(grid).map((row) => cells(row)[at - 1].value.trim()).filter(Boolean);
  const known = figures.length && figures.every((one) => /^-?\d+(\.\d+)?$/.test(one));
  const total = document.querySelector(`[name="field-${heads[at].dataset.total}"]`)?.value.trim();
  const added = figures.reduce((one, other) => one + Math.round(Number(other) * 10000), 0) / 10000;
  told.hidden = !known;
  if (!known) return;
  const label = heads[at].dataset.label;
  const plainly = /^-?\d+(\.\d+)?$/.test(total || ""); // of any other text the server says whether it fits
  const off = plainly && Math.abs(Number(total) - added) > 0.00005;
  const about = { label, added: added.toFixed(2), total };
  if (!plainly) told.textContent = said("%(label)s adds up to %(added)s", about);
  else if (off) told.textContent = said("%(label)s adds up to %(added)s, not %(total)s", about);
  else told.textContent = said("%(label)s adds up to %(added)s, as it should", about);
  told.classList.toggle("warn-text", Boolean(off));
}

// ---- rows --------------------------------------------------------------------------------------------------------
function blank(grid) {
  const row = grid.tBodies[0].rows[0].cloneNode(true);
  delete row.dataset.blank;
  for (const one of cells(row)) {
    one.value = "";
    one.dataset.cell = one.dataset.page = "";
    one.classList.remove("doubt");
    for (const name of ["id", "aria-invalid", "aria-describedby"]) one.removeAttribute(name);
  }
  return row;
}

function number(grid) {
  const labels = [...grid.tHead.rows[0].cells].slice(1).map((head) => head.dataset.label);
  rows(grid).forEach((row, place) => {
    row.cells[0].textContent = place + 1;
    cells(row).forEach((one, at) => one.setAttribute("aria-label", `${labels[at]}, row ${place + 1}`));
  });
}

function fill(grid, text) {
  const wanted = read(text);
  while (rows(grid).length < Math.max(wanted.length, 1)) grid.tBodies[0].append(blank(grid));
  while (rows(grid).length > Math.max(wanted.length, 1)) rows(grid).at(-1).remove();
  rows(grid).forEach((row, place) => cells(row).forEach((one, at) => { one.value = wanted[place]?.[at] || ""; }));
  number(grid);
}

function change(grid, how) {
  before.push([grid, write(grid), last]);
  how();
  number(grid);
  tell(grid);
  tell(grid, "change");
}

function enter(grid, place, at, caret = null) {
  const row = rows(grid)[Math.max(0, Math.min(place, rows(grid).length - 1))];
  const one = cells(row)[at];
  one.focus();
  if (caret === null) one.select();
  else one.setSelectionRange(caret, caret);
}

const ACTS = {
  add(grid, row, at) {
    change(grid, () => row.after(blank(grid)));
    enter(grid, rows(grid).indexOf(row) + 1, 0);
  },
  delete(grid, row, at) {
    const place = rows(grid).indexOf(row);
    change(grid, () => {
      if (rows(grid).length === 1) grid.tBodies[0].append(blank(grid));
      row.remove();
    });
    enter(grid, place, at);
  },
  split(grid, row, at) {
    const one = cells(row)[at];
    const caret = one.selectionStart ?? one.value.length;
    change(grid, () => {
      const below = blank(grid);
      cells(below)[at].value = one.value.slice(caret).trim();
      one.value = one.value.slice(0, caret).trim();
      row.after(below);
    });
    enter(grid, rows(grid).indexOf(row) + 1, at, 0);
  },
  merge(grid, row, at) {
    const below = row.nextElementSibling;
    if (!below) return;
    change(grid, () => {
      cells(row).forEach((one, place) => { one.value = plain(`${one.value} ${cells(below)[place].value}`); });
      below.remove();
    });
    enter(grid, rows(grid).indexOf(row), at);
  },
};

function act(name, one) {
  const grid = gridOf(one);
  const row = one?.closest("tr");
  if (grid && row && holder(grid)) ACTS[name](grid, row, cells(row).indexOf(one));
}

function undo() {
  const [grid, text, one] = before.pop();
  if (!grid.isConnected) return;
  fill(grid, text);
  tell(grid);
  tell(grid, "change");
  if (one?.isConnected) one.focus();
}

// ---- keyboard ----------------------------------------------------------------------------------------------------
function move(event, one) {
  const [grid, row] = [gridOf(one), one.closest("tr")];
  const [place, at] = [rows(grid).indexOf(row), cells(row).indexOf(one)];
  const all = cells(row);
  const whole = one.selectionStart === 0 && one.selectionEnd === one.value.length;
  if (event.key === "ArrowUp" && place > 0) return enter(grid, place - 1, at), true;
  if (event.key === "ArrowDown" && place + 1 < rows(grid).length) return enter(grid, place + 1, at), true;
  if (event.key === "ArrowLeft" && at > 0 && (whole || one.selectionEnd === 0)) return enter(grid, place, at - 1), true;
  const end = one.selectionStart === one.value.length;
  if (event.key === "ArrowRight" && at + 1 < all.length && (whole || end)) return enter(grid, place, at + 1), true;
  if (event.key !== "Enter") return event.key === "ArrowUp" || event.key === "ArrowDown"; // never out of the grid
  if (place + 1 < rows(grid).length) enter(grid, place + 1, at);
  else if (all.some((cell) => cell.value.trim())) ACTS.add(grid, row, at);
  return true;
}

document.addEventListener("keydown", (event) => {
  const one = event.target;
  if (!one.matches?.("[data-cell]") || one.readOnly || event.isComposing) return;
  const control = event.ctrlKey || event.metaKey;
  let done = false;
  if (control && event.key === "Enter") done = !act("add", one);
  else if (control && event.key === "Delete") done = !act("delete", one);
  else if (event.altKey && event.code === "KeyS") done = !act("split", one);
  else if (event.altKey && event.code === "KeyM") done = !act("merge", one);
  else if (control && event.key === "z" && before.length) done = !undo();
  else if (!control && !event.altKey && !event.shiftKey) done = move(event, one);
  if (!done) return;
  event.preventDefault();
  event.stopPropagation();
}, true);

document.addEventListener("input", (event) => {
  if (!event.target.matches("[data-cell]")) return;
  before.length = 0; // from here on the browser's own undo counts
  event.target.classList.remove("doubt");
  tell(gridOf(event.target));
});
document.addEventListener("input", (event) => { // what a column should add up to may be what was wrong
  if (!event.target.name?.startsWith("field-")) return;
  for (const grid of document.querySelectorAll("#desk [data-grid]")) if (holder(grid)) sum(grid);
});
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-cell]")) tell(gridOf(event.target), "change");
});

// Rows of a spreadsheet fill the grid from the cell on; a heading like the grid's own is left out.
document.addEventListener("paste", (event) => {
  const one = event.target;
  const text = event.clipboardData?.getData("text/plain") || "";
  if (!one.matches?.("[data-cell]") || one.readOnly || !/[\t\n\r]/.test(text.trim())) return;
  event.preventDefault();
  const grid = gridOf(one);
  const labels = [...grid.tHead.rows[0].cells].slice(1).map((head) => head.dataset.label.toLowerCase());
  const pasted = read(text);
  if (pasted[0]?.every((cell) => labels.includes(cell.toLowerCase()))) pasted.shift();
  const [place, at] = [rows(grid).indexOf(one.closest("tr")), cells(one.closest("tr")).indexOf(one)];
  change(grid, () => pasted.forEach((line, down) => {
    if (!rows(grid)[place + down]) grid.tBodies[0].append(blank(grid));
    const row = cells(rows(grid)[place + down]);
    line.forEach((cell, right) => { if (row[at + right]) row[at + right].value = cell; });
  }));
  enter(grid, place, at);
});

// ---- cells and their boxes on the page ---------------------------------------------------------------------------
function look(one) {
  const detail = { key: one?.dataset.cell || "", page: one?.dataset.page || "" };
  document.body.dispatchEvent(new CustomEvent("cell", { detail }));
}
document.addEventListener("focusin", (event) => {
  const one = event.target.matches?.("[data-cell]") ? event.target : null;
  if (one && one !== last) one.select(); // arrows go on from cell to cell; a pointer then puts its own caret
  if (one) last = one;
  if (one || !event.target.closest?.(".grid-tools")) look(one);
});
document.addEventListener("click", (event) => {
  const box = event.target.closest?.("[data-cell-box]");
  const one = box && document.querySelector(`[data-cell="${CSS.escape(box.dataset.cellBox)}"]`);
  if (box) event.preventDefault();
  if (one) {
    one.closest("details")?.setAttribute("open", ""); // a table that is right is folded away
    return one.focus();
  }
  const tool = event.target.closest?.("[data-row]");
  const grid = tool && gridOf(tool);
  if (grid) act(tool.dataset.row, last && gridOf(last) === grid && last.isConnected ? last : cells(rows(grid).at(-1))[0]);
});

// ---- begin, and again after each swap: names go from the cells to the text ----------------------------------------
function dress() {
  for (const grid of document.querySelectorAll("#desk [data-grid]")) {
    const value = holder(grid);
    for (const row of rows(grid)) {
      if (row.hasAttribute("data-blank") && rows(grid).length > 1) row.remove();
      else for (const one of cells(row)) one.removeAttribute("name");
    }
    number(grid);
    if (!value) continue;
    value.name = value.dataset.gridValue;
    grid.closest("[data-field]").querySelector("[data-grid-tools]").hidden = false;
    sum(grid);
    // A text that was typed while the desk was swapped is put back into its input after this.
    setTimeout(() => { if (write(grid) !== value.value) fill(grid, value.value); });
  }
}
document.body.addEventListener("htmx:afterSettle", dress);
dress();
document.body.addEventListener("decided", () => { before.length = 0; });
