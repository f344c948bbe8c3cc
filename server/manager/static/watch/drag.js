// Moves by dragging: from a spot or a card to a spot. A click does the same in two steps.

const FAR = 6; // pixels after which a press is a drag

/** Let a scene be played on by dragging, too. */
export function letDrag(scene) {
  let from = null, start = null, ghost = null, isDragged = false;
  const root = scene.root;
  const end = () => { ghost?.remove(); from = start = ghost = null; };

  root.addEventListener("pointerdown", (event) => {
    isDragged = false;
    const shown = event.button ? null : event.target.closest?.(".spot.can, .spot.chosen, .card.can");
    if (shown) [from, start] = [shown, { x: event.clientX, y: event.clientY }];
  });
  document.addEventListener("pointermove", (event) => {
    if (!from) return;
    if (!ghost) {
      const piece = from.querySelector(".piece") ?? (from.matches(".card") ? from : null);
      if (!piece || Math.hypot(event.clientX - start.x, event.clientY - start.y) < FAR) return;
      isDragged = true;
      if (!from.classList.contains("chosen")) scene.click(idOf(from));
      const size = piece.getBoundingClientRect();
      ghost = piece.cloneNode(true);
      ghost.classList.add("ghost");
      Object.assign(ghost.style, { width: `${size.width}px`, height: `${size.height}px`, fontSize: getComputedStyle(piece).fontSize });
      document.body.append(ghost);
    }
    Object.assign(ghost.style, { left: `${event.clientX}px`, top: `${event.clientY}px` });
  });
  document.addEventListener("pointerup", (event) => {
    if (ghost) {
      ghost.hidden = true;
      const target = document.elementFromPoint(event.clientX, event.clientY)?.closest?.(".spot, .card");
      if (target && root.contains(target) && target !== from) scene.click(idOf(target));
    }
    end();
  });
  document.addEventListener("pointercancel", end);
  // The click that follows a drag is none.
  root.addEventListener("click", (event) => { if (isDragged) { event.stopPropagation(); event.preventDefault(); isDragged = false; } }, true);
}

const idOf = (shown) => shown.dataset.spot ?? `card ${shown.dataset.card}`;
