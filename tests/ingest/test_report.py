from ingest.report import Meter, Progress


class Clock:
    seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


def test_progress_has_the_rate_and_the_time_left() -> None:
    clock, heard = Clock(), list[Progress]()
    meter = Meter(heard.append, "embed", 40, clock)
    meter.tell(0)
    clock.seconds += 5
    meter.tell(10, "a.md")
    assert (heard[0].rate, heard[0].seconds_left) == (0.0, None)
    assert (heard[1].rate, heard[1].seconds_left) == (2.0, 15.0)
    assert heard[1] == Progress("embed", 10, 40, "a.md", 2.0)


def test_what_was_there_already_does_not_count_in_the_rate() -> None:
    clock, heard = Clock(), list[Progress]()
    meter = Meter(heard.append, "embed", 40, clock)
    meter.tell(20, free=20)
    clock.seconds += 5
    meter.tell(30)
    assert [p.rate for p in heard] == [0.0, 2.0]
    assert heard[1].seconds_left == 5.0
