"""Citations: what was used, each paper once."""

import re

import pytest

import nalm
from nalm.errors import InputError, UnknownNameError
from nalm.experiments import EXPERIMENTS
from nalm.experiments.published import published_means, published_rates
from nalm.networks import NETWORKS
from nalm.networks.references import references, titles
from nalm.units import REGISTRY


def test_every_unit_cites_papers_that_exist_and_every_paper_is_cited():
    cited = {key for cls in (*REGISTRY.values(), *NETWORKS.values()) for key in cls.papers}
    compared = titles(
        p.source for e in EXPERIMENTS for p in (*published_rates(e), *published_means(e))
    )
    assert cited | compared.keys() == references().keys()
    for key, entry in references().items():
        assert entry.startswith("@")
        assert f"{{{key}," in entry
        for field in ("author", "title", "year"):
            assert re.search(rf"^\s+{field}\s+= {{.+}},$", entry, re.MULTILINE), (key, field)


def test_every_source_of_a_published_value_has_a_title():
    for experiment in EXPERIMENTS:
        for said in (*published_rates(experiment), *published_means(experiment)):
            unpublished = said.source.startswith("student report")
            assert titles([said.source]) or unpublished, said.source


def test_citation_prints_each_paper_once(capsys):
    stack = nalm.Stack((nalm.unit("nau", 2, 2), nalm.unit("nmu", 2, 1)))
    nalm.citation("nmu", nalm.unit("real_npu", 2, 1), stack, nalm.torch.NMU(2, 1), nalm.units.NAU)
    printed = capsys.readouterr().out
    assert printed.count("@") == 3
    assert printed.count("{madsen2020,") == 1


def test_citation_of_nothing_or_the_unknown():
    with pytest.raises(InputError, match="units that were used"):
        nalm.citation()
    with pytest.raises(UnknownNameError, match="Did you mean 'nmu'"):
        nalm.citation("nmuu")
    with pytest.raises(InputError, match="received 3"):
        nalm.citation(3)
