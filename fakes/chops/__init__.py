"""CHOPs: channels of samples, how each type makes them, and what scripts can do with them."""

from . import audio as _audio  # noqa: F401  each registers how its types cook
from . import conversions as _conversions  # noqa: F401
from . import dynamics as _dynamics  # noqa: F401
from . import generators as _generators  # noqa: F401
from . import operations as _operations  # noqa: F401
from . import script as _script  # noqa: F401
from . import timer as _timer  # noqa: F401
