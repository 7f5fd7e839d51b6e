// Rows of a folder are moved by dragging them onto a folder; the form below the table does the same by keyboard.

const table = document.querySelector("[data-move]");
const form = document.querySelector("[data-drop-form]");

const picked = (row) => {
  const chosen = [...table.querySelectorAll("input[name=item]:checked")].map((box) => box.value);
  return chosen.includes(row.dataset.item) ? chosen : [row.dataset.item];
};

if (table && form) {
  let items = [];

  for (const row of table.querySelectorAll("[data-item]")) {
    row.draggable = true;
    row.addEventListener("dragstart", (event) => {
      items = picked(row);
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", items.join(" "));
    });
    row.addEventListener("dragend", () => { items = []; });
  }

  for (const place of document.querySelectorAll("[data-folder]")) {
    const takes = () => items.length && !items.includes(`folder:${place.dataset.folder}`);
    place.addEventListener("dragover", (event) => {
      if (!takes()) return;
      event.preventDefault();
      place.classList.add("drop-here");
    });
    place.addEventListener("dragleave", () => place.classList.remove("drop-here"));
    place.addEventListener("drop", (event) => {
      place.classList.remove("drop-here");
      if (!takes()) return;
      event.preventDefault();
      for (const item of items) {
        const input = document.createElement("input");
        input.type = "hidden";
        input.name = "item";
        input.value = item;
        form.append(input);
      }
      form.elements.to.value = place.dataset.folder;
      form.submit();
    });
  }
}
