"""What people install: built from the sources, tried in an environment without them."""

import email
import json
import re
import subprocess
import sysconfig
import tomllib
import venv
import zipfile
from hashlib import sha256

import pytest
from places import ROOT

from ldp import __version__
from release.build import DISTRIBUTIONS, build
from release.sbom import bill, written

PROJECTS = {
    path.parent.name: tomllib.loads(path.read_text(encoding="utf-8"))["project"]
    for path in (ROOT / "pyproject.toml", *ROOT.glob("*/pyproject.toml"))
}
SURVEY = """
[survey]
name = "coins"
[[question]]
name = "coin"
type = "boolean"
epsilon = "1"
mechanism = "grr"
"""


@pytest.fixture
def wheels(tmp_path_factory):
    """The folder of all wheels, each of which was built from its sdist."""
    folder = tmp_path_factory.mktemp("dist")
    assert len(build(folder)) == 2 * len(DISTRIBUTIONS)
    return folder


@pytest.fixture
def python(wheels, tmp_path_factory):
    """An environment of the wheels, none of them editable; what they need is that of
    the tests.
    """
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder)
    program = folder / "bin" / "python"
    words = (
        "uv",
        "pip",
        "install",
        "--quiet",
        "--offline",
        "--no-deps",
        "--python",
        program,
    )
    subprocess.run([*words, *wheels.glob("*.whl")], check=True)
    (packages,) = folder.glob("lib/*/site-packages")
    # A folder that is named here is searched, but what it names in turn, our sources,
    # is not.
    (packages / "needed.pth").write_text(
        sysconfig.get_path("purelib"), encoding="utf-8"
    )
    return program


@pytest.mark.needs("uv")
def test_what_is_built(wheels, python, tmp_path):
    """In one test, as it is built once."""
    check_metadata(wheels)
    check_bill(wheels)
    check_the_command(python, tmp_path)
    check_the_other_ldp(python, tmp_path)


