"""Putting the pages together from their modules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tdmcp_embedded import web

FOLDER = Path(web.__file__).parent


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Another folder of modules."""
    monkeypatch.setattr(web, "text", lambda name: (tmp_path / name).read_text("utf-8"))
    web.script.cache_clear()
    return tmp_path


def test_each_module_stands_once_before_those_that_need_it(folder: Path) -> None:
    (folder / "last.js").write_text('import { b } from "./b.js";\nimport { c } from "./c.js";\nb(c);\n')
    (folder / "b.js").write_text('import { c } from "./c.js";\nexport function b() { return c; }\n')
    (folder / "c.js").write_text("export const c = 1;\n")
    made = web.script("last")
    assert made.index("module_c = ") < made.index("module_b = ") < made.index("b(c);")
    assert made.count("const c = 1;") == 1
    assert "return { b };" in made and "const { b } = module_b;" in made
    assert "import" not in made and "export" not in made
    web.script.cache_clear()


def test_modules_that_need_each_other_are_refused(folder: Path) -> None:
    (folder / "a.js").write_text('import { b } from "./b.js";\nexport const a = 1;\n')
    (folder / "b.js").write_text('import { a } from "./a.js";\nexport const b = 1;\n')
    with pytest.raises(ValueError, match="a imports b imports a"):
        web.script("a")


def test_every_import_names_what_its_module_exports() -> None:
    for module in FOLDER.glob("*.js"):
        for names, needed in re.findall(
            r'^import \{([^}]*)\} from "\./([\w-]+)\.js";', module.read_text(), re.MULTILINE
        ):
            source = (FOLDER / f"{needed}.js").read_text()
            for name in names.split(","):
                exported = rf"^export (async )?(function|class|const) {name.strip()}\b"
                assert re.search(exported, source, re.MULTILINE), f"{module.name}: {name} of {needed}"


@pytest.mark.parametrize("entry", ["app", "dashboard"])
def test_nothing_of_the_module_syntax_is_left_in_the_scripts(entry: str) -> None:
    made = web.script(entry)
    assert not re.search(r"^\s*(import|export)\b", made, re.MULTILINE)


def test_the_app_is_one_document_without_places_left_to_fill() -> None:
    made = web.app_document()
    assert "/*SCRIPT*/" not in made and "/*STYLE*/" not in made
    assert (
        made.count("</script>") == 1 and "<link" not in made and "src=" not in made.partition("<script>")[0]
    )
