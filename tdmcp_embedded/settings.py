"""Everything a user can set, as one model; each field is one custom parameter of the component.

The field `call_deadline` is the custom parameter `Calldeadline`: drop the underscores, capitalise the first letter
(TouchDesigner's rule for custom names). `td_component/description.py` gives each its page, label and help.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, field_validator

_ADDRESS: Final = re.compile(r"https?://([\w.-]+|\[[0-9a-f:]+\])(:\d{1,5})?")


class Level(StrEnum):
    """What a caller may do; each level includes the ones before it."""

    OBSERVE = "observe"
    EDIT = "edit"
    FULL = "full"

    @property
    def rank(self) -> int:
        return list(Level).index(self)

    def allows(self, needed: Level) -> bool:
        """Whether somebody of this level may use something that needs `needed`."""
        return self.rank >= needed.rank


class Settings(BaseModel):
    """Settings of one server, as read from the component when it (re)starts or when a parameter changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    # Server
    active: bool = True
    address: str = "127.0.0.1"
    port: int = Field(default=9988, ge=0, le=65535)
    """0 lets the system choose."""
    port_scan: int = Field(default=10, ge=0, le=100)
    """How many following ports to try when `port` is taken."""
    instance_name: str = ""
    toolset: str = Field(default="all", pattern="^(all|core)$")
    announce: bool = False
    """Whether to be found on the local network (mDNS, extra `lan`)."""

    # Security
    require_key: bool = True
    access_level: Level = Level.FULL
    """Ceiling for every key."""
    perform_level: Level = Level.FULL
    """Ceiling while TouchDesigner is in Perform mode."""
    paths_outside: bool = False
    """Whether file arguments may leave the project's folder."""
    tls_certificate: str = ""
    tls_key: str = ""
    public_address: str = ""
    """What a proxy or tunnel in front of this server calls it, like https://td.example.com; empty without one."""
    oauth: bool = False
    """Whether remote agents may ask to be let in by OAuth."""
    oauth_level: Level = Level.EDIT
    """Ceiling for those who were."""

    # Performance
    budget_ms: float = Field(default=4.0, gt=0, le=100)
    """Milliseconds of main-thread work per frame."""
    requests_per_second: float = Field(default=120.0, gt=0)
    burst: int = Field(default=4, ge=1)
    queue_size: int = Field(default=256, ge=1)
    call_deadline: float = Field(default=30.0, gt=0)
    """Seconds until a call is answered in any case."""
    python_limit: float = Field(default=10.0, gt=0)
    """Seconds that `execute_python` may take unless it asks for another limit."""
    max_body_mb: float = Field(default=8.0, gt=0)
    """Largest HTTP request body, in MB."""

    # Clients
    client: str = "claude-desktop"
    """Which client the component's buttons set up; the server itself does not use it."""

    @field_validator("public_address")
    @classmethod
    def _an_address(cls, given: str) -> str:
        address = given.strip().rstrip("/").lower()
        if address and not _ADDRESS.fullmatch(address):
            raise ValueError("a scheme and a host name are wanted, like https://td.example.com")
        return address


def parameter_name(field: str) -> str:
    """The custom parameter that holds a field: `call_deadline` -> `Calldeadline`."""
    return field.replace("_", "").capitalize()


def from_parameters(values: dict[str, Any]) -> Settings:
    """Settings from custom parameter values by parameter name; unknown names are ignored (pulses, read-outs).

    Raises:
        pydantic.ValidationError: a value is out of range.
    """
    names = {parameter_name(field): field for field in Settings.model_fields}
    return Settings.model_validate({names[n]: v for n, v in values.items() if n in names})
