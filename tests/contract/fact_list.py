"""The facts about TouchDesigner that the stand-in reproduces and the product relies on, by number.

Marks say how sure each is: **L** seen live by a public source, **D** documented by Derivative, **R** reported by one or
more public projects, **I** inferred, **?** not established (the stand-in raises NotFaked or has a switch).
Builds 2025.3xxxx unless a fact says otherwise.
"""

from typing import NamedTuple


class Fact(NamedTuple):
    """One numbered fact, which may have several parts."""

    subject: str
    marks: str
    text: str
    elsewhere: str = ""
    """Why some or all of it cannot be tested on the stand-in, or where it is tested instead."""


_DRIVER = "graphics drivers and their dialogs have no place in the stand-in"
_SERVER = "about the server's process, not about operators: its own tests cover it"

FACTS: dict[int, Fact] = {
    1: Fact("Threads", "DLR", "TouchDesigner's objects belong to the main thread, reading included; td.isMainThread() tells."),
    2: Fact("Threads", "R", "run() from a worker corrupts silently; print() and debug() reach the Textport and count as access.", "the stand-in refuses and counts what TD lets pass, so the test cannot run inside TD"),
    3: Fact("Threads", "R", "Plain Python, queue, threading and tdu maths on plain values are safe on any thread."),
    4: Fact("Threads", "R", "time.sleep on the main thread freezes everything; an HTTP request from it to its own process deadlocks.", "`block_main` of the process stands for both"),
    5: Fact("Threads", "R", "op.TDResources.ThreadManager runs TDTasks on a pool of four threads with hooks on the main thread, RefreshHook every frame."),
    6: Fact("Frames", "D", "Execute DAT: toggles off at first; start, create, exit, framestart, frameend, playstatechange, devicechange, projectpresave, projectpostsave; create fires whenever the DAT comes to be."),
    7: Fact("Frames", "L", "onFrameStart does not fire while the timeline is paused."),
    8: Fact("Frames", "D", "run(): delays in frames or milliseconds (delayMilliSeconds, rounded to a frame) stand still with the root timeline unless delayRef=op.TDResources; Run.kill, group, active; strings resolve names when they run."),
    9: Fact("Frames", "DIR?", "Power off: nothing runs. A native dialog blocks the main thread; ui.messageBox only its own script. Perform mode is assumed to run.", "a minimised window is not established"),
    10: Fact("Frames", "LD", "absTime (frame, seconds, step, stepSeconds) stands still within a callback and pauses with the root timeline; the clock is the Time COMP /local/time."),
    11: Fact("Frames", "LR", "DAT text takes effect one cook later; errors and parameter callbacks show one frame later; cook(force=True) does not advance feedback; operators cook only when something asks.", "how a Render TOP follows its geometry: rendering raises NotFaked"),
    12: Fact("Frames", "R", "Editor work in the same frame as a create has wedged TD: wait two frames.", "the stand-in notes it as a risk instead of wedging"),
    13: Fact("Finding", "DL", "op() gives None, opex() raises; ops() lists; ints are ids; a missing shortcut raises tdAttributeError naming its context; parent is called; children lists."),
    14: Fact("Finding", "DR", "findChildren by type, name, path, depth (exact), maxDepth, text, comment, tags, parValue, parExpr, parName, key; annotations only with includeUtility."),
    15: Fact("Finding", "D", "Ids change on reload and undo; paths are case-sensitive."),
    16: Fact("Creating", "L", "create() takes a class or its exact name; unknown and retired types are refused in TD's words.", "create(initialize=False) raises NotFaked"),
    17: Fact("Creating", "DL", "A taken name gets the next number; new operators sit at (0, 0); geometryCOMP holds torus1; glslTOP brings docked _pixel, _compute, _info, glslPOP after its first cook; bad names are refused when renaming."),
    18: Fact("Creating", "DL", "copy() loses boundary wires, copyOPs keeps inner ones; no parent setter; changeType gives a new operator with its wires."),
    19: Fact("Creating", "R", "destroy() twice raises; a dock host destroyed before its docked operator may be an error (fact 73); a destroyed parameter invalidates held ones."),
    20: Fact("Creating", "L", "nodeX is left, nodeY bottom; least sizes; colours are float32; docked operators do not follow; allowCooking on COMPs only; create() leaves the viewer off, which the editor's own creation has on, and a copy keeps it."),
    21: Fact("Parameters", "D", "A missing parameter raises as an attribute and is None as an item; pars(pattern) lists."),
    22: Fact("Parameters", "DL", "val is the constant in any mode; setting it drops the expression; expr and bindExpr enter their modes at once; modes CONSTANT, EXPRESSION, EXPORT, BIND."),
    23: Fact("Parameters", "RL", "An unknown word for a Menu silently becomes the first entry; a StrMenu takes anything; Toggles have menu names."),
    24: Fact("Parameters", "RDL", "Floats are not clamped, whole numbers are; readOnly does not stop scripts; text for a number raises; some parameters ignore writes; OP parameters take operators and paths."),
    25: Fact("Parameters", "D", "Definitions (label, default, min, clampMin, menuNames, page ...) are settable on custom parameters only."),
    26: Fact("Parameters", "DR", "== compares values, two fetches are never the same object; bool(par) evaluates; bool(parGroup) raises."),
    27: Fact("Parameters", "L", "Custom names are one capital, then lower case and digits; COMPs only; append* give groups, replace wipes defaults; sizes number from 1; RGB reports RGBA ...; sequences refuse 0 blocks."),
    28: Fact("Parameters", "R", "default may differ from the value at creation; pulse() and reset()."),
    29: Fact("Parameters", "R", "Parameter Execute callbacks fire at the next frame, for script writes as well."),
    30: Fact("Wires", "DR", "Connectors: index, isInput, owner, connections, connect, disconnect; inputs replace, outputs append; no .op; a negative index wraps."),
    31: Fact("Wires", "R", "inputs leaves gaps out; multi-input operators close gaps on disconnect."),
    32: Fact("Wires", "R", "Connecting across networks silently does nothing; COMP hierarchy has its own connectors; a fresh baseCOMP has no inputs."),
    33: Fact("Errors", "D", "errors(), warnings() and scriptErrors() are one string each; addError only while cooking."),
    34: Fact("Errors", "RD", "Shader errors are in compileResult and the Info DAT, not in errors(); a broken expression raises on eval; a missing external .tox raises nothing."),
    35: Fact("Undo", "DR", "startBlock/endBlock make one named step; it ends with the callback; an annotation tears it down and endBlock raises."),
    36: Fact("Saving", "R", "project.save() blocks; an exception in onProjectPreSave truncates the file; storage is pickled; modified, not dirty; name may be the next one; quit asks.", "a self test must not save or quit the user's project"),
    37: Fact("Saving", "D", "loadTox, save, saveExternalTox; externaltox loads on its pulse."),
    38: Fact("Saving", "R", "Extensions are built lazily, again when their source changes or the project is saved; onInitTD, onDestroyTD; only Capitalised members are promoted."),
    39: Fact("Saving", "R", "A DAT named like a module shadows it; imported .py modules do not see op and friends."),
    40: Fact("Data", "D", "DATs: text, csv, jsonObject, rows, columns, cells; write appends; .text flattens line breaks in cells; generated DATs refuse it."),
    41: Fact("Data", "DL?", "TOPs: saveByteArray('.png'), save(asynchronous=True) with its FileSaveStatus (filePath, op, isCompleted()), numpyArray, sample; POPs count by methods, SOPs by properties; display and render are attributes; a failing shader passes its input through.", "the row order of numpyArray is a switch; drawing POPs raises NotFaked"),
    42: Fact("Data", "D", "CHOPs: chan, chans, names, numpyArray [channels, samples], rate, start."),
    43: Fact("Data", "R", "Reading back points of a POP is slow: 10 ms at 16 000 points, 70 ms at 160 000."),
    44: Fact("Data", "R", "Non-commercial licences cap resolution silently at 1280.", "inside TD it depends on the licence there"),
    45: Fact("Data", "R", "/ui/dialogs/parGrabber/offlineHelp holds JSON help; numpy, cv2, requests, yaml and others are bundled.", "the help's form is not established: the stand-in's is its own, and the product does not read it"),
    46: Fact("Process", "D", "Python 3.11; app.version '099', app.build '2025.…'; app.pythonExecutable."),
    47: Fact("Process", "R", "sys.stdout may lack isatty, fileno and encoding; leave root logging as it was."),
    48: Fact("Process", "R", "Windows: os.kill(pid, 0) ends a process, DEVNULL for children, Proactor accept, os.replace, reserved ports; localhost is ::1 first.", "Windows itself"),
    49: Fact("Process", "R", "A new pydantic over a loaded pydantic_core can abort; do not shadow TD's own packages.", _SERVER),
    50: Fact("Process", "R", "macOS: TD loads foreign wheels, its stand-alone Python refuses them; OpenSSL has no CA paths.", "macOS itself"),
    51: Fact("Process", "R", "A port taken by a dead listener still looks bound: test by a real bind."),
    52: Fact("Process", "L", "A heavy shader can kill the graphics context: TD ends, leaving CrashAutoSave files.", _DRIVER),
    53: Fact("Process", "L", "One undo entry per tool call is possible from one callback; a script's own sleeps make later calls look dead."),
    54: Fact("Builds", "DR", "The type of an operator is OP.OPType in every build; opType, isPOP and isCustom stand in the newest pages only; POPs came with 2025."),
    55: Fact("Finding", "DL", "op(), children and findChildren leave utility operators out unless includeUtility=True; a path through one resolves. An annotation made by a script is no utility, is of mode annotate and has an inside; one of mode networkbox is not found by Python."),
    56: Fact("Undo", "L", "Making an annotation adds a step Add Annotate, ends the open block, and endBlock raises; with globalState off nothing is recorded."),
    57: Fact("Finding", "L", "ParMode and some 70 other type aliases are names of scripts and of __main__, not of the module td; type(par.mode) gives ParMode everywhere."),
    58: Fact("Frames", "D", "A Run that has been executed raises when touched, kill() included."),
    59: Fact("Saving", "DI", "Opening a project: ids are given anew and may repeat, onExit does not come, modules in sys.modules survive, pending runs end.", "a self test must not open another project"),
    60: Fact("Saving", "L", "Dropping a .tox writes an expression into External .tox; Enable External .tox and Reload Custom Parameters are on by default.", "nobody can drop a file by script; the process does (`drop_component`)"),
    61: Fact("Builds", "D?", "2023 builds bundle neither cryptography nor cffi (numpy 1.24); 2025 builds do. Whether Python has lzma is not established.", "the payload does not need lzma"),
    62: Fact("Builds", "?", "project.modified is on no page; one project uses it on 2025.33070.", "only the newest build of the stand-in has it"),
    63: Fact("Builds", "DR", "Builds of 2023 take text in run(), builds of 2025 functions too; text with the function among its arguments works in both."),
    64: Fact("Frames", "D", "cookFrame counts the timeline of the component, cookAbsFrame absolute time; cpuCookTime and gpuCookTime replace cookTime."),
    65: Fact("Parameters", "L", "Sequences of a POP that never cooked are not all in pars(); custom sequences need blockSize, after their templates, before numBlocks."),
    66: Fact("Errors", "R", "The error cache moves on frame boundaries; what nothing cooks has no error."),
    67: Fact("Data", "L", "The display flag of SOPs is exclusive in a network."),
    68: Fact("Operators", "L", "Many annotations made at once in a network on screen crash TouchDesigner; one every few frames is safe.", "nothing may crash TouchDesigner to show it"),
    69: Fact("Wires", "R", "inputConnectors of a COMP may be empty right after its In operator was made; a cook brings them."),
    70: Fact("Data", "DI", "TOP.save(asynchronous=True) gives a FileSaveStatus in the newest pages, perhaps a text in older builds."),
    71: Fact("Frames", "LI", "Execute family at creation: active on; CHOP Execute valuechange, Panel Execute offtoon, Parameter Execute onpulse and custom on (inferred: valuechange and builtin, too)."),
    72: Fact("Finding", "LD", "op(par) takes parameters and evaluates them; par['x'] = value assigns; par[Par].", "what assigning to an item of no parameter does is not established: NotFaked"),
    73: Fact("Creating", "?", "Whether destroying a host with docked operators raises is not established; the script goes on in the code of one project.", "the stand-in lets it, and refuses it by a switch; Self Test asks"),
    74: Fact("Operators", "DL", "Script operators, Timer CHOP, OSC, Web and Keyboard DATs and the GLSL family are made with docked DATs, and a Ramp TOP with its keys; the language of shaders is glsl.", "the texts of others than GLSL TOPs, Script operators and Timer CHOPs are not established"),
    75: Fact("Errors", "L", "A GLSL shader that fails is a warning on the operator that names the Info DAT."),
    76: Fact("Parameters", "L", "A parameter that takes several operators evaluates to a list; * in Render TOP's geometry means geometry only."),
    77: Fact("Parameters", "L", "References by name do not follow a rename; only a warning shows."),
    78: Fact("Parameters", "R", "A pulse parameter with an expression fires when the expression's pulse does; op('comp').mod.x reaches another component's module."),
    79: Fact("Operators", "L", "buttonCOMP, sliderCOMP, fieldCOMP, listCOMP and animationCOMP are clones with children.", "which children and clones of what is not established: one DAT stands for them"),
    80: Fact("Operators", "L", "changeType keeps tags; storeStartupValue sets the value too."),
    81: Fact("Parameters", "D", "Par.tuplet and tupletName exist though the present pages omit them: absence from the pages is not absence.", "the stand-in knows the names and refuses them: NotFaked"),
    82: Fact("Process", "R", "sys.executable in a component's subprocess is no Python: use app.pythonExecutable and check it.", "nothing of operators: the component's own tests hold it"),
    83: Fact("Process", "D", "Derivative's own component registers with clients as touchdesigner and serves on port 13316.", "another component: tests of the client set-up hold it"),
    84: Fact("Data", "L", "numpyArray of a TOP begins with the bottom row."),
    85: Fact("Catalogue", "LD", "Parameters that share a row of the documentation are two parameters, as trailPOP.length and lengthunit; live tests know names, menus and flags that the pages lack: connectorder of In and Out operators, boundmin of logicCHOP, buffers of glslmultiTOP.", "menus whose words no source gives are empty"),
    86: Fact("Catalogue", "D?", "The comb sequences of mathmixPOP and mathcombinePOP begin without a block; fewer blocks than one are refused in TD's words.", "another source says that every sequence begins with one block: a switch of the stand-in"),
    87: Fact("Creating", "L", "engineoutPOP is refused as a retired type, glslcreatePOP, linethickPOP, scriptPOP and timefilterPOP as unknown ones."),
    88: Fact("Saving", "R", "An AttributeError that the user's own code raises behind a property (DAT.module, a promoted member) stays itself."),
    89: Fact("Frames", "DL?", "Whether root.time.frame can be set is not established: the documentation says so, live tests do not; root.time.seconds can.", "three ways of the stand-in by a switch; Self Test asks"),
    90: Fact("Errors", "L", "POPs without the input they need have the error Not enough sources specified, as TOPs and CHOPs have."),
    91: Fact("Operators", "R", "Methods that want an operator (copy, copyOPs, connect, setInputs, dock) refuse its name or path with tdError."),
    92: Fact("Saving", "L", "The root holds /ui, /sys, /local and /perform beside the project's components; /perform is a Window COMP whose winop names the show's root.", "of what is in /ui only what scripts ask for is there"),
    93: Fact("Creating", "LD?", "The language of a new Text DAT is text by a listing taken live, input by Derivative's newest skill.", "a switch of the stand-in; the product depends on neither"),
}  # fmt: skip

