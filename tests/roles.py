"""Connect as one of the roles of aimemory, whoever the tests' server lets in."""

from __future__ import annotations

APP, ANALYST, MAINTAINER = "aimemory_app", "aimemory_analyst", "aimemory_maintainer"


def as_role(url: str, role: str = APP) -> str:
    """Return a URL whose connections take on a role before anything else happens.

    To row-level security that is the same as logging in with it, and needs no password.
    """
    return with_setting(url, "role", role)


def with_setting(url: str, setting: str, value: str) -> str:
    """Return a URL whose connections start with a setting."""
    return f"{url}{'&' if '?' in url else '?'}options=-c%20{setting}%3D{value}"
