"""TOPs: pictures, how each type draws, and what scripts can do with them."""

from . import feedback as _feedback  # noqa: F401  each registers how its types cook
from . import generators as _generators  # noqa: F401
from . import glsl as _glsl  # noqa: F401
from . import operations as _operations  # noqa: F401
from . import placeholders as _placeholders  # noqa: F401
from . import script as _script  # noqa: F401
