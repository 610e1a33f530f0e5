"""Text and tables: reading, writing, what others see of it and when, modules."""

from .facts import fact, raises, uses_undo_stack


def table(t, *rows):
    dat = t.scratch.create(t.td.tableDAT)
    for row in rows:
        dat.appendRow(row)
    return dat


@fact(40)
def test_text_reads_back_as_written(t):
    dat = t.scratch.create(t.td.textDAT)
    dat.text = "one\ntwo äöü 日本"
    assert dat.text == "one\ntwo äöü 日本"
    assert dat.isText and not dat.isTable


@fact(40)
def test_append_row_gives_the_index_of_the_new_row(t):
    dat = t.scratch.create(t.td.tableDAT)
    assert dat.appendRow(["name", "value"]) == 0
    assert dat.appendRow(["a", 1]) == 1
    assert (dat.numRows, dat.numCols) == (2, 2)


@fact(40)
def test_cells_are_found_by_index_and_by_name(t):
    dat = table(t, ["name", "value"], ["speed", 1.5], ["size", 2])
    assert dat[1, 1] == "1.5"
    assert dat["size", "value"].val == "2"
    assert float(dat["speed", 1]) == 1.5
    assert dat["nothing", 0] is None and dat[7, 0] is None
    assert (dat["size", "value"].row, dat["size", "value"].col) == (2, 1)


@fact(40)
def test_a_cell_can_be_written(t):
    dat = table(t, ["name", "value"], ["speed", 1])
    dat["speed", "value"] = 3
    assert dat[1, 1].val == "3"
    with raises(t.td.tdError):
        dat[9, 9] = 1


@fact(40)
def test_rows_and_columns_come_as_lists_of_cells(t):
    dat = table(t, ["name", "value"], ["a", 1], ["b", 2])
    assert [c.val for c in dat.row("a")] == ["a", "1"]
    assert [c.val for c in dat.col("value")[1:]] == ["1", "2"]
    assert dat.row("b", val=True) == ["b", "2"]
    assert [[c.val for c in row] for row in dat.rows()] == [["name", "value"], ["a", "1"], ["b", "2"]]
    assert [[c.val for c in col] for col in dat.cols()] == [["name", "a", "b"], ["value", "1", "2"]]


@fact(40)
def test_rows_and_columns_are_inserted_replaced_and_deleted(t):
    dat = table(t, ["a", 1], ["b", 2])
    dat.insertRow(["x", 9], 1)
    dat.replaceRow("b", ["c", 3])
    dat.appendCol(["p", "q", "r"])
    assert dat.text == "a\t1\tp\nx\t9\tq\nc\t3\tr"
    dat.deleteRow("x")
    dat.deleteCol(1)
    assert dat.text == "a\tp\nc\tr"


@fact(40)
def test_size_and_clearing(t):
    dat = table(t, ["a", "b"], ["c", "d"])
    dat.setSize(3, 1)
    assert dat.text == "a\nc\n"
    dat.clear(keepFirstRow=True)
    assert (dat.numRows, dat[0, 0].val) == (1, "a")
    dat.clear()
    assert dat.numRows == 0


@fact(40)
def test_text_of_a_table_flattens_line_breaks_in_cells(t):
    dat = table(t, ["two\nlines", "b"])
    assert dat[0, 0].val == "two\nlines"
    dat.text = dat.text
    assert (dat.numRows, dat.numCols) == (1, 2)
    assert "\n" not in dat[0, 0].val


@fact(40)
def test_csv_keeps_line_breaks_in_cells(t):
    dat = table(t, ["two\nlines", 'say "hi", you'])
    dat.csv = dat.csv
    assert dat[0, 0].val == "two\nlines"
    assert dat[0, 1].val == 'say "hi", you'


@fact(40)
def test_json_text_reads_as_an_object(t):
    dat = t.scratch.create(t.td.textDAT)
    dat.text = '{"a": [1, 2]}'
    assert dat.jsonObject == {"a": [1, 2]}


@fact(40)
def test_write_appends_and_print_can_write_to_a_dat(t):
    dat = t.scratch.create(t.td.textDAT)
    dat.text = "a"
    dat.write("b")
    print("c", file=dat)
    assert dat.text == "abc\n"


@fact(40)
def test_a_computed_dat_refuses_text(t):
    glsl = t.scratch.create(t.td.glslTOP)
    info = t.scratch.op(f"{glsl.name}_info")
    with raises(t.td.tdError):
        info.text = "x"


@fact(11)
def test_others_see_new_text_one_cook_late(t):
    dat = t.scratch.create(t.td.textDAT)
    dat.text = "old"
    null = t.scratch.create(t.td.nullDAT)
    null.inputConnectors[0].connect(dat)
    yield
    assert null.text == "old"
    dat.text = "new"
    assert dat.text == "new"
    assert null.text == "old"
    yield
    assert null.text == "new"


