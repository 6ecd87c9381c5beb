"""Look after the embedding model: calibrate and reembed."""

from __future__ import annotations

import argparse

from aimemory.cli.arguments import Commands, positive
from aimemory.cli.connecting import ready_database, required_embedder
from aimemory.cli.output import Output, plain, stacked, table
from aimemory.reembedding import calibrate, reembed


def register(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """Add the commands of this group."""
    command = commands.add_parser(
        "calibrate",
        help="measure what a cosine of the model means",
        description="Measure the cosines of unrelated texts and of matching ones with sentences "
        "that ship with the library. All thresholds are on the scale between the two.",
        parents=[shared],
    )
    command.set_defaults(run=measure_model)
    command = commands.add_parser(
        "reembed",
        help="give every memory a vector of this model, and switch to it",
        description="Give every memory a vector of the model that --embedder names, then let "
        "recall use it. The old model answers until then. Also heals memories that were written "
        "while the model was out of reach. Safe to stop and to run again.",
        parents=[shared],
    )
    command.add_argument(
        "--batch-size", type=positive, default=64, help="memories at once (default 64)"
    )
    command.add_argument(
        "--drop-old", action="store_true", help="remove the vectors of all other models afterwards"
    )
    command.set_defaults(run=embed_again)


def measure_model(arguments: argparse.Namespace, output: Output) -> int:
    """Measure the model, store what was measured, and print it."""
    embedder = required_embedder(arguments)
    with ready_database(arguments) as url:
        scales = calibrate(url, embedder)
    numbers = ("floor", "ceiling", "matches", "unrelated")
    shown = table("pairs", "script", *numbers, numbers=numbers)
    for pairs, by_script in scales.items():
        for script, scale in by_script.items():
            shown.add_row(
                pairs,
                script,
                f"{scale.floor:.3f}",
                f"{scale.ceiling:.3f}",
                str(scale.matches),
                str(scale.unrelated),
            )
    document = {"model": embedder.model, "scales": scales}
    output.result(document, stacked(plain(f"{embedder.model}, stored:"), shown))
    return 0


def embed_again(arguments: argparse.Namespace, output: Output) -> int:
    """Embed what has no vector of the model, switch to it, and say what was done."""
    embedder = required_embedder(arguments)
    with ready_database(arguments) as url, output.progress("embedding") as progress:
        report = reembed(
            url,
            embedder,
            batch_size=arguments.batch_size,
            drop_old=arguments.drop_old,
            progress=progress,
        )
    told = [f"memories embedded with {report.model}: {report.embedded:,}"]
    if report.activated:
        told.append("recall uses it from now on")
    if report.dropped:
        told.append(f"vectors of other models removed: {report.dropped:,}")
    output.result(report, plain("; ".join(told)))
    return 0
