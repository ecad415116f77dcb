"""Candidates in bulk: many read, hashed and multiplied at a time are as one at a
time.
"""

import hashlib

import numpy as np
import pytest
from calling import ldp
from google_rappor_files import CELLS, PARAMETERS, counts_text, map_text, params_text

from ldp.mechanisms.chains.bloom import bloom_positions
from ldp_aggregator import FileError
from ldp_aggregator.decoders.bloom.decoding import design_matrix
from ldp_aggregator.decoders.bloom.hashing import hashed_again
from ldp_aggregator.decoders.moments import bit_designs
from ldp_aggregator.decoders.moments.bit_covariance import bit_noise, precision
from ldp_aggregator.decoders.moments.bit_designs import BitDesign, design_of
from ldp_aggregator.exchange.google_rappor import files, maps
from ldp_aggregator.exchange.google_rappor.bulk_md5 import Messages, blocks_of
from ldp_aggregator.exchange.google_rappor.dialects import DIALECTS
from ldp_aggregator.exchange.google_rappor.files import read_map


def random_places(cohorts, hashes, bits, many, seed=1):
    generator = np.random.default_rng(seed)
    return generator.integers(0, bits, (cohorts, hashes, many)).astype(np.uint16)


@pytest.mark.parametrize("length", [0, 1, 3, 4, 50, 51, 52, 114, 115, 116, 300])
def test_md5_is_that_of_the_library(length):
    """Texts of as many bytes as fill one, two and more blocks, in the first and the
    last cohort.
    """
    texts = [bytes([first]) * length for first in (0, 97, 255)]
    messages = Messages(texts)
    for cohort in (0, 1, 65535):
        for text, digest in zip(texts, messages.digests(cohort).T, strict=True):
            expected = hashlib.md5(
                cohort.to_bytes(4, "big") + text, usedforsecurity=False
            )
            assert digest.astype("<u4").tobytes() == expected.digest()


def test_messages_are_of_one_size():
    """As many blocks, and at least one."""
    assert [blocks_of(b"x" * size) for size in (0, 51, 52, 115, 116)] == [1, 1, 2, 2, 3]
    with pytest.raises(ValueError, match="got 2 of them"):
        Messages([b"x", b"x" * 60])


@pytest.mark.parametrize("bits", [16, 300])
@pytest.mark.parametrize("client", DIALECTS)
def test_candidates_are_hashed_as_one_by_one(client, bits):
    """Short and long ones, of all clients, whose bytes for a hash go by k."""
    parameters = PARAMETERS._replace(bits=bits)
    texts = ("red", "a", "x" * 70, "blå", "y" * 51, "z" * 200)
    design = DIALECTS[client].candidates(texts, parameters).design.toarray()
    for place, text in enumerate(texts):
        expected = {
            cohort * bits + position
            for cohort in range(parameters.cohorts)
            for position in DIALECTS[client].positions(
                text.encode(), cohort, 2, bits=bits
            )
        }
        assert set(np.flatnonzero(design[:, place])) == expected


def test_our_own_hash_functions_in_bulk(monkeypatch):
    """XXH64 of eight bytes under any seed, and the bits that follow from it."""
    from xxhash import xxh64_intdigest

    short = np.array(
        [0, 1, 1 << 63, (1 << 64) - 1, 0x0123456789ABCDEF], dtype=np.uint64
    )
    for seed in (0, 257, 65535 * 256 + 15):
        expected = [
            xxh64_intdigest(int(word).to_bytes(8, "big"), seed) for word in short
        ]
        assert hashed_again(short, seed).tolist() == expected
    randomizer = DIALECTS["python"].as_run(PARAMETERS)
    design = design_matrix(randomizer, ["red", "blå"]).toarray()
    for place, text in enumerate(("red", "blå")):
        expected = {
            16 * cohort + position
            for cohort in range(4)
            for position in bloom_positions(text.encode(), cohort, 2, bits=16)
        }
        assert set(np.flatnonzero(design[:, place])) == expected


