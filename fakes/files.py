"""Components to and from `.tox` files: save, loadTox, external .tox (facts 34 and 37)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fakes import evaluation, toe, toecollapse, tox
from fakes.errors import tdError
from fakes.nodes import Mode

if TYPE_CHECKING:
    from fakes.nodes import Node
    from fakes.world import World


class Files:
    """Saving and loading components of one world. `folder` tells where relative paths start: the project's."""

    def __init__(self, world: World, folder: Callable[[], Path]) -> None:
        self.world = world
        self._folder = folder
        world.par_pulsed.append(self._pulsed)

    def save(self, node: Node, path: str, *, create_folders: bool = False) -> str:
        """`COMP.save`: write the component and all in it; the path written to.

        Raises:
            tdError: the folder does not exist, or storage cannot be pickled.
        """
        target = self._path(path)
        if create_folders:
            target.parent.mkdir(parents=True, exist_ok=True)
        if not target.parent.is_dir():
            raise tdError(f"Failed to save file: {target.as_posix()}")
        target.write_bytes(toe.pack(node, "tox"))
        return target.as_posix()

    def load(self, network: Node, path: str) -> Node:
        """`COMP.loadTox`: put the component of a file into a network.

        Raises:
            tdError: there is no such file, or it is none of the stand-in's.
        """
        target = self._path(path)
        if not target.is_file():
            raise tdError(f"Failed to load file: {target.as_posix()}")
        return self.load_bytes(network, target.read_bytes())

    def load_bytes(self, network: Node, data: bytes) -> Node:
        """`COMP.loadByteArray`."""
        content = toe.unpack(bytes(data))
        if content["kind"] == "collapsed":
            folder, toc = toecollapse.unpacked(content)
            with folder:
                return tox.load_expanded(self.world, network, toc)
        with self.world.undo.paused():
            node = toe.restore(self.world, network, content["operator"])
        tox.record_load(node)
        tox.announce(node)
        return node

    def save_external(self, node: Node, *, recurse: bool = False) -> int:
        """`COMP.saveExternalTox`: write components that name an external .tox into it; how many."""
        saved = 0
        for comp in [node, *(self.world.walk(node) if recurse else ())]:
            path = self._external(comp)
            if path is not None:
                self.save(comp, str(path))
                saved += 1
        return saved

    def reload_external(self, node: Node) -> None:
        """Fill the component from its external .tox. A missing or foreign file is a warning, no exception."""
        path = self._external(node)
        if path is None or not node.value("enableexternaltox"):
            return
        try:
            described = toe.unpack(path.read_bytes())["operator"]
        except (OSError, tdError) as problem:
            node.warnings = [*(node.warnings or ()), f"Cannot load external tox {path.as_posix()}: {problem}"]
            self.world.cooking.check.add(node)
            return
        # The link itself stays as it is, whatever the file says of one.
        kept = {name: _fields(node, name) for name in ("externaltox", "enableexternaltox")}
        with self.world.undo.paused():
            toe.restore_inside(
                node,
                described,
                custom_too=bool(node.value("reloadcustom")),
                builtin_too=bool(node.value("reloadbuiltin")),
            )
            for name, fields in kept.items():
                evaluation.put(node.par(name), fields)
        for child in node.children.values():
            tox.announce(child)

    def link(self, node: Node, path: Path) -> None:
        """Link a component to the file it was dropped from, as TouchDesigner does (fact 60)."""
        fields = {"value": "", "expr": repr(path.as_posix()), "mode": Mode.EXPRESSION}
        evaluation.put(node.par("externaltox"), fields)
        for name in ("enableexternaltox", "reloadcustom", "reloadbuiltin"):
            node.set(name, True)

    def load_linked(self) -> None:
        """Fill every component that has a link from its file: what opening a project does."""
        for node in list(self.world.walk()):
            if node.alive and self._external(node) is not None:
                self.reload_external(node)

    def _external(self, node: Node) -> Path | None:
        if node.family != "COMP":
            return None
        text = str(node.value("externaltox"))
        return self._path(text) if text else None

    def _path(self, path: str) -> Path:
        return self._folder() / Path(path).expanduser()

    def _pulsed(self, node: Node, name: str) -> None:
        if name == "enableexternaltoxpulse":
            self.reload_external(node)


def _fields(node: Node, name: str) -> dict[str, Any]:
    state = node.par(name)
    return {"value": state.value, "expr": state.expr, "mode": state.mode}
