"""The libraries that travel inside the component, apart from everyone else's.

Other components and TouchDesigner itself have their own `pydantic`, `anyio` or `typing_extensions`, in versions of their
own, on the import path or imported already. So ours live under names nobody else uses: `mcp` is
`tdmcp_embedded.libraries.mcp`. Their code is not changed for that. Every module of ours, and of theirs, is run with
built-ins of its own, in which `__import__` knows that `import mcp` means the private one; what is not among our
libraries (the standard library, TouchDesigner's own packages) is imported as always. Nothing is put on `sys.path`, and no
name that others use is put into `sys.modules`, so whatever resolved to something before resolves to the same after.

Standard library only: this is what makes everything else importable.
"""

from __future__ import annotations

import builtins
import importlib
import importlib.metadata
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

OWN = "tdmcp_embedded"
PREFIX = f"{OWN}.libraries"
#: Under this name the finder in force is found again, whoever asks.
HOME = "_tdmcp_private_imports"
#: What our libraries use if it happens to be there. They shall not: nobody has tried them with what that may be.
UNWANTED = frozenset(
    {
        "dotenv",
        "email_validator",
        "httptools",
        "rich",
        "trio",
        "typer",
        "uvloop",
        "watchfiles",
        "websockets",
        "yaml",
    }
)


class AlreadyLoaded(Exception):
    """This process has imported another copy of the server; `version` and `identity` say which."""

    def __init__(self, version: str, identity: str) -> None:
        super().__init__(f"version {version} of tdmcp-embedded is loaded already")
        self.version, self.identity = version, identity


def install(folder: Path, identity: str) -> PrivateFinder:
    """Make `tdmcp_embedded` importable from an unpacked payload; afterwards `import tdmcp_embedded` finds it.

    Args:
        folder: holds `code/` (our packages) and `libraries/` (theirs).
        identity: the payload's; a second call with the same one changes nothing.

    Raises:
        AlreadyLoaded: the process has another copy, which a second one cannot replace while it runs.
    """
    present = sys.modules.get(HOME)
    if present is not None:
        finder: PrivateFinder = present.__dict__["finder"]
        if finder.identity == identity:
            return finder
        if OWN in sys.modules:
            raise AlreadyLoaded(_version(), finder.identity)
        # Installed, but never used: nothing of it is in memory.
        sys.meta_path.remove(finder)
    elif OWN in sys.modules:
        raise AlreadyLoaded(_version(), "")
    finder = PrivateFinder(folder, identity)
    home = ModuleType(HOME, "Where the private libraries of tdmcp-embedded are looked up.")
    home.__dict__["finder"] = finder
    sys.modules[HOME] = home
    # First, so that another copy on the path does not come before the one this process was given.
    sys.meta_path.insert(0, finder)
    return finder


def _version() -> str:
    return str(getattr(sys.modules[OWN], "__version__", "unknown"))