@pytest.mark.parametrize(
    ("cohorts", "hashes", "bits"), [(4, 2, 8), (3, 1, 5), (2, 4, 6), (2, 2, 200)]
)
def test_a_table_of_positions_is_a_matrix(cohorts, hashes, bits, monkeypatch):
    """All that a regression asks of a design, of positions that repeat as well."""
    monkeypatch.setattr(bit_designs, "FEW", 50)
    monkeypatch.setattr(bit_designs, "_AT_ONCE", 17)
    design = design_of(random_places(cohorts, hashes, bits, many=60), bits)
    assert isinstance(design, BitDesign)
    matrix = design_of(random_places(cohorts, hashes, bits, many=60)[:, :, :50], bits)
    dense = design[:, :].toarray()
    assert set(np.unique(dense)) == {0, 1}
    assert np.array_equal(matrix.toarray(), dense[:, :50])
    generator = np.random.default_rng(2)
    shares, rates = generator.random(60), generator.random(cohorts * bits)
    assert design.shape == dense.shape
    assert design @ shares == pytest.approx(dense @ shares)
    assert design.T @ rates == pytest.approx(dense.T @ rates)
    assert np.array_equal(design.sum(axis=0), dense.sum(axis=0))
    assert np.array_equal(design.tocsc()[:, 3:9].toarray(), dense[:, 3:9])
    some = np.array([5, 2, 2])
    assert np.array_equal(design[:, some].toarray(), dense[:, some])
    present = np.repeat(np.arange(cohorts) != 1, bits)
    assert np.array_equal(design[present][:, :].toarray(), dense[present])
    own = dense[bits : 2 * bits]
    assert design.together(1, shares) == pytest.approx((own * shares) @ own.T)
    assert design.sum(axis=1) == pytest.approx(dense.sum(axis=1))
    assert np.array_equal(design.tocoo().toarray(), dense)


def test_a_covariance_of_many_is_that_of_few(monkeypatch):
    """Of a table of positions no row for each candidate is made, and the result is the
    same.
    """
    places = random_places(3, 2, 8, many=40)
    matrix = design_of(places.copy(), 8)
    shares = np.random.default_rng(3).dirichlet(np.ones(40)) * 0.9
    shares[::3] = 0
    noise, sizes = bit_noise(0.25, 0.75, 0.5), np.array([100.0, 200, 300])
    rates = np.random.default_rng(4).random(24)
    expected = precision(matrix, sizes, noise, background=0.2, shares=shares).times(
        rates
    )
    monkeypatch.setattr(bit_designs, "FEW", 10)
    monkeypatch.setattr("ldp_aggregator.decoders.moments.bit_covariance.FEW", 10)
    table = design_of(places, 8)
    assert isinstance(table, BitDesign)
    many = precision(table, sizes, noise, background=0.2, shares=shares).times(rates)
    assert many == pytest.approx(expected)
    few = np.where(np.arange(40) < 3, shares, 0)
    assert precision(table, sizes, noise, background=0.2, shares=few).times(
        rates
    ) == pytest.approx(
        precision(matrix, sizes, noise, background=0.2, shares=few).times(rates)
    )


def shuffled(rows):
    return [[name, *cells[::-1]] for name, *cells in rows]


def with_gaps(rows):
    return [[name, "", cells[0], "NA", *cells[1:]] for name, *cells in rows]


def quoted(rows):
    return [[f'"{name}, or so"', *cells] for name, *cells in rows]


def spaced(rows):
    return [[f" {name} ", *(f" {cell} " for cell in cells)] for name, *cells in rows]


def as_r_writes(rows):
    return [[name, *(f"{cell}e+00" for cell in cells)] for name, *cells in rows]


