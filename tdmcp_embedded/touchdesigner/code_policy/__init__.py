"""What code a project can run, and that an edit of level *edit* leaves it as it is.

- `references`: what a script or an expression names when it runs other code.
- `slot`: a place from which code runs, and what it runs; `slots` reads those of one operator.
- `slot_parameters`: which parameters may be such places.
- `code_follower`: from the names in code to what runs with it; `name_lookup` and `dat_sources` help.
- `index`: the slots of the whole project, read over frames and kept up to date.
- `invariant`: compares the slots that an edit can reach, before and after, in the edit's own step.
- `steps`: what earlier calls touched, for undo and redo.
- `reach`: operator types that reach outside the project, each with its reason.
"""
