// A small chart of the last two minutes, drawn as SVG; its newest value stands beside it in words.

const POINTS = 120;
const [WIDTH, HEIGHT] = [480, 120];
const SVG = "http://www.w3.org/2000/svg";

export class Chart {
  /** `lines`: [class, "area" or "line"] of each series, in the order in which values are added. */
  constructor(figure, lines) {
    this.series = lines.map(() => []);
    this.words = figure.querySelector("output");
    const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" });
    this.goal = shape("line", { class: "chart-goal", x1: 0, x2: WIDTH });
    this.shapes = lines.map(([name, kind]) => shape("path", { class: `${name} chart-${kind}` }));
    svg.append(this.goal, ...this.shapes);
    this.top = document.createElement("span");
    this.top.className = "chart-top";
    figure.append(svg, this.top);
    this.kinds = lines.map(([, kind]) => kind);
  }

  /** Add a value to each series (null leaves a gap), say it in words; `goal` is a line to compare with. */
  add(values, words, goal = null, unit = "") {
    values.forEach((value, index) => {
      this.series[index].push(value);
      if (this.series[index].length > POINTS) this.series[index].shift();
    });
    this.words.textContent = words;
    const most = Math.max(goal ? goal * 1.25 : 1, ...this.series.flat().filter((value) => value !== null));
    const y = (value) => HEIGHT - (value / most) * (HEIGHT - 6) - 1;
    this.top.textContent = `${Number(most.toPrecision(3))}${unit}`;
    this.goal.setAttribute("visibility", goal ? "visible" : "hidden");
    if (goal) for (const end of ["y1", "y2"]) this.goal.setAttribute(end, y(goal).toFixed(1));
    this.shapes.forEach((path, index) => path.setAttribute("d", drawn(this.series[index], y, this.kinds[index])));
  }
}

function drawn(values, y, kind) {
  const x = (index) => (((index + POINTS - values.length) / (POINTS - 1)) * WIDTH).toFixed(1);
  let path = "";
  let start = null;
  const end = (index) => {
    if (kind === "area" && start !== null) path += `L${x(index)} ${HEIGHT}L${x(start)} ${HEIGHT}Z`;
    start = null;
  };
  values.forEach((value, index) => {
    if (value === null) {
      end(index - 1);
      return;
    }
    path += `${start === null ? "M" : "L"}${x(index)} ${y(value).toFixed(1)}`;
    start ??= index;
  });
  end(values.length - 1);
  return path;
}

function shape(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}
