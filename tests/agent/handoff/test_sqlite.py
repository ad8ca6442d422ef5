import multiprocessing
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from agent.errors import HandoffError, SettingsError
from agent.handoff import Packet, Resolution, Unsure, open_handoffs
from agent.handoff.sqlite import SqliteHandoffs

MakePacket = Callable[..., Packet]


def answer(text: str = "5%", sql: str | None = None, by: str = "sato") -> Resolution:
    return Resolution(text=text, sql=sql, by=by, at="2026-11-30T14:00:00Z")


def test_a_packet_comes_back_whole(store: SqliteHandoffs, make_packet: MakePacket) -> None:
    packet = make_packet(
        reading="2026年10月の返品率は?",
        language="ja",
        sub_tasks=({"task": "返品率", "state": "open"},),
        steps=({"tool": "run_sql", "ok": False, "ms": 1.5},),
        evidence=({"id": "E1", "rows": [["1.50", None]], "row_count": 1},),
        draft="5%です",
        unsure=(Unsure(what="5%", why="no evidence"),),
        settle="返品は入庫日で数えますか?",
        trace_id="4f2a",
    )
    assert store.add(packet).state == "open"
    assert store.get(packet.id).packet == packet


def test_adding_again_changes_nothing(store: SqliteHandoffs, make_packet: MakePacket) -> None:
    packet = make_packet()
    store.add(packet)
    store.claim(packet.id, "sato")
    again = store.add(packet.model_copy(update={"draft": "another"}))
    assert (again.state, again.claimed_by, again.packet.draft) == ("claimed", "sato", "")
    assert len(store.list()) == 1


def test_an_id_that_another_turn_has_is_refused(
    store: SqliteHandoffs, make_packet: MakePacket
) -> None:
    packet = make_packet()
    store.add(packet)
    with pytest.raises(HandoffError, match="another thread"):
        store.add(make_packet("t2", 1, id=packet.id))


def test_the_list_is_oldest_first_and_filtered_by_state(
    store: SqliteHandoffs, make_packet: MakePacket
) -> None:
    for turn in (3, 1, 2):
        store.add(make_packet(turn=turn))
    store.claim(make_packet(turn=2).id, "sato")
    assert [h.packet.turn for h in store.list()] == [1, 2, 3]
    assert [h.packet.turn for h in store.list("open")] == [1, 3]
    assert [h.packet.turn for h in store.list("claimed")] == [2]
    assert store.list("rejected") == []


def test_reading_makes_no_file(store: SqliteHandoffs, tmp_path: Path) -> None:
    assert store.list() == []
    attempts: list[Callable[[], object]] = [
        lambda: store.get("h-1"),
        lambda: store.claim("h-1", "sato"),
        lambda: store.resolve("h-1", answer()),
        lambda: store.mark_delivered("h-1"),
        lambda: store.reject("h-1", "x", "sato"),
    ]
    for attempt in attempts:
        with pytest.raises(HandoffError, match="There is no handoff 'h-1'"):
            attempt()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_just_being_created_is_empty(store: SqliteHandoffs, tmp_path: Path) -> None:
    (tmp_path / "handoffs.sqlite").touch()
    assert store.list() == []
    with pytest.raises(HandoffError, match="There is no handoff"):
        store.get("h-1")


def test_a_unique_beginning_of_the_id_is_enough(
    store: SqliteHandoffs, make_packet: MakePacket
) -> None:
    store.add(make_packet("a", 1, id="h-3f9a00"))
    store.add(make_packet("b", 1, id="h-3f9b00"))
    store.add(make_packet("c", 1, id="h-3f9b0011"))
    assert store.get("h-3f9a").id == "h-3f9a00"
    assert store.get("3F9A").id == "h-3f9a00"
    assert store.claim("3f9a", "sato").state == "claimed"
    assert store.get("h-3f9b00").id == "h-3f9b00"  # exact wins over longer ones
    with pytest.raises(
        HandoffError, match="3 handoffs begin with 3f9: h-3f9a00, h-3f9b00"
    ) as caught:
        store.get("3f9")
    assert caught.value.hint == "give more of the id"


