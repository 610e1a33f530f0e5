// What part of a network is seen: pan and zoom by pointer, wheel and pinch.

const SMALLEST = 0.02;
const LARGEST = 3;

export class Camera {
  /** `changed` is called whenever the view moves; `pressed(x, y, twice)` for a press that is no drag. */
  constructor(stage, changed, pressed, hovered) {
    this.stage = stage;
    this.view = { x: 0, y: 0, scale: 1 };
    this.changed = changed;
    this.pointers = new Map();
    this.dragged = 0;
    stage.addEventListener("pointerdown", (event) => {
      if (event.button > 1) return;
      stage.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
      if (this.pointers.size === 1) this.dragged = 0;
    });
    stage.addEventListener("pointermove", (event) => {
      if (this.pointers.has(event.pointerId)) this.drag(event);
      else hovered(...this.toNetwork(event.offsetX, event.offsetY));
    });
    stage.addEventListener("pointerleave", () => hovered(null, null));
    const release = (event) => {
      if (!this.pointers.delete(event.pointerId) || this.pointers.size || event.type === "pointercancel") return;
      if (this.dragged < 5) pressed(...this.toNetwork(event.offsetX, event.offsetY));
    };
    stage.addEventListener("pointerup", release);
    stage.addEventListener("pointercancel", release);
    stage.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  toNetwork(x, y) {
    return [this.view.x + x / this.view.scale, this.view.y + y / this.view.scale];
  }

  drag(event) {
    const before = [...this.pointers.values()];
    const last = this.pointers.get(event.pointerId);
    const now = [event.offsetX, event.offsetY];
    this.pointers.set(event.pointerId, now);
    this.dragged += Math.hypot(now[0] - last[0], now[1] - last[1]);
    if (before.length === 2) {
      const after = [...this.pointers.values()];
      const spread = (p) => Math.hypot(p[0][0] - p[1][0], p[0][1] - p[1][1]) || 1;
      this.zoom(spread(after) / spread(before), (after[0][0] + after[1][0]) / 2, (after[0][1] + after[1][1]) / 2);
      return;
    }
    if (this.dragged >= 5) this.pan(now[0] - last[0], now[1] - last[1]);
  }

  wheel(event) {
    event.preventDefault();
    // Two fingers on a trackpad come as small wheel steps; a pinch, or a mouse's wheel, zooms.
    if (!event.ctrlKey && event.deltaMode === 0 && (event.deltaX !== 0 || Math.abs(event.deltaY) < 40)) {
      this.pan(-event.deltaX, -event.deltaY);
      return;
    }
    const step = event.deltaMode === 0 ? event.deltaY : event.deltaY * 33;
    this.zoom(Math.exp(-step * (event.ctrlKey ? 0.01 : 0.0015)), event.offsetX, event.offsetY);
  }

  /** Move what is seen by pixels. */
  pan(dx, dy) {
    this.view.x -= dx / this.view.scale;
    this.view.y -= dy / this.view.scale;
    this.changed();
  }

  /** Zoom by a factor around a point of the stage (its middle if left out). */
  zoom(factor, x = this.stage.clientWidth / 2, y = this.stage.clientHeight / 2) {
    const scale = Math.min(LARGEST, Math.max(SMALLEST, this.view.scale * factor));
    this.view.x += x / this.view.scale - x / scale;
    this.view.y += y / this.view.scale - y / scale;
    this.view.scale = scale;
    this.changed();
  }

  /** Show a box whole, at most at natural size. */
  fit(box) {
    const [w, h] = [Math.max(1, this.stage.clientWidth), Math.max(1, this.stage.clientHeight)];
    const room = 24;
    const scale = Math.min(1, (w - 2 * room) / Math.max(1, box.w), (h - 2 * room) / Math.max(1, box.h));
    this.view.scale = Math.min(LARGEST, Math.max(SMALLEST, scale));
    this.view.x = box.x + box.w / 2 - w / this.view.scale / 2;
    this.view.y = box.y + box.h / 2 - h / this.view.scale / 2;
    this.changed();
  }

  /** Bring a box into sight with the least movement. */
  reveal(box) {
    const { view, stage } = this;
    const room = 24 / view.scale;
    const [w, h] = [stage.clientWidth / view.scale, stage.clientHeight / view.scale];
    if (box.x - room < view.x) view.x = box.x - room;
    else if (box.x + box.w + room > view.x + w) view.x = box.x + box.w + room - w;
    if (box.y - room < view.y) view.y = box.y - room;
    else if (box.y + box.h + room > view.y + h) view.y = box.y + box.h + room - h;
    this.changed();
  }
}
