import pytest

from piflows.grammar.json_syntax import Failed, _mistakes, parse, situation
from piflows.grammar.mistakes import JSON_MISTAKES, JSON_TOKENS, Mistake, Situation, taught

SAMPLES = [(mistake, sample) for mistake in JSON_MISTAKES for sample in mistake.samples]


@pytest.mark.parametrize(("mistake", "sample"), SAMPLES, ids=lambda value: value if isinstance(value, str) else "")
def test_every_sample_is_met_by_its_own_sentence(mistake: Mistake, sample: str) -> None:
    assert _mistakes()[situation(sample)].sentence == mistake.sentence


BEGUN = ("", "{", '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":[', '{"a":[1', '{"a":[1,', "{}")
NEXT = ("{", "}", "[", "]", ",", ":", '"s"', "1", "true", "", "x", "'", "//", "01", "NaN", "None", '"q', ";", "```")


@pytest.mark.parametrize("begun", BEGUN)
@pytest.mark.parametrize("after", NEXT)
def test_whatever_follows_on_whatever_has_a_sentence(begun: str, after: str) -> None:
    with pytest.raises(Failed) as caught:
        parse(f"{begun} {after}\n\x00")  # a character that is always a mistake, where the rest is none
    failed = caught.value
    assert failed.situation in _mistakes() or failed.situation.met in JSON_TOKENS


@pytest.mark.parametrize("mistake", [*JSON_MISTAKES, *JSON_TOKENS.values()], ids=lambda mistake: mistake.sentence[:30])
def test_a_sentence_is_a_clause_that_can_be_filled(mistake: Mistake) -> None:
    filled = mistake.sentence.format(token="T", what="object", line=3)
    assert filled[-1] != "." and "{{" not in filled


def test_of_two_mistakes_the_first_teaches() -> None:
    here = Situation(frozenset(), False, "X")
    first, second = Mistake("first", ("x",)), Mistake("second", ("y",))
    assert taught((first, second), lambda _: here) == {here: first}
