"""What pyproject.toml cannot say: the contract tests travel inside the package, where *Self Test* finds them."""

from pathlib import Path
from shutil import copytree, ignore_patterns

from setuptools import setup
from setuptools.command.build_py import build_py

SOURCES = Path(__file__).parent / "tests" / "contract"


class WithContractTests(build_py):
    """The packages, and the contract tests as `tdmcp_embedded.contract`, without what drives the stand-in."""

    def run(self) -> None:
        super().run()
        # An editable installation finds them in the checkout.
        if not self.editable_mode:
            place = Path(self.build_lib) / "tdmcp_embedded" / "contract"
            copytree(SOURCES, place, ignore=ignore_patterns("conftest.py", "__pycache__"), dirs_exist_ok=True)


setup(cmdclass={"build_py": WithContractTests})