#: Tests of the product and of the stand-in's process that hold to a fact without being contract tests.
HELD_TO_BY: dict[int, tuple[str, ...]] = {
    4: (
        "tests/integration/test_standin_process.py::test_a_blocked_main_thread_leaves_the_control_lines_alive",
        "tests/integration/test_stalled.py::test_calls_are_refused_lists_stay_alive_and_nothing_happens_afterwards",
    ),
    9: (
        "tests/integration/test_standin_process.py::test_a_native_dialog_stops_frames_until_it_is_closed",
        "tests/integration/test_standin_process.py::test_the_power_button_stops_processing_and_exec_still_sees",
        "tests/integration/test_standin_process.py::test_perform_mode",
    ),
    36: ("tests/integration/test_standin_process.py::test_saving_blocks_and_writes_the_project",),
    47: ("tests/integration/test_http_gates.py::test_a_standard_output_that_can_only_write_is_enough",),
    48: ("tests/unit/shim/test_choice.py::test_a_process_that_ended_is_not_alive",),
    51: (
        "tests/integration/test_http_gates.py::test_a_port_held_by_a_listener_on_all_addresses_counts_as_taken",
        "tests/integration/test_http_gates.py::test_a_taken_port_is_one_clear_sentence",
    ),
    67: (
        "tests/unit/tools/edit/test_new_operators.py::test_displaying_a_sop_takes_the_flag_off_the_other_and_undo_gives_it_back",
    ),
    71: (
        "tests/unit/tools/edit/test_execute_dats.py::test_one_made_off_never_speaks",
        "tests/unit/tools/edit/test_execute_dats.py::test_one_that_is_off_stays_off_in_copies_readings_and_checkpoints",
    ),
    75: (
        "tests/unit/tools/read/test_checking.py::test_a_shader_that_fails_is_told_by_what_its_info_dat_says_and_once",
    ),
    68: (
        "tests/unit/tools/edit/test_annotations.py::test_several_annotations_are_made_one_a_frame_and_are_one_step",
    ),
    59: (
        "tests/integration/test_opening_projects.py::test_with_the_component_in_the_new_project_it_serves_again",
        "tests/integration/test_opening_projects.py::test_without_the_component_nothing_of_the_server_is_left",
    ),
    60: ("tests/integration/test_opening_projects.py::test_settings_survive_saving_and_opening",),
    82: (
        "tests/unit/clients/test_places.py::test_touchdesigner_itself_is_no_python_for_the_shim",
        "tests/unit/clients/test_places.py::test_the_pulse_takes_touchdesigners_python_only_if_it_is_there",
    ),
    83: ("tests/unit/clients/test_setup.py::test_an_entry_of_that_name_which_is_not_ours_is_left_as_it_is",),
    53: ("tests/unit/tools/edit/test_undo.py::test_undo_and_redo_name_their_steps",),
}