WAYS = {
    "in any order": shuffled,
    "with gaps": with_gaps,
    "commas in names": quoted,
    "a line end in a name": lambda rows: [
        [f'"{name}\n2"', *cells] for name, *cells in rows
    ],
    "a quote in a name": lambda rows: [[f'{name}"2', *cells] for name, *cells in rows],
    "spaces": spaced,
    "as R writes numbers": as_r_writes,
}


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_write_a_map(way, ending, tmp_path, monkeypatch):
    """The same bits, whether rows are plain or not, and in however many pieces the file
    is read.
    """
    plain, other = tmp_path / "plain.csv", tmp_path / "other.csv"
    plain.write_text(map_text(CELLS))
    rows = [[name, *map(str, cells)] for name, cells in CELLS.items()]
    text = ending.join(",".join(row) for row in WAYS[way](rows))
    other.write_bytes(b"\xef\xbb\xbf" + text.encode())
    expected = read_map(plain, PARAMETERS)
    for size in (7, 1 << 22):
        monkeypatch.setattr(maps, "_AT_ONCE", size)
        candidates = read_map(other, PARAMETERS)
        assert np.array_equal(candidates.design.toarray(), expected.design.toarray())
        assert all(
            name.startswith(known)
            for name, known in zip(candidates.names, expected.names, strict=True)
        )


WRONG = {
    "twice": ("{first}\n{last}\n{first}\n", "row 3, column 1: .* that of row 1 again"),
    "beyond": ("{first}\n\n{last}0\n", r"row 3, column 9: .* from 1 to 64, got"),
    "huge": (
        "{first}\nx" + ",9" * 7 + "," + "9" * 40 + "\n",
        "row 2, column 9: .* got '9999",
    ),
    "two of one cohort": ("{first},1\n", "row 1: expected 1 to 2 bits in each cohort"),
    "no number": ("{first}\nx,1,2,a\n", "row 2, column 4: expected a whole number"),
    "negative": ("{first}\nx,-1,2\n", "row 2, column 2: expected a whole number"),
    "half": ("{first}\nx,1.5,2\n", "row 2, column 2: expected a whole number"),
    "nothing": ("{first}\nx\n", "row 2: expected 1 to 2 bits in each cohort"),
    "bytes": (b"a\xff,1,2\n", "expected UTF-8 text, got the byte 0xff"),
}


@pytest.mark.parametrize(("text", "said"), WRONG.values(), ids=WRONG)
def test_the_first_wrong_row_is_named(text, said, tmp_path):
    """With its number, as if the file had been read cell by cell."""
    rows = map_text(CELLS).splitlines()
    path = tmp_path / "map.csv"
    if isinstance(text, str):
        text = text.format(first=rows[0], last=rows[-1]).encode()
    path.write_bytes(text)
    with pytest.raises(FileError, match=said):
        read_map(path, PARAMETERS)


def test_a_line_without_end_is_refused(tmp_path, monkeypatch):
    """Before all of it is read."""
    monkeypatch.setattr(maps, "_AT_ONCE", 100)
    monkeypatch.setattr(maps, "_LONGEST_LINE", 1000)
    path = tmp_path / "map.csv"
    path.write_text("red," + "1," * 10_000)
    with pytest.raises(
        FileError, match="row 1: expected at most 1,000 bytes, got more"
    ):
        read_map(path, PARAMETERS)


def test_many_candidates_decode_as_few_do(tmp_path, monkeypatch):
    """From the command, with a table of positions in place of a matrix."""
    monkeypatch.chdir(tmp_path)
    names = {f"word {number}": [] for number in range(200)}
    design = DIALECTS["python"].candidates(tuple(names), PARAMETERS).design
    for place, name in enumerate(names):
        names[name] = [
            int(row) + 1 for row in np.flatnonzero(design[:, [place]].toarray())
        ]
    shares = {"word 3": 1}
    (tmp_path / "params.csv").write_text(params_text(PARAMETERS))
    (tmp_path / "counts.csv").write_text(counts_text(PARAMETERS, names, shares=shares))
    (tmp_path / "map.csv").write_text(map_text(names))
    line = (
        "rappor import --params params.csv --counts counts.csv --map map.csv -q "
        "--format json"
    )
    few = ldp(line).stdout
    monkeypatch.setattr(files, "design_of", lambda places, bits: in_bulk(places, bits))
    assert ldp(line).stdout == few


def in_bulk(places, bits):
    matrix = design_of(places, bits)
    assert not isinstance(matrix, BitDesign)
    return BitDesign(places.reshape(-1, places.shape[-1]), len(places), bits)
