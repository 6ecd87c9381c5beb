"""The view route_contribution: what each route found."""

from psycopg.types.json import Jsonb

from memories import DAY, NOW, call, remember, view


def asked(db, *hits, given=(), at=NOW):
    what_came = [
        {"memory_id": str(memory), "score": score, "routes": routes}
        for memory, score, routes in hits
    ]
    call(
        db,
        "log_recall",
        for_user="ann",
        asked="what?",
        what_came=Jsonb(what_came),
        given=list(given),
        as_of=at,
    )


def test_every_route_gets_its_hits_and_those_it_alone_found(db):
    tea, milk = remember(db, "likes tea"), remember(db, "likes milk")
    asked(db, (tea, 1.0, ["vector", "keyword"]), (milk, 0.5, ["vector"]), given=[tea])
    asked(db, (milk, 0.2, ["archive"]))
    asked(db)

    found = {row.pop("route"): row for row in view(db, "route_contribution")}
    shown = {
        route: tuple(float(row[name]) for name in row if name != "day")
        for route, row in found.items()
    }
    # hits, only here, mean score, share that was injected
    assert shown == {
        "vector": (2, 1, 0.75, 0.5),
        "keyword": (1, 0, 1.0, 1.0),
        "archive": (1, 1, 0.2, 0.0),
    }


def test_days_stand_apart(db):
    tea = remember(db, "likes tea")
    for at in (NOW, NOW + DAY):
        asked(db, (tea, 1.0, ["entity"]), at=at)

    assert [(row["day"], row["hits"]) for row in view(db, "route_contribution")] == [
        (NOW.date(), 1),
        ((NOW + DAY).date(), 1),
    ]
