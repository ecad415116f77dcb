"""The collector behind a relay: what it counts, what it keeps of batches, what it says
of them.
"""

import json
from contextlib import contextmanager
from fractions import Fraction

from calling import run
from hpke_reference import point, private_key
from pages import TOKEN, UPLOADING, Visitor, service_of
from pools import DAY

from ldp import parse_survey
from ldp.numbers.epochs import batch_id
from ldp.numbers.randomness import system
from ldp.privacy import batch_privacy
from ldp.wire.sealed import (
    Mixed,
    decode_sealed_report,
    encode_mixed_part,
    public_key_text,
)
from ldp.wire.wire import Batch, encode_batch, encode_frame, read_frames
from ldp_aggregator.tallies.counting.counting import total_reports
from ldp_aggregator.tallies.mixing.batches import (
    MixedBatch,
    batches_text,
    least_worth,
    privacy_of,
    worth,
)
from ldp_aggregator.tallies.mixing.opening import Opener
from ldp_client.delivery.sealing import Relay, sealer
from ldp_service.http.app import Application
from ldp_service.service import UploadSettings
from ldp_service.store.opening import open_snapshot
from ldp_service.store.reading import mixed_batches
from ldp_service.store.records import Epoch
from ldp_service.uploads.tokens import ANALYST, RELAY, UPLOAD, Tokens, token_record

TEXT = """
[survey]
name = "mixed"
joint = ["first", "second"]

[[question]]
name = "yes"
type = "boolean"
mechanism = "warner"
epsilon = "1"

[[question]]
name = "first"
type = "boolean"
mechanism = "grr"
epsilon = "0.5"

[[question]]
name = "second"
type = "boolean"
mechanism = "grr"
epsilon = "0.5"
"""
SURVEY = parse_survey(TEXT)
YES = SURVEY["yes"]
[ROW] = SURVEY.groups
KEY = private_key(bytes(31) + b"\7")
PUBLIC = public_key_text(point(KEY))
RELAYING = "relay" + "r" * 40


def part_of(
    envelope, number, *, batch=b"b" * 16, id_=None, size=None, spoilt=0, least=2
):
    """A relay's part with reports to a question or group, of which some do not open."""
    seal = sealer(Relay("https://relay.example", PUBLIC), SURVEY)
    rows = [bytes([place % 2]) * envelope.width for place in range(number)]
    frames = [
        seal(Batch(envelope.fingerprint, bytes(16), 1, rows=row), None) for row in rows
    ]
    envelopes = [
        decode_sealed_report(read_frames(frame)[0]).envelope for frame in frames
    ]
    for place in range(spoilt):
        envelopes[place] = bytes(len(envelopes[place]))
    mixed = Mixed(
        envelope.fingerprint,
        id_ or batch_id(system, None, 0),
        number,
        envelopes=b"".join(envelopes),
        batch=batch,
        size=size or number,
        least=least,
    )
    return encode_frame(encode_mixed_part(mixed))


@contextmanager
def collector_in(folder, *texts, keys=(KEY,)):
    """A collector's service that opens what relays mixed."""
    with service_of(
        *texts or (TEXT,), folder=folder, uploads=UploadSettings(opener=Opener(keys))
    ) as service:
        tokens = [
            token_record(TOKEN, "looks", ANALYST),
            token_record(UPLOADING, "sends", UPLOAD),
            token_record(RELAYING, "relay.example", RELAY),
        ]
        (folder / "tokens.toml").write_text(Tokens(tokens).to_toml(), encoding="utf-8")
        yield service


def forward(service, body, token=RELAYING):
    """The answer to a relay."""
    headers = {"authorization": f"Bearer {token}"}
    return Visitor(Application(service)).post(
        "/v1/mixed", content=body, headers=headers
    )


def said_of(estimated):
    """What the JSON of a question's estimates says of batches."""
    return [
        remark["text"] for remark in estimated["remarks"] if remark["name"] == "batch"
    ]


