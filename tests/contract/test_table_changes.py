"""DAT Execute DATs: scripts that hear of what changed in a table."""

from .facts import fact

CALLBACKS = """
def log(*what):
    me.parent().store('log', me.parent().fetch('log', []) + [what])

def onTableChange(dat, prevDAT, info):
    log('table', dat.numRows, prevDAT.numRows, [c.val for c in info.cellsChanged], info.sizeChanged)
    log('rows', info.rowsChanged, info.rowsAdded, info.rowsRemoved)

def onRowChange(dat, rows):
    log('row', rows)

def onColChange(dat, cols):
    log('col', cols)

def onCellChange(dat, cells, prev):
    log('cell', [(c.row, c.col, c.val) for c in cells], prev)

def onSizeChange(dat):
    log('size', dat.numRows, dat.numCols)
"""


def hearing(t, *toggles, text=CALLBACKS):
    """A table of two rows, and what a DAT Execute DAT with these toggles heard of it."""
    table = t.scratch.create(t.td.tableDAT, "table")
    table.clear()
    table.appendRow(["name", "level"])
    table.appendRow(["kick", "0"])
    dat = t.scratch.create(t.td.datexecuteDAT, "listener")
    dat.text = text
    dat.par.dat = "table"
    for toggle in toggles:
        setattr(dat.par, toggle, True)
    dat.par.active = True
    return table, lambda: t.scratch.fetch("log", [])


def rest():
    for _ in range(3):
        yield


@fact(11)
def test_a_changed_cell_is_told_with_the_table_before(t):
    table, heard = hearing(t, "tablechange")
    yield from rest()
    table["kick", "level"] = 1
    yield from rest()
    assert heard() == [("table", 2, 2, ["1"], False), ("rows", [1], [], [])]


@fact(11)
def test_new_and_lost_rows_are_told_by_their_names(t):
    table, heard = hearing(t, "tablechange")
    yield from rest()
    table.appendRow(["snare", "0"])
    yield from rest()
    table.deleteRow("kick")
    yield from rest()
    assert [h[1:] for h in heard() if h[0] == "rows"] == [([], [2], []), ([1], [], [1])]
    assert [h[4] for h in heard() if h[0] == "table"] == [True, True]


@fact(11)
def test_a_callback_written_for_older_builds_takes_the_table_alone(t):
    text = "def onTableChange(dat):\n    parent().store('log', [('old', dat.numRows)])\n"
    table, heard = hearing(t, "tablechange", text=text)
    yield from rest()
    table.appendRow(["snare", "0"])
    yield from rest()
    assert heard() == [("old", 3)]


@fact(11)
def test_rows_columns_and_cells_are_told_one_by_one(t):
    table, heard = hearing(t, "rowchange", "colchange", "cellchange", "sizechange")
    yield from rest()
    table["kick", "level"] = 1
    yield from rest()
    assert sorted(heard()) == [("cell", [(1, 1, "1")], ["0"]), ("col", [1]), ("row", [1])]


@fact(11)
def test_a_lost_row_is_told_as_a_change_of_size_only(t):
    table, heard = hearing(t, "rowchange", "cellchange", "sizechange")
    yield from rest()
    table.deleteRow(1)
    yield from rest()
    assert heard() == [("size", 1, 2)]
