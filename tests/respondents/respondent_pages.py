"""A page for respondents, on a host that writes down every request, and people who
answer.

`python -m lab.endurance.page_answers 1000` lets a thousand of them answer.
"""

import itertools
import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

from ldp import parse_survey
from ldp.wire.wire import decode_batch, read_frames
from ldp_service.respondents.folder import CONTENT_TYPES, Site, headers_of, page_files
from ldp_service.respondents.presentation import parse_presentation

SURVEY = parse_survey("""
[survey]
name = "habits"
joint = ["walks", "runs"]
[[question]]
name = "smoker"
text = "Do you <b>smoke</b>?"
type = "boolean"
mechanism = "forced"
forced_true = "1/4"
forced_false = "1/4"
[[question]]
name = "way"
type = "category"
values = ["zebracar", "quaggabus", "okapibike", "rather not say"]
mechanism = "ss"
epsilon = "1"
[[question]]
name = "hours"
type = "number"
low = 0
high = 60
step = "0.5"
unit = "hours"
goal = "mean"
mechanism = "auto"
epsilon = "1"
[[question]]
name = "pets"
type = "multi"
values = ["zebracat", "quaggadog", "okapifish"]
most = 2
mechanism = "auto"
epsilon = "1"
[[question]]
name = "walks"
type = "boolean"
mechanism = "warner"
epsilon = "1"
[[question]]
name = "runs"
type = "boolean"
mechanism = "warner"
epsilon = "1"
""")
DAILY = parse_survey("""
[survey]
name = "daily"
epoch = "1d"
[[question]]
name = "smoker"
type = "boolean"
mechanism = "warner"
epsilon = "1"
""")
"""One with epochs."""
PAGE = {
    "page": {
        "title": "Habits",
        "asked_by": "A class",
        "purpose": "To know.",
        "one_by_one": False,
    },
    "question": {
        "smoker": {"help": "Whatever you light."},
        "way": {"refusal": "rather not say"},
    },
    "language": {
        "ar": {"title": "عادات", "question": {"smoker": {"text": "هل تدخن؟"}}},
        "de": {
            "title": "Gewohnheiten",
            "question": {"way": {"labels": {"zebracar": "Auto"}}},
        },
    },
}
SHOWN = parse_presentation(SURVEY, PAGE)
_VISITS = itertools.count(100_000)
READY = "return document.body?.dataset.ready === ''"
PLAIN = (
    "zebra",
    "quagga",
    "okapi",
    "rather",
    "31.5",
    "47.5",
    "smoker",
    "true",
    "false",
)
"""What stands in answers, and in nothing else that is sent."""
ANSWERS = list(
    itertools.product(
        (True, False), range(4), ("31.5", "47.5"), ((), (0,), (1, 2)), (True, False)
    )
)
FILL = """
const [smokes, way, hours, pets, walks] = arguments;
const [smoker, ways, number, animals, walking, running] = document.querySelectorAll('.question');
const choose = (question, place) => question.querySelectorAll('input')[place].click();
choose(smoker, smokes ? 0 : 1);
choose(ways, way);
const field = number.querySelector('[type=text]');
field.value = hours;
field.dispatchEvent(new Event('input'));
for (const place of pets.length ? pets : [3]) choose(animals, place);
choose(walking, walks ? 0 : 1);
choose(running, walks ? 1 : 0);
"""
NEXT = "document.querySelector('.actions .main').click()"
_ASKED = "return document.querySelector('.question') !== null"


def taken(accepted=1, **rejected):
    """What a collector answers about one batch."""
    counts = {"accepted": accepted, "duplicate": 0, "quarantined": 0}
    return json.dumps({**counts, "rejected": rejected}).encode()


class Host(ThreadingHTTPServer):
    """Serves a page and takes its reports; the log has every request as it came, byte
    by byte.
    """

    daemon_threads = True

    def __init__(self, survey, shown, **settings):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        site = Site(self.url, counted=True, **settings)
        self.files = page_files(survey, shown, site)
        self.headers = headers_of(shown, site)
        self.log = []
        self.status, self.body = 202, taken()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self._note()
        name = self.path.partition("?")[0].removeprefix("/") or "index.html"
        content = self.server.files.get(name)
        self.send_response(404 if content is None else 200)
        self.send_header("content-type", CONTENT_TYPES.get(name, "text/plain"))
        for header, value in self.server.headers.items():
            self.send_header(header, value)
        self.end_headers()
        self.wfile.write(content or b"")

    def do_POST(self):
        self._note()
        self.send_response(self.server.status)
        self.send_header("content-length", str(len(self.server.body)))
        self.end_headers()
        self.wfile.write(self.server.body)

    def _note(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        self.server.log.append((self.requestline, self.headers.items(), body))

    def log_message(self, *_):
        pass


@contextmanager
def hosted(survey=SURVEY, shown=SHOWN, **settings):
    """A host in a thread of its own."""
    with Host(survey, shown, **settings) as host:
        threading.Thread(target=host.serve_forever, daemon=True).start()
        try:
            yield host
        finally:
            host.shutdown()


def open_page(chromium, host, number=0, *, language="en"):
    """The page as it is at first; each token is another respondent."""
    # Another address each time, as a browser that finds only another token stays on the
    # page.
    chromium.open(
        f"{host.url}/?{next(_VISITS)}#token=ldpr_{number:022d}&lang={language}"
    )
    chromium.wait(READY)


def begin(chromium):
    """From the first view to the questions, which come a moment later: they may be
    drawn.
    """
    chromium.run(NEXT)
    chromium.wait(_ASKED)


def answer(chromium, host, number, *, given):
    """One respondent, from the link to the receipt; the requests that it took."""
    host.log.clear()
    open_page(chromium, host, number)
    begin(chromium)
    chromium.run(FILL, *given)
    chromium.run(NEXT)
    chromium.run(NEXT)
    chromium.wait("return document.querySelector('.receipt') !== null")
    return list(host.log)


def shape(log):
    """Number, order and size of requests, without what is drawn at random."""
    shapes = []
    for line, headers, body in log:
        sizes = sorted((name.lower(), len(value)) for name, value in headers)
        shapes.append(
            (line.split("?")[0], sizes, len(body), fingerprint_of(line, body))
        )
    # Reports leave in an order of chance, and pages say that they are shown while more
    # is fetched.
    return sorted(shapes)


def reports_in(log):
    """The bodies of uploads, in the order in which they came."""
    return [body for line, _, body in log if line.startswith("POST /v1/reports")]


def fingerprint_of(line, body):
    """The question of a report."""
    if not line.startswith("POST /v1/reports"):
        return b""
    [payload] = read_frames(body)
    return decode_batch(payload).fingerprint


def told(log):
    """Answers that stand in what was sent, in plain words."""
    texts = []
    for line, headers, body in log:
        sent = " ".join([unquote(line), *(value for pair in headers for value in pair)])
        texts.append(sent + body.decode("latin-1"))
    whole = " ".join(texts)
    return [words for words in PLAIN if words in whole]


def alike(chromium, host, number):
    """Whether n answers look alike from outside; how many shapes there were, and what
    was told.
    """
    shapes, plain = set(), set()
    for place in range(number):
        log = answer(chromium, host, place, given=ANSWERS[(29 * place) % len(ANSWERS)])
        shapes.add(json.dumps(shape(log), default=repr))
        plain.update(told(log))
    return shapes, plain
