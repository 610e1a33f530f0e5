// Pictures of TOPs and curves of CHOPs, for the operators in sight, a few at a time, and only while somebody looks.

const LEAST_PIXELS = 32;
const HISTORY = 64;

export class Previews {
  constructor(viewer, source, seconds) {
    this.viewer = viewer;
    this.source = source;
    this.seconds = seconds;
    this.looks = new Map();
    this.asked = new Map();
    this.wanted = new Set();
    this.timer = 0;
    this.busy = false;
    document.addEventListener("visibilitychange", () => this.soon());
  }

  /** The view has changed: look at what is new in it shortly. */
  soon() {
    if (this.seconds) this.schedule(250);
  }

  /** Somebody wants to see these: they are looked at once, whatever that costs. */
  want(paths) {
    for (const path of paths) this.wanted.add(path);
    this.soon();
  }

  schedule(after) {
    const due = performance.now() + after;
    if (this.timer && this.due <= due) return;
    clearTimeout(this.timer);
    this.due = due;
    this.timer = setTimeout(() => {
      this.timer = 0;
      this.round();
    }, after);
  }

  async round() {
    if (this.busy || document.hidden) return;
    const now = performance.now();
    const inSight = this.viewer.inSight(LEAST_PIXELS).filter((op) => op.family === "TOP" || op.family === "CHOP");
    const waiting = (op) => this.asked.get(op.path) ?? -Infinity;
    const wanted = inSight.filter((op) => this.wanted.has(op.path));
    const rest = inSight
      .filter((op) => !this.wanted.has(op.path) && now - waiting(op) >= this.seconds * 900)
      .sort((a, b) => waiting(a) - waiting(b));
    this.wanted.clear();
    this.busy = true;
    const most = this.source.previewsAtOnce;
    for (const [operators, atAnyCost] of [[wanted, true], [rest, false]]) {
      if (operators.length) await this.look(operators.slice(0, most), atAnyCost, now);
    }
    this.busy = false;
    this.schedule(rest.length > most ? 500 : this.seconds * 1000);
  }

  async look(operators, atAnyCost, now) {
    for (const op of operators) this.asked.set(op.path, now);
    try {
      await this.take(await this.source.previews(operators, atAnyCost));
    } catch {
      // The viewer says elsewhere when the server cannot be reached; the tiles keep their last pictures.
    }
  }

  /** `found` has by path an `image` (a data address) or `curves`. */
  async take(found) {
    await Promise.all(Object.entries(found).map(async ([path, look]) => {
      if (look.image) {
        const image = new Image();
        image.src = look.image;
        try {
          await image.decode();
        } catch {
          return;
        }
        this.looks.set(path, { image });
      } else if (look.curves) {
        this.looks.set(path, { curves: this.grown(path, look.curves) });
      }
    }));
    if (this.looks.size > 500) this.looks.clear();
    this.viewer.painter.forget();
    this.viewer.draw();
  }

  // A channel of a single sample has no curve of its own: what it was at each look makes one.
  grown(path, curves) {
    const before = this.looks.get(path)?.curves ?? [];
    return curves.map((curve, index) => {
      if (curve.samples.length !== 1) return curve;
      const past = before[index]?.name === curve.name ? before[index].samples : [];
      return { name: curve.name, samples: [...past, ...curve.samples].slice(-HISTORY) };
    });
  }
}
