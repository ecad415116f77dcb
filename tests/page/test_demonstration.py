"""The page of `ldp demo`."""

import re

from pages import Visitor

from ldp_simulations.demo.website import Demonstration

ARRIVED = ("1,000", "1,000", "1,001", "1,000", "1,000")


def test_one_answer_and_a_crowd_at_each_epsilon(tmp_path):
    """What was sent is shown, and the service's estimate from made-up people beside the
    truth.
    """
    shown = Demonstration(f"sqlite:///{tmp_path}/demo.db", pause=0)
    visitor = Visitor(shown.application())
    assert "made-up people" not in visitor.get("/demo").text
    page = visitor.post("/demo", content="answer=yes").text
    [said, sent] = re.findall(r"(?:You said|Sent)</dt><dd>(Yes|No)</dd>", page)
    assert said == "Yes"
    assert ("kept it" in page) == (sent == "Yes")
    shown.wait()
    for step, arrived in enumerate(ARRIVED):
        page = visitor.get("/demo", params={"step": step}).text
        assert f">{arrived} answers have arrived" in page
    assert "98 %</strong> sure of your answer" in page
    result = page.partition("What all reports show")[2]
    low, high = map(int, re.search(r"(\d+) to (\d+) %", result).groups())
    assert high - low < 8
    shown.service.close()
