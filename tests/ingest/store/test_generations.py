from datetime import UTC, datetime
from pathlib import Path

import pytest

from ingest.store.errors import StoreBroken, StoreError, StoreMissing
from ingest.store.generations import Generations, lease_live, rollback
from ingest.store.manifest import Manifest, write_manifest
from ingest.store.settings import IngestSettings


def publish(generations: Generations, revision: int, parent: int | None) -> None:
    building = generations.start_building(revision)
    made = datetime(2026, 11, 30, tzinfo=UTC)
    write_manifest(Manifest(revision=revision, parent=parent, created_at=made), building)
    generations.rename_built(building, revision)
    generations.make_current(revision)


@pytest.fixture
def three(tmp_path: Path) -> Generations:
    generations = Generations(tmp_path)
    for revision in (1, 2, 3):
        publish(generations, revision, revision - 1 or None)
    return generations


def test_current_names_the_last_published_generation(three: Generations) -> None:
    assert (three.data_dir / "CURRENT").read_text() == "3\n"
    assert three.current() == 3
    assert three.present() == [1, 2, 3]
    assert three.next_revision() == 4


def test_rollback_goes_back_one_each_time_and_then_says_there_is_none(three: Generations) -> None:
    settings = IngestSettings()
    assert rollback(three.data_dir, settings) == 2
    assert rollback(three.data_dir, settings) == 1
    with pytest.raises(StoreError, match="no earlier generation"):
        rollback(three.data_dir, settings)
    assert three.current() == 1


def test_what_was_rolled_back_from_is_not_gone_back_to(three: Generations) -> None:
    rollback(three.data_dir, IngestSettings())
    publish(three, three.next_revision(), 2)
    assert three.current() == 4
    assert rollback(three.data_dir, IngestSettings()) == 2


def test_rollback_leaves_a_damaged_generation_and_skips_another(three: Generations) -> None:
    (three.path(3) / "manifest.json").write_text("{")
    (three.path(2) / "manifest.json").unlink()
    assert rollback(three.data_dir, IngestSettings()) == 1


def test_rollback_mends_a_damaged_current(three: Generations) -> None:
    (three.data_dir / "CURRENT").write_bytes(b"\xff")
    assert rollback(three.data_dir, IngestSettings()) == 3


def test_rollback_of_nothing_creates_nothing(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing) as caught:
        rollback(tmp_path / "none", IngestSettings())
    assert caught.value.hint == "run: zaiko ingest PATH"
    assert not (tmp_path / "none").exists()


def test_old_generations_go_but_the_last_few_stay(three: Generations) -> None:
    assert three.remove_old(keep=2) == [1]
    assert three.present() == [2, 3]


def test_a_generation_that_a_reader_holds_is_not_removed(three: Generations) -> None:
    rollback(three.data_dir, IngestSettings())
    _, lease = lease_live(three)
    publish(three, 4, 2)
    assert three.remove_old(keep=1) == [1, 3]
    lease.release()
    assert three.remove_old(keep=1) == [2]


def test_half_built_and_half_removed_generations_are_cleared(three: Generations) -> None:
    three.start_building(4)
    (three.root / ".removing-1" / "index").mkdir(parents=True)
    three.clear_half_built()
    assert sorted(p.name for p in three.root.iterdir()) == ["1", "2", "3"]


@pytest.mark.parametrize("text", [b"", b"seven", b"-1", b"9", b"\xff\xfe"])
def test_a_current_that_points_nowhere_names_the_way_out(three: Generations, text: bytes) -> None:
    (three.data_dir / "CURRENT").write_bytes(text)
    with pytest.raises(StoreBroken) as caught:
        lease_live(three)
    assert caught.value.hint == "run: zaiko rollback"


def test_without_an_intact_generation_the_way_out_is_to_ingest_again(three: Generations) -> None:
    for revision in (1, 2, 3):
        (three.path(revision) / "manifest.json").unlink()
    with pytest.raises(StoreBroken) as caught:
        lease_live(three)
    assert caught.value.hint == "run: zaiko ingest PATH… again"
    assert three.live() is None


def test_an_empty_directory_in_the_place_of_current_is_replaced(three: Generations) -> None:
    (three.data_dir / "CURRENT").unlink()
    (three.data_dir / "CURRENT").mkdir()
    with pytest.raises(StoreBroken, match="is a directory; it must be a file") as caught:
        lease_live(three)
    assert caught.value.hint == "move it away, then run: zaiko rollback"
    assert rollback(three.data_dir, IngestSettings()) == 3
    assert three.current() == 3


def test_a_directory_with_something_in_it_is_left_to_the_operator(three: Generations) -> None:
    (three.data_dir / "CURRENT").unlink()
    (three.data_dir / "CURRENT").mkdir()
    (three.data_dir / "CURRENT" / "mine.txt").write_text("x")
    with pytest.raises(StoreError, match="is a directory") as caught:
        rollback(three.data_dir, IngestSettings())
    assert caught.value.hint == "move that directory away, then run the same command again"
    assert (three.data_dir / "CURRENT" / "mine.txt").read_text() == "x"


def test_a_current_says_what_is_wrong_with_it(three: Generations) -> None:
    said = {}
    for text in (b"", b"9\n", b"\xff\xfe"):
        (three.data_dir / "CURRENT").write_bytes(text)
        with pytest.raises(StoreBroken) as caught:
            lease_live(three)
        said[text] = caught.value.message.removeprefix(str(three.data_dir / "CURRENT"))
    assert said == {
        b"": " is damaged: it is empty",
        b"9\n": " names generation 9, which is not there",
        b"\xff\xfe": " cannot be read: it is no text",
    }


def test_a_lost_current_is_not_an_empty_store(three: Generations) -> None:
    (three.data_dir / "CURRENT").unlink()
    with pytest.raises(StoreBroken, match="is missing, but there are generations") as caught:
        lease_live(three)
    assert caught.value.hint == "run: zaiko rollback"
    assert rollback(three.data_dir, IngestSettings()) == 3


def test_one_generation_that_was_never_live_is_no_store_yet(tmp_path: Path) -> None:
    generations = Generations(tmp_path)
    publish(generations, 1, None)
    (tmp_path / "CURRENT").unlink()
    with pytest.raises(StoreMissing):
        lease_live(generations)
