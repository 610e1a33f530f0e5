// Small helpers for building pages. Text always goes in as text: names in a project are anybody's.

/** An element with attributes, listeners (onclick …) and children. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) made.setAttribute(name, String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export function button(label, onclick, attributes = {}) {
  return element("button", { type: "button", onclick, ...attributes }, label);
}

/** Put text in place, touching the page only when it differs (screen readers read what is touched). */
export function say(target, text) {
  if (target.textContent !== text) target.textContent = text;
}
