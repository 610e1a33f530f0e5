// The families of operators and their colours: TouchDesigner's hues, in shades on which the names can be read.

const COLORS = {
  COMP: ["#676d75", "#ffffff"],
  TOP: ["#6f57b0", "#ffffff"],
  CHOP: ["#4b7f35", "#ffffff"],
  SOP: ["#2f6fae", "#ffffff"],
  POP: ["#0f7f85", "#ffffff"],
  DAT: ["#a8478f", "#ffffff"],
  MAT: ["#d0b23a", "#1b1b1b"],
};

/** The family of an operator type: the capitals at its end. */
export function familyOf(type) {
  const found = /(COMP|CHOP|TOP|SOP|POP|DAT|MAT)$/.exec(type);
  return found ? found[1] : "COMP";
}

export function familyColor(family) {
  return COLORS[family][0];
}

export function familyInk(family) {
  return COLORS[family][1];
}

/** "noiseTOP" as people say it: "noise TOP". */
export function spoken(type) {
  const family = familyOf(type);
  return `${type.slice(0, -family.length)} ${family}`;
}