def test_what_a_relay_mixed_is_counted_once_and_said_everywhere(tmp_path):
    """By the tally, the page, /v1 and `ldp estimate`; what came directly beside it."""
    with collector_in(tmp_path) as service:
        whole = part_of(YES, 300, size=1000)
        rest = part_of(YES, 700, size=1000, spoilt=2)
        for body in (whole, rest):
            answer = forward(service, body)
            assert answer.status_code == 202, answer.text
        assert answer.json()["rejected"] == {"sealed": 2}
        assert forward(service, whole).json()["duplicate"] == 1
        rows = part_of(ROW, 40, batch=b"r" * 16, least=40)
        assert forward(service, rows).json()["accepted"] == 1
        direct = encode_frame(
            encode_batch(Batch(YES.fingerprint, b"d" * 16, 5, rows=b"\1" * 5))
        )
        looker = Visitor(Application(service), TOKEN)
        sent = {"content": direct, "headers": {"authorization": f"Bearer {UPLOADING}"}}
        assert looker.post("/v1/reports", **sent).status_code == 202
        tally = service.analysis.tally(service.catalogue.by_name["mixed"][-1])
        assert total_reports(tally.counts["yes"], YES.layout) == 998 + 5
        said = f"{batch_privacy(YES, 990, mixed_by='relay.example')._replace(reports=998).text}"
        assert said.startswith("998 reports, mixed by relay.example: (0.")
        answer = looker.get("/v1/surveys/mixed/batches")
        yes, row = answer.json()["batches"]
        assert yes == {
            "question": "yes",
            "relay": "relay.example",
            "least": 2,
            "size": 1000,
            "counted": 998,
            "epoch": None,
            "worth": said,
        }
        assert (row["question"], row["counted"]) == ("first+second", 40)
        estimates = looker.get("/v1/surveys/mixed/estimates").json()["questions"]
        remarks = {name: said_of(estimated) for name, estimated in estimates.items()}
        assert remarks["yes"] == [
            f"{said}. 5 reports came without a relay: epsilon 1 each."
        ]
        assert remarks["first"] == remarks["second"]
        assert remarks["first"][0].startswith(
            "The row first+second, as one message: 40 reports, mixed by "
        )
        page = looker.get("/?survey=mixed").text
        assert page.count(said) >= 2
        (tmp_path / "mixed.toml").write_text(TEXT)
        content = looker.get("/v1/surveys/mixed/tally").content
        (tmp_path / "mixed.tally").write_bytes(content)
        (tmp_path / "batches.json").write_bytes(answer.content)
    for source in (f"sqlite:///{tmp_path}/store.db", tmp_path / "batches.json"):
        asked = ("--batches", source, "--format", "json")
        files = tmp_path / "mixed.toml", tmp_path / "mixed.tally"
        shown = json.loads(run("estimate", *files, *asked, "-q").output)["questions"]
        assert [
            r["text"] for r in shown["yes"]["remarks"] if r["name"] == "batch"
        ] == remarks["yes"]
    colluding = run(
        "estimate", *files, "--batches", source, "--colluding-share", "0.5"
    ).output
    assert "499 reports, mixed by relay.example" in colluding
    assert "mixed by" not in run("estimate", *files).output


def test_who_is_no_relay_and_what_cannot_be_opened(tmp_path):
    """Tokens of other scopes; no key, no survey: then the relay is told to keep what it
    has.
    """
    body = part_of(YES, 2)
    with collector_in(tmp_path, keys=(private_key(bytes(31) + b"\11"),)) as service:
        assert forward(service, body, token=UPLOADING).status_code == 403
        assert forward(service, body, token="x" * 45).status_code == 401
        answer = forward(service, body)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "600")
        assert "--relay-key" in answer.json()["error"]
        other = parse_survey(TEXT.replace('"mixed"', '"other"'))["yes"]
        assert "another" in forward(service, part_of(other, 2)).json()["error"]
        for wrong in (b"junk", body + body, encode_frame(b"junk")):
            assert forward(service, wrong).status_code == 400
        assert service.analysis.accounts().outcomes.total() == 0
    # Without keys there is no such address.
    with service_of(TEXT, folder=tmp_path) as service:
        assert forward(service, body).status_code == 404


def test_epochs_are_asked_for_one_by_one(tmp_path):
    """What was mixed of an epoch is said of it, and not of another."""
    text = TEXT.replace('"mixed"', '"daily"\nepoch = "1d"\ngrace = "1d"')
    survey = parse_survey(text)
    now = 20_000 * DAY + DAY / 2
    yes = survey["yes"]
    with service_of(
        text,
        folder=tmp_path,
        uploads=UploadSettings(opener=Opener([KEY])),
        clock=lambda: now,
    ) as service:
        tokens = [
            token_record(RELAYING, "relay.example", RELAY),
            token_record(TOKEN, "looks", ANALYST),
        ]
        (tmp_path / "tokens.toml").write_text(
            Tokens(tokens).to_toml(), encoding="utf-8"
        )
        seal = sealer(Relay("https://relay.example", PUBLIC), survey)
        for seconds, number in ((now - DAY, 3), (now, 2)):
            own = batch_id(system, DAY, seconds)
            one = Batch(yes.fingerprint, own, 1, rows=b"\1")
            sealed = [
                decode_sealed_report(read_frames(seal(one, DAY))[0]).envelope
                for _ in range(number)
            ]
            mixed = Mixed(
                yes.fingerprint,
                own,
                number,
                envelopes=b"".join(sealed),
                batch=own,
                size=number,
                least=2,
            )
            assert (
                forward(service, encode_frame(encode_mixed_part(mixed))).status_code
                == 202
            )
    with open_snapshot(f"sqlite:///{tmp_path}/store.db") as snapshot:
        both = mixed_batches(snapshot, survey)
        assert [(batch.epoch, batch.counted) for batch in both] == [
            (19_999, 3),
            (20_000, 2),
        ]
        assert mixed_batches(snapshot, survey, Epoch(DAY, 20_000)) == both[1:]