def test_cells_are_found_by_what_they_hold(t):
    dat = table(t, ["name", "value"], ["a", "red"], ["b", "green"])
    assert dat.findCell("gre*").row == 2
    assert [c.row for c in dat.findCells("*e*", cols=["value"])] == [0, 1, 2]
    assert dat.findCell("blue") is None


def test_select_takes_rows_and_columns_by_name(t):
    dat = table(t, ["name", "x", "y"], ["a", 1, 2], ["b", 3, 4])
    select = t.scratch.create(t.td.selectDAT)
    select.par.dat = dat.name
    yield
    select.par.extractrows = "bynames"
    select.par.rownames = "b"
    select.par.firstrow = True
    assert select.text == "name\tx\ty\nb\t3\t4"


def test_merge_puts_tables_under_one_another_or_side_by_side(t):
    merge = t.scratch.create(t.td.mergeDAT)
    merge.inputConnectors[0].connect(table(t, ["a", 1]))
    merge.inputConnectors[1].connect(table(t, ["b", 2]))
    yield
    assert merge.text == "a\t1\nb\t2"
    merge.par.how = "col"
    assert merge.text == "a\t1\tb\t2"


def test_convert_makes_a_table_of_text_and_text_of_a_table(t):
    dat = t.scratch.create(t.td.textDAT)
    dat.text = "a,b\nc,d"
    convert = t.scratch.create(t.td.convertDAT)
    convert.inputConnectors[0].connect(dat)
    convert.par.delimiters = ","
    yield
    assert [c.val for c in convert.row(1)] == ["c", "d"]
    convert.par.how = "text"
    assert convert.text == "a,b\nc,d"


def test_evaluate_gives_the_value_of_each_cell(t):
    dat = table(t, ["1 + 1", "'a' * 3"])
    evaluate = t.scratch.create(t.td.evaluateDAT)
    evaluate.inputConnectors[0].connect(dat)
    yield
    assert [c.val for c in evaluate.row(0)] == ["2", "aaa"]


@fact(6)
def test_an_execute_dat_comes_with_its_callbacks(t):
    dat = t.scratch.create(t.td.executeDAT)
    for name in ("onStart()", "onCreate()", "onFrameStart(frame)", "onPlayStateChange(state)"):
        assert f"def {name}:" in dat.text


@fact(38)
def test_a_module_is_compiled_again_when_its_text_changes(t):
    dat = t.scratch.create(t.td.textDAT, "tools")
    dat.text = "count = []\ndef double(x):\n\treturn 2 * x\n"
    assert dat.module.double(4) == 8
    dat.module.count.append(1)
    assert dat.module.count == [1]
    dat.text += "\nextra = 1\n"
    assert dat.module.count == []


def test_a_module_sees_what_is_around_it(t):
    t.scratch.create(t.td.textDAT, "notes").text = "hello"
    dat = t.scratch.create(t.td.textDAT, "reader")
    dat.text = "def read():\n\treturn op('notes').text, me.name, parent().name\n"
    assert dat.module.read() == ("hello", "reader", t.scratch.name)


@fact(39)
def test_a_dat_named_like_a_module_shadows_it(t):
    t.scratch.create(t.td.textDAT, "json").text = "def dumps(x):\n\treturn 'mine'\n"
    dat = t.scratch.create(t.td.textDAT, "user")
    dat.text = "import json\nimport math\nanswer = json.dumps(1)\nroot2 = math.sqrt(2)\n"
    assert dat.module.answer == "mine"
    assert 1.41 < dat.module.root2 < 1.42


def test_a_broken_module_raises_what_is_wrong_with_it(t):
    dat = t.scratch.create(t.td.textDAT)
    dat.text = "x = = 1"
    with raises(SyntaxError):
        dat.module  # noqa: B018  asking is the test
    dat.text = "1 / 0"
    with raises(ZeroDivisionError):
        dat.module  # noqa: B018  asking is the test


@fact(35)
@uses_undo_stack
def test_writing_text_and_rows_can_be_undone(t):
    dat = t.scratch.create(t.td.textDAT)
    dat.text = "before"
    rows = table(t, ["a", 1])
    t.td.ui.undo.startBlock("edit")
    dat.text = "after"
    rows.appendRow(["b", 2])
    rows["a", 1] = 9
    t.td.ui.undo.endBlock()
    assert (dat.text, rows.text) == ("after", "a\t9\nb\t2")
    t.td.ui.undo.undo()
    assert (dat.text, rows.text) == ("before", "a\t1")
    t.td.ui.undo.redo()
    assert (dat.text, rows.text) == ("after", "a\t9\nb\t2")


