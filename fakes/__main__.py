"""`python -m fakes`: a TouchDesigner stand-in that one can start.

One line of JSON on standard output says that the component's server answers; JSON lines on standard input are
commands. See `README.md` beside this file.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from fakes.builds import BUILDS, NEWEST
from fakes.control import Lines, take_standard_output


def main(arguments: list[str] | None = None) -> int:
    """Run the stand-in until it is told to end; the exit code."""
    options = parse(sys.argv[1:] if arguments is None else arguments)
    lines = Lines(take_standard_output())
    home = Path(options.home or "~").expanduser().resolve()
    if options.home:
        home.mkdir(parents=True, exist_ok=True)
        os.environ["HOME"] = os.environ["USERPROFILE"] = str(home)
        os.environ["TDMCP_HOME"] = str(home / ".tdmcp")
    if options.token:
        # The component's own way for scripted set-ups; a key is no custom parameter, so that no .toe holds it.
        os.environ["TDMCP_TOKEN"] = options.token

    if options.clock_step:
        from fakes import coarse_clocks

        coarse_clocks.use(options.clock_step / 1000)

    # Before numpy is there: its pool of threads would burn the cores that the server and the show share.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from fakes.process import Options, Process

    process = Process(
        Options(
            port=options.port,
            home=home,
            scene=options.scene,
            project=Path(options.project).resolve() if options.project else None,
            fps=options.fps,
            frame_work=options.frame_work,
            no_token=options.no_token,
            settings=options.set,
            ready_file=Path(options.ready_file).absolute() if options.ready_file else None,
            bare=options.bare,
            build=options.build,
            component=Path(options.component).resolve() if options.component else None,
        ),
        lines,
    )
    process.run()
    return 0


def parse(arguments: list[str]) -> argparse.Namespace:
    """The command line; ends the process with a sentence if it cannot be understood."""
    parser = argparse.ArgumentParser(prog="python -m fakes", description="A TouchDesigner stand-in.")
    parser.add_argument("--port", type=int, help="port of the component's server; 0 lets the system choose")
    parser.add_argument("--home", metavar="DIR", help="stands in for the user's home")
    scenes = parser.add_mutually_exclusive_group()
    scenes.add_argument("--scene", default="demo", type=_scene, metavar="demo|empty|large:N")
    scenes.add_argument("--project", metavar="FOLDER",
                        help="open what toeexpand made of a component or project: NAME.tox.dir or NAME.toe.dir")  # fmt: skip
    parser.add_argument("--fps", type=_positive, default=60.0, help="frames per second")
    parser.add_argument(
        "--frame-work", type=_not_negative, default=0.0, metavar="MS", help="Python per frame"
    )
    keys = parser.add_mutually_exclusive_group()
    keys.add_argument("--token", metavar="T", help="the access key, instead of a new one")
    keys.add_argument("--no-token", action="store_true", help="the server asks for no access key")
    parser.add_argument("--set", action="append", default=[], type=_setting, metavar="PARAMETER=VALUE",
                        help="set a custom parameter of the component before it starts; may be repeated")  # fmt: skip
    parser.add_argument("--ready-file", metavar="F", help="write the ready line to this file as well")
    parser.add_argument("--component", metavar="TOC",
                        help="the .tox.toc of a build to drop in, instead of a new slim one")  # fmt: skip
    parser.add_argument("--build", default=NEWEST, choices=list(BUILDS),
                        help="the build of TouchDesigner to be; the newest by default")  # fmt: skip
    parser.add_argument("--clock-step", type=_not_negative, default=os.environ.get("FAKES_CLOCK_STEP", "0"),
                        metavar="MS", help="clocks move on in such steps, as on Windows (15.6)")  # fmt: skip
    parser.add_argument("--bare", action="store_true", help="without the component: TouchDesigner alone")
    return parser.parse_args(arguments)


def _scene(text: str) -> str:
    name, _, count = text.partition(":")
    if (name in ("demo", "empty") and not count) or (name == "large" and count.isdigit()):
        return text
    raise argparse.ArgumentTypeError(f"{text!r} is not demo, empty or large:N")


def _positive(text: str) -> float:
    value = float(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return value


def _not_negative(text: str) -> float:
    value = float(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text} is below 0")
    return value


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not PARAMETER=VALUE")
    return name, value


if __name__ == "__main__":
    sys.exit(main())