@pytest.mark.parametrize("id", ["", "h-ffff", "%", "h-_", "' OR 1=1"])
def test_an_unknown_id_is_an_error_with_a_next_step(
    store: SqliteHandoffs, make_packet: MakePacket, id: str
) -> None:
    store.add(make_packet(id="h-3f9a00"))
    with pytest.raises(HandoffError, match="There is no handoff") as caught:
        store.get(id)
    assert "zaiko handoff list" in caught.value.hint


def test_claiming_ones_own_again_keeps_the_time(tmp_path: Path, make_packet: MakePacket) -> None:
    from datetime import UTC, datetime, timedelta, timezone

    jst = timezone(timedelta(hours=9))
    times = iter([datetime(2026, 11, 30, 9, 0, tzinfo=jst), datetime(2026, 11, 30, 5, tzinfo=UTC)])
    store = SqliteHandoffs(tmp_path, now=lambda: next(times))
    id = store.add(make_packet()).id
    first = store.claim(id, "sato")
    assert first.claimed_at == "2026-11-30T00:00:00Z"
    assert store.claim(id, "sato") == first


def test_anothers_claim_is_refused_with_who_and_since_when(
    store: SqliteHandoffs, make_packet: MakePacket
) -> None:
    id = store.add(make_packet()).id
    store.claim(id, "sato")
    with pytest.raises(HandoffError, match=r"claimed by sato since 2026-11-30T13:05:00Z"):
        store.claim(id, "li")
    assert store.get(id).claimed_by == "sato"


@pytest.mark.parametrize("claim_first", [True, False])
def test_a_resolution_closes_it(
    store: SqliteHandoffs, make_packet: MakePacket, claim_first: bool
) -> None:
    id = store.add(make_packet()).id
    if claim_first:
        store.claim(id, "sato")
    done = store.resolve(id, answer("5%", "SELECT 1"))
    assert store.get(id) == done
    assert (done.state, done.closed_by, done.closed_at) == (
        "resolved",
        "sato",
        "2026-11-30T14:00:00Z",
    )
    assert done.resolution == answer("5%", "SELECT 1")
    assert done.claimed_by == ("sato" if claim_first else None)
    with pytest.raises(HandoffError, match="cannot be claimed: it was resolved by sato"):
        store.claim(id, "li")
    with pytest.raises(HandoffError, match="cannot be rejected"):
        store.reject(id, "no", "li")


def test_the_same_resolution_again_is_fine_and_another_is_not(
    store: SqliteHandoffs, make_packet: MakePacket
) -> None:
    id = store.add(make_packet()).id
    first = store.resolve(id, answer())
    assert store.resolve(id, answer(by="li")) == first
    for other in (answer("6%"), answer("5%", "SELECT 1")):
        with pytest.raises(HandoffError, match="cannot be resolved: it was resolved by sato"):
            store.resolve(id, other)
    assert store.get(id) == first


def test_a_rejection_keeps_its_reason(store: SqliteHandoffs, make_packet: MakePacket) -> None:
    id = store.add(make_packet()).id
    done = store.reject(id, "not our data", "sato")
    assert (done.state, done.reason, done.closed_by) == ("rejected", "not our data", "sato")
    assert done.closed_at == "2026-11-30T13:05:00Z"
    assert store.reject(id, "not our data", "sato") == done
    with pytest.raises(HandoffError, match="it was rejected by sato"):
        store.resolve(id, answer())
    with pytest.raises(HandoffError):
        store.reject(id, "another reason", "sato")


