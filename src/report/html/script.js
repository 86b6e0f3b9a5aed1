(() => {
  "use strict";
  const root = document.documentElement;
  root.classList.add("js");
  const turnOf = (hash) => {
    const found = hash.length > 1 ? document.getElementById(hash.slice(1)) : null;
    return found && found.classList.contains("turn") ? found : null;
  };
  let shown = null;
  const show = (turn) => {
    if (!turn) return;
    for (const other of turn.parentElement.children) other.classList.toggle("on", other === turn);
    for (const link of document.querySelectorAll("a[aria-current]")) link.removeAttribute("aria-current");
    for (const link of document.querySelectorAll(`a[href="#${turn.id}"]:not(.step)`)) link.setAttribute("aria-current", "true");
    shown = turn;
    history.replaceState(null, "", "#" + turn.id);
  };
  const step = (turn, forward) => show(turn && (forward ? turn.nextElementSibling : turn.previousElementSibling));
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    const turn = link && turnOf(link.getAttribute("href"));
    if (turn) {
      event.preventDefault();
      show(turn);
      return;
    }
    const board = event.target.closest(".board");
    if (board) {
      const box = board.getBoundingClientRect();
      step(board.closest(".turn"), event.clientX > box.left + box.width / 2);
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || !shown) return;
    const turns = shown.parentElement;
    switch (event.key) {
      case "ArrowRight": step(shown, true); break;
      case "ArrowLeft": step(shown, false); break;
      case "Home": show(turns.firstElementChild); break;
      case "End": show(turns.lastElementChild); break;
      default: return;
    }
    event.preventDefault();
  });
  window.addEventListener("hashchange", () => show(turnOf(location.hash)));
  const first = turnOf(location.hash);
  if (first) show(first); else shown = document.querySelector(".turn");
})();