def said(program, *words, folder, code=0):
    """What a program prints, in a folder that has nothing of ours."""
    done = subprocess.run(
        [program, *words], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def check_the_command(python, tmp_path):
    """From a survey to error bars, with nothing of the sources in the way."""
    places = said(
        python,
        "-c",
        "import ldp, ldp_client; print(ldp.__file__, ldp_client.__file__)",
        folder=tmp_path,
    )
    assert places.count("site-packages") == 2
    assert str(ROOT) not in places
    assert "simulate" in said(python.with_name("ldpkit"), "--help", folder=tmp_path)
    (tmp_path / "survey.toml").write_text(SURVEY)
    words = ("simulate", "survey.toml", "--respondents", "1000")
    assert "coin" in said(python.with_name("ldp"), *words, folder=tmp_path)


def check_the_other_ldp(python, tmp_path):
    """Where it came first, commands warn; where it came last, imports say what to
    do.
    """
    (other := tmp_path / "other").mkdir()
    (other / "ldp-0.40.0.dist-info").mkdir()
    metadata = "Metadata-Version: 2.1\nName: ldp\nVersion: 0.40.0\n"
    (other / "ldp-0.40.0.dist-info" / "METADATA").write_text(metadata)
    within = f"import sys; sys.path.insert(0, {str(other)!r}); "
    main = "import ldp_aggregator.commands.main as m; m.main(['check', 'survey.toml'])"
    (tmp_path / "survey.toml").write_text(SURVEY)
    assert "warning: ldp 0.40.0 is installed as well" in said(
        python, "-c", within + main, folder=tmp_path
    )
    (other / "ldp").mkdir()
    (other / "ldp" / "__init__.py").write_text("__version__ = '0.40.0'\n")
    for package in ("ldp_client", "ldp_aggregator", "ldp_simulations"):
        words = said(python, "-c", f"{within}import {package}", folder=tmp_path, code=1)
        assert "another project with the same import name" in words.splitlines()[-1]


def check_metadata(wheels):
    """Of each: licence, classifiers, addresses; and no link of its README is
    relative.
    """
    for wheel in wheels.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            (name,) = (one for one in archive.namelist() if one.endswith("/METADATA"))
            metadata = email.message_from_bytes(archive.read(name))
            assert any(one.endswith("/licenses/LICENSE") for one in archive.namelist())
        assert len(metadata.get_all("Project-URL")) == 4
        assert len(metadata.get_all("Classifier")) >= 10
        links = re.findall(r"\]\(([^)]+)\)", metadata.get_payload())
        assert [link for link in links if not link.startswith(("https://", "#"))] == []


def test_links_of_an_index_lead_to_files():
    """What takes the place of relative links is the address of that file, from each
    folder.
    """
    for path in (ROOT / "pyproject.toml", *ROOT.glob("*/pyproject.toml")):
        hooks = tomllib.loads(path.read_text(encoding="utf-8"))["tool"]["hatch"][
            "metadata"
        ]["hooks"]
        text = path.with_name("README.md").read_text(encoding="utf-8")
        for one in hooks["fancy-pypi-readme"]["substitutions"]:
            text = re.sub(one["pattern"], one["replacement"], text)
        home = f"{PROJECTS['kit']['urls']['Source']}/"
        for link in re.findall(rf"\({home}(?:blob|raw)/main/([^)#]+)", text):
            assert (ROOT / link).exists(), (path, link)


def test_distributions_are_released_together():
    """One version, one licence, the same addresses; each asks for exactly the others'
    version.
    """
    ours = {project["name"] for project in PROJECTS.values()}
    assert {name.replace("_", "-") for name in DISTRIBUTIONS} == ours
    for project in PROJECTS.values():
        assert project["version"] == __version__
        for key in ("urls", "license", "classifiers", "requires-python"):
            assert project[key] == PROJECTS["kit"][key]
        needed = [
            re.match(r"[\w-]+", one)[0] for one in project.get("dependencies", ())
        ]
        exact = [
            one
            for one in project.get("dependencies", ())
            if one.endswith(f"=={__version__}")
        ]
        assert len([name for name in needed if name in ours]) == len(exact)


def test_a_bill_of_materials_is_of_the_content_alone():
    """Neither the moment nor the index that was asked is in it, and its number follows
    from it.
    """

    def listed(url, serial, name="click"):
        reference = {"type": "distribution", "url": url, "hashes": []}
        component = {"name": name, "version": "8", "externalReferences": [reference]}
        component["purl"] = f"pkg:pypi/{name}@8"
        metadata = {"timestamp": serial, "component": {"name": "ldpkit"}}
        known = {"serialNumber": serial, "metadata": metadata}
        return written(known | {"components": [component]}, moment=0, hashes={})

    first = listed("https://a/click-8.whl", "1")
    second = listed("https://b/x/click-8.whl", "2")
    assert first == second
    assert json.loads(first)["metadata"]["timestamp"] == "1970-01-01T00:00:00Z"
    assert listed("https://a/click-8.whl", "1", "other") != first


def check_bill(wheels):
    """Every package has its name, version and hashes: ours those of what was built."""
    hashes = {
        path.name: sha256(path.read_bytes()).hexdigest()
        for path in wheels.glob("*.whl")
    }
    materials = json.loads(bill(ROOT, 0, hashes))
    assert "://" not in json.dumps(materials["components"])
    listed = {}
    for component in materials["components"]:
        assert (
            component["purl"] == f"pkg:pypi/{component['name']}@{component['version']}"
        )
        files = component["externalReferences"]
        assert all(file["hashes"] for file in files)
        for file in files:
            listed[file["url"].rpartition("file_name=")[2]] = file["hashes"][0][
                "content"
            ]
    assert hashes.items() <= listed.items()
    assert {"click", "numpy", "msgpack"} < {
        one["name"] for one in materials["components"]
    }