def test_only_what_is_settled_can_be_delivered(
    store: SqliteHandoffs, make_packet: MakePacket
) -> None:
    id = store.add(make_packet()).id
    with pytest.raises(HandoffError, match="nothing to deliver yet"):
        store.mark_delivered(id)
    store.resolve(id, answer())
    assert store.get(id).delivered is False
    assert store.mark_delivered(id).delivered is True
    assert store.mark_delivered(id).state == "resolved"
    assert store.get(id).delivered is True


def test_blank_names_answers_and_reasons_are_refused(
    store: SqliteHandoffs, make_packet: MakePacket
) -> None:
    id = store.add(make_packet()).id
    attempts: list[Callable[[], object]] = [
        lambda: store.claim(id, " "),
        lambda: store.resolve(id, answer(" ")),
        lambda: store.reject(id, "", "sato"),
    ]
    for attempt in attempts:
        with pytest.raises(HandoffError):
            attempt()
    assert store.get(id).state == "open"


def test_of_many_threads_that_claim_at_once_exactly_one_wins(
    store: SqliteHandoffs, make_packet: MakePacket
) -> None:
    id = store.add(make_packet()).id
    ready = threading.Barrier(8)

    def claim(who: str) -> str | None:
        ready.wait()
        try:
            return store.claim(id, who).claimed_by
        except HandoffError:
            return None

    with ThreadPoolExecutor(8) as pool:
        won = [who for who in pool.map(claim, [f"p{i}" for i in range(8)]) if who]
    assert len(won) == 1
    assert store.get(id).claimed_by == won[0]


def claim_in_process(
    data_dir: Path, packet: Packet, who: str, ready: Barrier, results: "Queue[str | None]"
) -> None:
    """Also creates the store: both processes find no file."""
    store = SqliteHandoffs(data_dir)
    ready.wait()
    store.add(packet)
    try:
        results.put(store.claim(packet.id, who).claimed_by)
    except HandoffError:
        results.put(None)


@pytest.mark.slow
def test_of_several_processes_that_create_and_claim_exactly_one_wins(
    tmp_path: Path, make_packet: MakePacket
) -> None:
    spawn = multiprocessing.get_context("spawn")
    ready, results = spawn.Barrier(3), spawn.Queue()
    workers = [
        spawn.Process(
            target=claim_in_process, args=(tmp_path, make_packet(), f"p{i}", ready, results)
        )
        for i in range(3)
    ]
    for worker in workers:
        worker.start()
    outcomes = [results.get(timeout=60) for _ in workers]
    for worker in workers:
        worker.join()
    assert sorted(outcome is None for outcome in outcomes) == [False, True, True]
    (stored,) = SqliteHandoffs(tmp_path).list()
    assert stored.claimed_by in outcomes


def test_the_file_is_in_wal_mode(
    store: SqliteHandoffs, make_packet: MakePacket, tmp_path: Path
) -> None:
    store.add(make_packet())
    connection = sqlite3.connect(tmp_path / "handoffs.sqlite")
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_a_damaged_or_missing_place_is_one_clear_error(
    tmp_path: Path, make_packet: MakePacket
) -> None:
    (tmp_path / "handoffs.sqlite").write_bytes(b"not a database, at all" * 100)
    with pytest.raises(HandoffError, match="file is not a database"):
        SqliteHandoffs(tmp_path).list()
    with pytest.raises(HandoffError, match="cannot be used") as caught:
        SqliteHandoffs(tmp_path / "absent").add(make_packet())
    assert "data directory is writable" in caught.value.hint
    assert not (tmp_path / "absent").exists()


def test_the_factory_makes_sqlite_and_refuses_what_it_does_not_know(
    tmp_path: Path, make_packet: MakePacket
) -> None:
    packet = make_packet()
    open_handoffs(tmp_path).add(packet)
    assert open_handoffs(tmp_path).get(packet.id).packet == packet
    with pytest.raises(SettingsError, match="'redis'"):
        open_handoffs(tmp_path, kind="redis")
