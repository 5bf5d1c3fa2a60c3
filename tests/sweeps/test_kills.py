"""The campaign of kills, in short; `python -m benchmarks.faults.kills` is the long one."""

import pytest
from benchmarks.faults.kills import campaign


@pytest.mark.slow
def test_four_kills_lose_nothing(tmp_path):
    tally = campaign(4, ["local"], seed=0, folder=tmp_path)
    assert sum(tally.kills.values()) >= 4
    assert tally.faults == 0, tally.record()
