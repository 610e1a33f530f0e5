"""write_data: the text or table of a DAT, whole or in exact places."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, WithJsonSchema

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import aftermath, forms
from tdmcp_embedded.tools.extension_report import build_extensions
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Steps, Tool
from tdmcp_embedded.touchdesigner import dats, executors, lookup
from tdmcp_embedded.wording import counted


class Replacement(BaseModel, extra="forbid"):
    """One exact replacement; `old` must stand in the text exactly once."""

    old: str
    new: str


class WriteData(Arguments):
    path: str = Field(description="path of a DAT")
    text: str | None = Field(default=None, description="the whole text")
    table: (
        Annotated[list[list[str | int | float]], WithJsonSchema({**forms.TABLE, "description": "all rows"})]
        | None
    ) = None
    replace: (
        Annotated[
            list[Replacement],
            Field(max_length=100),
            WithJsonSchema(
                {
                    "type": "array",
                    "description": "old must match exactly once",
                    "items": {
                        "type": "object",
                        "required": ["old", "new"],
                        "properties": {"old": {"type": "string"}, "new": {"type": "string"}},
                    },
                }
            ),
        ]
        | None
    ) = None
    expected_hash: str | None = Field(
        default=None, description="hash from read_data; refuse if it changed since"
    )
    confirm: bool = Field(default=False, description="needed to empty a DAT that holds something")


class WrittenData(aftermath.Edited):
    path: str
    changed: bool
    hash: str = Field(description="of the content now")
    characters: int | None = Field(default=None, description="of a text")
    rows: int | None = Field(default=None, description="of a table")
    columns: int | None = None
    notes: list[str] = Field(default=[])

    def text(self) -> str:
        size = (
            f"{self.rows} × {self.columns} cells"
            if self.rows is not None
            else counted(self.characters or 0, "character")
        )
        state = "written" if self.changed else "unchanged"
        return "\n".join([f"{self.path} {state}: {size}, hash {self.hash}", *self.notes, self.trailer()])


def write_data(call: Call, given: WriteData) -> Steps[WrittenData]:
    access = aftermath.access(call)
    if [given.text, given.table, given.replace].count(None) != 2:
        raise ToolFailure(Code.VALUE_INVALID, "Give exactly one of text, table and replace.")
    dat = lookup.operator(call.td, given.path)
    dats.check_dat(dat)
    if given.expected_hash is not None and given.expected_hash != dats.content_hash(dat):
        raise ToolFailure(
            Code.PRECONDITION_FAILED,
            f"{dat.path} holds something else than expected.",
            hint="Somebody changed it: read it again with read_data.",
            details={"hash": dats.content_hash(dat)},
        )
    table = None if given.table is None else [[str(cell) for cell in row] for row in given.table]
    empties = given.text == "" or (table is not None and not any(any(row) for row in table))
    if empties and dat.text.strip() and not given.confirm:
        raise ToolFailure(
            Code.CONFIRMATION_REQUIRED,
            f"This empties {dat.path}, which holds {counted(len(dat.text), 'character')}.",
            hint="Call again with confirm: true if that is meant.",
        )
    watch = aftermath.Watch()
    watch.before([dat, *([dat.dock] if dat.dock is not None else [])])
    if table is not None:
        changed = dats.set_table(dat, table, access)
    elif given.text is not None:
        changed = dats.set_text(dat, given.text, access)
    else:
        replacements = [(each.old, each.new) for each in given.replace or ()]
        if dat.isTable:
            changed = dats.replace_cells(dat, replacements, access)
        else:
            changed = dats.set_text(dat, dats.replaced(dat, replacements), access)
    if changed:
        access.left([dat])
    host = [str(dat.dock.path)] if dat.dock is not None else []
    output = WrittenData(
        path=str(dat.path),
        changed=changed,
        hash=dats.content_hash(dat),
        characters=None if dat.isTable else len(dat.text),
        rows=int(dat.numRows) if dat.isTable else None,
        columns=int(dat.numCols) if dat.isTable else None,
        undo=aftermath.done(call, changed),
    )
    if changed:
        output.extensions = yield from build_extensions(call, [output.path])
    # A shader's errors show on the operator the DAT is docked to.
    output.problems = yield from watch.after(call, [output.path, *host])
    if changed and dat.valid and (silent := executors.silent(dat)):
        output.notes.append(silent)
    return output


TOOLS = [
    Tool(
        name="write_data",
        title="Write data",
        description=(
            "Write a DAT's text or table: whole, or exact replacements (best for small changes in long "
            "text). Returns size, hash, and errors one frame later, a shader's included."
        ),
        level=Level.EDIT,
        effect=Effect.EDIT,
        arguments=WriteData,
        output=WrittenData,
        run=write_data,
        idempotent=False,
        core=True,
    )
]
