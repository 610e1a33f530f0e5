"""What a client's model is told first: how the tools work together. Short, since every session pays for it."""

INSTRUCTIONS = """\
You are connected to a running TouchDesigner. Its project is live: every edit shows at once.

Look first: get_status, then read_network (outline) or find_operators; check_errors tells what is broken; \
capture_image shows a picture of any operator. Paths are absolute, like /project1/noise1.
Build with build_network (many operators, wires and parameters in one undo step, all or nothing); change with \
set_parameters, wire_operators, delete_operators. A parameter value is a plain JSON value, {"expr": "..."} for an \
expression, {"bind": "..."}, {"reset": true} or {"pulse": true}.
Operator types are exact (noiseTOP, not noiseTop). After each edit the answer says what is there now and which new \
errors appeared one frame later. A failed call changed nothing: its code, hint and suggestions say how to repair it.
Frames matter: batch work in few calls; calls are answered about once a frame. main_thread_stalled means TouchDesigner \
itself is busy (a dialog, a heavy cook): wait, then try again. still_running gives a job: ask get_job.
"""
