"""The component's custom parameters: what they are, and making those that are missing."""

import json
from typing import Any

#: The pages of the component's description.
PAGES: list[dict[str, Any]] = json.loads("@PAGES@")

# @DEFINE@
_APPENDERS = {
    "Float": "appendFloat",
    "Int": "appendInt",
    "Toggle": "appendToggle",
    "Str": "appendStr",
    "Pulse": "appendPulse",
    "Menu": "appendMenu",
    "File": "appendFile",
}


def define(page: Any, described: dict[str, Any]) -> None:
    """Append one custom parameter to a page."""
    group = getattr(page, _APPENDERS[described["style"]])(described["name"], label=described["label"])
    par = group[0]
    if described["menu"]:
        par.menuNames = [entry[0] for entry in described["menu"]]
        par.menuLabels = [entry[1] for entry in described["menu"]]
    limits = described["range"]
    if limits:
        if limits["low"] is not None:
            par.min, par.clampMin = limits["low"], True
        if limits["high"] is not None:
            par.max, par.clampMax = limits["high"], True
        par.normMin, par.normMax = limits["slider_low"], limits["slider_high"]
    if described["style"] != "Pulse":
        par.default = described["default"]
        par.val = described["default"]
    dress(par, described)


def dress(par: Any, described: dict[str, Any]) -> None:
    """What a loaded file cannot say, and older builds may not have: none of it is worth failing for."""
    for name in ("help", "readOnly", "startSection"):
        wanted = {"help": "help", "readOnly": "read_only", "startSection": "section"}[name]
        try:
            if getattr(par, name) != described[wanted]:
                setattr(par, name, described[wanted])
        except Exception:  # noqa: BLE001, S110 - the parameter works without it
            pass


# @END@
def restore(component: Any) -> None:
    """Make the custom parameters that are missing, each on its page, with their defaults; the others stay as they are."""
    pages = {page.name: page for page in component.customPages}
    for described in PAGES:
        for parameter in described["parameters"]:
            par = component.par[parameter["name"]]
            if par is not None:
                dress(par, parameter)
                continue
            page = pages.get(described["name"])
            if page is None:
                page = pages[described["name"]] = component.appendCustomPage(described["name"])
            define(page, parameter)