class PrivateFinder(MetaPathFinder):
    """Finds our packages by their own names and our libraries below `PREFIX`; nothing else."""

    def __init__(self, folder: Path, identity: str) -> None:
        self.identity = identity
        self.folder = folder
        self._code, self._libraries = str(folder / "code"), str(folder / "libraries")
        self._own = _top_level(folder / "code")
        self.names = _top_level(folder / "libraries")
        """The libraries that `import NAME` finds here, in our modules."""
        self.built_ins = {**vars(builtins), "__import__": self._import}
        self._importlib = _facades(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == PREFIX:
            spec = ModuleSpec(fullname, None, is_package=True)
            spec.submodule_search_locations = [self._libraries]
            return spec
        if fullname.startswith(f"{PREFIX}."):
            found = PathFinder.find_spec(fullname, path or [self._libraries])
        elif fullname.partition(".")[0] in self._own:
            found = PathFinder.find_spec(fullname, path or [self._code])
        else:
            return None
        if found is not None and isinstance(found.loader, SourceFileLoader):
            found.loader = _Loader(fullname, found.loader.path, self)
        return found

    def private(self, name: str) -> str:
        """The full name of what `name` means in our modules."""
        top = name.partition(".")[0]
        if top in UNWANTED:
            raise ModuleNotFoundError(f"{name} is not used by the libraries of tdmcp-embedded", name=name)
        return f"{PREFIX}.{name}" if top in self.names else name

    def distributions(self) -> Iterator[importlib.metadata.Distribution]:
        """What is installed, as our libraries see it: themselves, so that nobody else's plug-ins get in."""
        context = importlib.metadata.DistributionFinder.Context(path=[self._libraries])
        return iter(importlib.metadata.MetadataPathFinder.find_distributions(context))

    def version(self, name: str) -> str:
        """The version of one of our libraries; "" if it is not there."""
        return next((d.version for d in self.distributions() if _normal(d.metadata["Name"]) == name), "")

    def _import(
        self,
        name: str,
        globals: dict[str, Any] | None = None,
        locals: dict[str, Any] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        """`__import__` as our modules have it."""
        # Looked up at each call: whoever wraps the real one (`http/imports.py`) is to be asked as well.
        real = builtins.__import__
        if level:
            return real(name, globals, locals, fromlist or (), level)
        if name == "importlib" or name.startswith("importlib."):
            whole = real(name, globals, locals, fromlist or (), 0)
            return self._importlib.get(name, whole) if fromlist else self._importlib["importlib"]
        full = self.private(name)
        module = real(full, globals, locals, fromlist or (), 0)
        if full == name or fromlist:
            return module
        return sys.modules[f"{PREFIX}.{name.partition('.')[0]}"]


class _Loader(SourceFileLoader):
    """Runs a module with the built-ins in which `__import__` knows our libraries."""

    def __init__(self, fullname: str, path: str, finder: PrivateFinder) -> None:
        super().__init__(fullname, path)
        self._finder = finder

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__builtins__"] = self._finder.built_ins
        super().exec_module(module)
        if module.__name__ == f"{PREFIX}.pydantic_core":
            acquaint(module, self._finder.version("pydantic"))


def acquaint(core: Any, version: str) -> None:
    """Have pydantic's machine code, which knows nothing of our names, find itself.

    When it first writes a model it takes `sys.modules["pydantic_core"]`, when it first writes an error as JSON it imports
    `pydantic`; what it found it keeps for ever. So for that moment ours stand there, and then whatever stood there.

    Raises:
        ImportError: it does not work as it should, which no server would survive.
    """
    schemas = core.core_schema
    known = ModuleType("pydantic")
    known.__dict__["__version__"] = version
    before = {name: sys.modules.get(name) for name in ("pydantic_core", "pydantic")}
    interval = sys.getswitchinterval()
    # No other thread shall meet them there.
    sys.setswitchinterval(10.0)
    try:
        sys.modules["pydantic_core"], sys.modules["pydantic"] = core, known
        fields = schemas.model_fields_schema({"number": schemas.model_field(schemas.int_schema())})
        schema = schemas.model_schema(_Sample, fields)
        sample = core.SchemaValidator(schema).validate_python({"number": 1})
        written = core.SchemaSerializer(schema).to_json(sample)
        try:
            core.SchemaValidator(schema).validate_python({"number": "none"})
        except core.ValidationError as error:
            error.json()
        if written != b'{"number":1}':
            raise ImportError(f"pydantic_core {core.__version__} gives {written!r}")
    except Exception as error:
        raise ImportError(
            f"The machine code of pydantic cannot be used beside what this TouchDesigner has loaded ({error}): restart "
            "TouchDesigner, and start the server before other components."
        ) from error
    finally:
        for name, module in before.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module
        sys.setswitchinterval(interval)


class _Sample:
    """A model as pydantic's machine code sees one."""

    __slots__ = ("__dict__", "__pydantic_extra__", "__pydantic_fields_set__", "__pydantic_private__")


class _Facade(ModuleType):
    """A module of `importlib` in which some functions know our libraries; the rest is the real one's."""

    def __init__(self, real: ModuleType, **own: Any) -> None:
        super().__init__(real.__name__, real.__doc__)
        self.__dict__.update(own, _real=real)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_real"], name)


def _facades(finder: PrivateFinder) -> dict[str, ModuleType]:
    metadata, util = importlib.metadata, importlib.util

    def meant(name: str, package: str | None) -> tuple[str, str | None]:
        if name.startswith("."):
            return name, package and finder.private(package)
        return finder.private(name), package

    def import_module(name: str, package: str | None = None) -> ModuleType:
        return importlib.import_module(*meant(name, package))

    def find_spec(name: str, package: str | None = None) -> ModuleSpec | None:
        return util.find_spec(*meant(name, package))

    def distribution(distribution_name: str) -> metadata.Distribution:
        wanted = _normal(distribution_name)
        for found in finder.distributions():
            if _normal(found.metadata["Name"]) == wanted:
                return found
        return metadata.distribution(distribution_name)

    def entry_points(**wanted: Any) -> metadata.EntryPoints:
        points = [point for found in finder.distributions() for point in found.entry_points]
        return metadata.EntryPoints(_Point(point.name, point.value, point.group) for point in points).select(
            **wanted
        )

    class _Point(metadata.EntryPoint):
        def load(self) -> Any:
            module, _, attribute = self.value.partition(":")
            found: Any = import_module(module.strip())
            for part in filter(None, attribute.strip().split(".")):
                found = getattr(found, part)
            return found

    def version(distribution_name: str) -> str:
        return distribution(distribution_name).version

    facades = {
        "importlib.metadata": _Facade(
            metadata,
            distribution=distribution,
            distributions=lambda **options: finder.distributions(),
            entry_points=entry_points,
            version=version,
            metadata=lambda name: distribution(name).metadata,
        ),
        "importlib.util": _Facade(util, find_spec=find_spec),
    }
    inner = {name.partition(".")[2]: facade for name, facade in facades.items()}
    return {**facades, "importlib": _Facade(importlib, import_module=import_module, **inner)}


def _normal(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def _top_level(folder: Path) -> frozenset[str]:
    """The names that can be imported from a folder."""
    entries = (e for e in folder.iterdir() if not e.name.endswith(".dist-info") and e.name != "__pycache__")
    return frozenset(
        entry.name.partition(".")[0] for entry in entries if entry.is_dir() or entry.suffix == ".py"
    )