def test_a_table_drives_a_parameter(t):
    dat = table(t, ["opacity", 0.5])
    level = t.scratch.create(t.td.levelTOP)
    level.par.opacity.expr = f"float(op('{dat.name}')['opacity', 1])"
    assert level.par.opacity.eval() == 0.5
    dat["opacity", 1] = 0.25
    assert level.par.opacity.eval() == 0.25


def test_a_dat_can_be_saved_to_a_file(t):
    import os
    import tempfile

    dat = t.scratch.create(t.td.textDAT)
    dat.text = "héllo\n"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.txt")
        dat.save(path)
        with open(path, encoding="utf-8") as file:
            assert file.read() == "héllo\n"


def test_a_script_dat_makes_its_table_while_it_cooks(t):
    callbacks = t.scratch.create(t.td.textDAT, "callbacks")
    callbacks.text = "def onCook(scriptOp):\n\tscriptOp.clear()\n\tscriptOp.appendRow(['a', 1])\n"
    dat = t.scratch.create(t.td.scriptDAT)
    dat.par.callbacks = callbacks
    assert dat.text == "a\t1"
    with raises(t.td.tdError):
        dat.appendRow(["b", 2])


def numbers(t):
    dat = t.scratch.create(t.td.tableDAT)
    dat.clear()
    for row in (["name", "level"], ["kick", 1], ["snare", 2], ["hat", 3]):
        dat.appendRow(row)
    return dat


def test_an_evaluate_dat_takes_its_expressions_from_a_second_table(t):
    dat, formulas = numbers(t), t.scratch.create(t.td.tableDAT)
    formulas.clear()
    formulas.appendRow(["me.inputCell.val", "me.inputCell.val"])
    formulas.appendRow(["me.inputCell.val", "float(me.inputCell.val) * 10"])
    evaluate = t.scratch.create(t.td.evaluateDAT)
    evaluate.inputConnectors[0].connect(dat)
    evaluate.inputConnectors[1].connect(formulas)
    yield
    yield
    # The last row of the expressions goes on for the rows below it.
    assert [c.val for c in evaluate.col("level")] == ["level", "10.0", "20.0", "30.0"]
    evaluate.par.output = "data"
    assert [c.val for c in evaluate.col("level")] == ["level", "1", "2", "3"]
    evaluate.par.output = "expression"
    assert evaluate[3, 1].val == "float(me.inputCell.val) * 10"


def test_an_evaluate_dat_leaves_alone_what_is_not_selected(t):
    evaluate = t.scratch.create(t.td.evaluateDAT)
    evaluate.inputConnectors[0].connect(numbers(t))
    yield
    yield
    evaluate.par.expr = "float(me.inputCell.val) * 10"
    evaluate.par.extractrows, evaluate.par.rowindexstart, evaluate.par.rowindexend = "byindex", 2, 3
    evaluate.par.extractcols, evaluate.par.colnames = "bynames", "level"
    assert [[c.val for c in row] for row in evaluate.rows()] == [
        ["name", "level"], ["kick", "1"], ["snare", "20.0"], ["hat", "30.0"],
    ]  # fmt: skip


def test_an_expression_in_an_evaluate_dat_knows_its_cell(t):
    dat = table(t, ["a", "b"])
    evaluate = t.scratch.create(t.td.evaluateDAT)
    evaluate.inputConnectors[0].connect(dat)
    evaluate.par.expr = "me.inputCell.val * 2 + str(me.inputCol)"
    yield
    assert [c.val for c in evaluate.row(0)] == ["aa0", "bb1"]


@fact(8)
def test_a_text_can_be_run_as_a_script(t):
    dat = t.scratch.create(t.td.textDAT)
    dat.text = "parent().store('given', args[0] * 2)"
    dat.run(21)
    yield
    yield
    assert t.scratch.fetch("given") == 42


@fact(34)
def test_reading_an_info_dat_cooks_it(t):
    glsl = t.scratch.create(t.td.glslTOP)
    info = t.scratch.op(f"{glsl.name}_info")
    before = info.totalCooks
    assert "Compiled Successfully" in info.text
    assert info.totalCooks == before + 1


def test_mod_reaches_a_dat_of_the_network(t):
    t.scratch.create(t.td.textDAT, "tools").text = "def double(x):\n\treturn 2 * x\n"
    user = t.scratch.create(t.td.textDAT, "user")
    user.text = "def try_it():\n\treturn mod.tools.double(2), mod('tools').double(3)\n"
    assert user.module.try_it() == (4, 6)


@fact(93)
def test_a_new_text_dat_has_one_of_two_languages(t):
    assert t.scratch.create(t.td.textDAT).par.language.eval() in ("text", "input")
