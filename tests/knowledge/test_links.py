from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from freezegun import freeze_time

from knowledge.links import BadLink, LinkTarget, page_link, pdf_path, read_link

SHA256 = "ab" * 32


def token(url: str) -> str:
    return urlsplit(url).path.rpartition("/")[2]


def test_a_link_opens_its_page_of_its_pdf() -> None:
    url = page_link("https://bot.example/", "secret", SHA256, 7)
    assert url.startswith("https://bot.example/policies/")
    assert url.endswith("#page=7")
    assert read_link("secret", token(url)) == LinkTarget(SHA256, 7)


def test_the_catalogs_own_address_wins() -> None:
    url = page_link("https://bot.example", "s", SHA256, 3, "https://intranet.example/a.pdf#top")
    assert url == "https://intranet.example/a.pdf#page=3"


@pytest.mark.parametrize(
    "change", [lambda t: t + "x", lambda t: t[1:], lambda t: "", lambda t: t[::-1]]
)
def test_a_link_that_was_changed_opens_nothing(change: object) -> None:
    signed = token(page_link("http://x", "secret", SHA256, 1))
    with pytest.raises(BadLink, match="not valid"):
        read_link("secret", change(signed))  # type: ignore[operator]


def test_a_link_of_another_secret_opens_nothing() -> None:
    with pytest.raises(BadLink):
        read_link("other", token(page_link("http://x", "secret", SHA256, 1)))


def test_a_link_holds_up_to_its_age_and_not_a_second_longer() -> None:
    with freeze_time("2026-05-01 12:00:00") as clock:
        signed = token(page_link("http://x", "secret", SHA256, 1))
        clock.tick(60)
        assert read_link("secret", signed, max_age=60).page == 1
        clock.tick(1)
        with pytest.raises(BadLink, match="expired") as caught:
            read_link("secret", signed, max_age=60)
    assert caught.value.expired


def test_a_path_is_made_of_a_checksum_and_nothing_else() -> None:
    assert pdf_path(Path("/data"), SHA256) == Path(f"/data/files/{SHA256}.pdf")
    with pytest.raises(ValueError, match="not a SHA-256"):
        pdf_path(Path("/data"), "../../etc/passwd")
