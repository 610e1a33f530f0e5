"""The bench of the tools' tests serves here as well."""

from tests.unit.tools.conftest import bench

__all__ = ["bench"]
