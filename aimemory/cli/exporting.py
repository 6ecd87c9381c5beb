"""Write a user's memories to a file and read them back: export, import."""

from __future__ import annotations

import argparse

from aimemory.cli.arguments import Commands


def register(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """Add the commands of this group."""
