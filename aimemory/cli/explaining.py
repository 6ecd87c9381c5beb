"""Show search results, and how each score came about."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.table import Table

from aimemory.cli.output import day, one_line, plain, stacked, table
from aimemory.records import Hit, Hits


def hits_table(hits: Sequence[Hit], *, explain: bool) -> Table:
    """List the hits, best first, each with what it replaced and, if asked, what it matched."""
    numbers, narrow = ("#", "score"), ("type", "said", "id")
    shown = table(*numbers, "memory", *narrow, numbers=numbers, narrow=narrow)
    for place, hit in enumerate(hits, start=1):
        shown.add_row(
            str(place),
            f"{hit.score:.3f}",
            stacked(plain(one_line(hit.content)), *_below(hit, explain=explain)),
            hit.memory_type,
            day(hit.created_at),
            str(hit.memory_id)[:8],
        )
    return shown


def parts_table(hits: Sequence[Hit]) -> Table:
    """Show every part of every score, and the place in each route."""
    parts = ("#", "score", "similarity", "keyword", "recency", "forgetting", "importance")
    routes = ("vector", "words", "names")
    shown = table(*parts, *routes, numbers=parts + routes)
    shown.padding = (0, 1, 0, 0)
    for place, hit in enumerate(hits, start=1):
        shown.add_row(
            str(place),
            f"{hit.score:.3f}",
            "–" if hit.similarity is None else f"{hit.similarity:.3f}",
            f"{hit.keyword:.3f}",
            f"{hit.recency:.3f}",
            f"{hit.forgetting:.3f}",
            f"{hit.effective_importance:.3f}",
            *(_rank(rank) for rank in (hit.vector_rank, hit.keyword_rank, hit.entity_rank)),
        )
    return shown


def explanation(hits: Hits, profile: str) -> RenderableType:
    """Show the hits with everything that is known about them."""
    return stacked(
        hits_table(hits, explain=True),
        plain(""),
        parts_table(hits),
        plain(
            f"similarity: 0 unrelated, 1 a best match of this model. vector, words, names: place "
            f"in that route. Weights: profile {profile} in aimemory.scoring_profiles.",
            "dim",
        ),
    )


def _below(hit: Hit, *, explain: bool) -> list[RenderableType]:
    lines: list[RenderableType] = []
    if explain:
        if hit.matched_terms:
            lines.append(plain(f"words: {' · '.join(_readable(hit.matched_terms))}", "cyan"))
        if hit.matched_entities:
            lines.append(plain(f"names: {' · '.join(hit.matched_entities)}", "cyan"))
    if hit.archived:
        lines.append(plain("from the archive", "yellow"))
    lines += [
        plain(f"before {day(old.superseded_at)}: {one_line(old.content)}", "dim")
        for old in hit.history
    ]
    return lines


def _readable(terms: Sequence[str]) -> list[str]:
    """Leave out single characters that are part of a pair: 年糕 says it for 年 and 糕."""
    return [
        term
        for term in terms
        if len(term) > 1 or not any(term in pair for pair in terms if pair != term)
    ]


def _rank(rank: int | None) -> str:
    return "–" if rank is None else str(rank)