def test_nothing_is_claimed_beyond_the_reports_that_came():
    """The fewer of what the relay says and what is sound; rounded down; colluders taken
    away.
    """
    batch = MixedBatch("yes", "r", least=50, size=5000, counted=1234)
    assert privacy_of(batch, YES).epsilon == batch_privacy(YES, 1200).epsilon
    assert privacy_of(batch._replace(size=100), YES).reports == 100
    assert (
        privacy_of(batch, YES, colluding=Fraction(1, 2)).epsilon
        == batch_privacy(YES, 610).epsilon
    )
    assert worth(batch, YES) == (
        batch_privacy(YES, 1200, mixed_by="r")._replace(reports=1234).text
    )
    assert "epsilon 1 whether" in worth(batch._replace(counted=1), YES)
    several = [batch._replace(counted=number) for number in (1234, 70, 400)]
    least = least_worth((one, YES) for one in several)
    assert least == privacy_of(several[1], YES)
    # A message that costs more is worth less, though its batch is larger.
    row = batch._replace(question=ROW.name, counted=80)
    dear = parse_survey(TEXT.replace('epsilon = "0.5"', 'epsilon = "4"')).groups[0]
    assert least_worth([(several[1], YES), (row, dear)]) == privacy_of(row, dear)
    said = batches_text(several, least)
    assert said.startswith(
        "3 batches of 1,704 reports together, mixed by r; the one that is worth"
    )
    assert least.text in said
    assert batches_text(several[:1], least) == least.text


def test_batches_of_another_survey_or_none_are_refused(tmp_path):
    """By a file that is no such answer, and of another version."""
    survey, tally = tmp_path / "s.toml", tmp_path / "t.tally"
    survey.write_text(TEXT)
    row = {
        "question": "yes",
        "relay": "r",
        "least": 2,
        "size": 9,
        "counted": 9,
        "epoch": None,
    }
    answer = {
        "survey": "mixed",
        "fingerprint": SURVEY.fingerprint.hex(),
        "batches": [row],
    }
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    run("aggregate", survey, empty, "-o", tally, "-q")
    wrong = [
        "[]",
        "{",
        json.dumps({**answer, "fingerprint": "0" * 32}),
        json.dumps({**answer, "batches": [{**row, "question": "no such"}]}),
        json.dumps({**answer, "batches": [{**row, "counted": -1}]}),
        json.dumps({**answer, "batches": [{**row, "counted": "9"}]}),
        json.dumps({**answer, "batches": [{}]}),
    ]
    for content in wrong:
        (tmp_path / "b.json").write_text(content)
        said = run("estimate", survey, tally, "--batches", tmp_path / "b.json", code=1)
        assert "expected" in said.output, content
    both = run("estimate", survey, tally, "--batches", "b", "--mixed-by", "r", code=2)
    assert "got both" in both.output


def test_versions_that_are_pooled_share_their_batches(tmp_path):
    """A question that two versions have alike has its batches once, one that differs
    both.
    """
    more = """
[[question]]
name = "more"
type = "boolean"
mechanism = "grr"
epsilon = "1"
"""
    longer = TEXT.replace("joint", "lifetime_epsilon = 50\njoint") + more
    newer = parse_survey(longer)
    with collector_in(tmp_path, TEXT, longer) as service:
        assert forward(service, part_of(YES, 100)).status_code == 202
        looker = Visitor(Application(service), TOKEN)
        once = privacy_of(
            MixedBatch("yes", "relay.example", 2, size=100, counted=100), YES
        ).text
        page = looker.get("/?survey=mixed").text
        assert once in page
        assert "2 batches of" not in page
        body = part_of(newer["yes"], 70, batch=b"n" * 16)
        assert forward(service, body).status_code == 202
        page = looker.get("/?survey=mixed").text
        assert "2 batches of 170 reports together, mixed by relay.example" in page
