"""Archives as they are unpacked, and every attack on whoever unpacks one."""

from __future__ import annotations

import gzip
import hashlib
import tarfile
from pathlib import Path

import pytest

from cardloom.host.archive import ArchiveLimits, unpack
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.package_tree import TreeLimits

from .making_tars import END, file, folder, header, long_name, pax, write

MIB = 1 << 20


class Unpacker:
    """Unpacks archives of a test, each into a folder of its own below `place`."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.into = place / "deep" / "into"
        self.path = place / "package.tar.gz"

    def __call__(
        self, *entries: bytes, part: str = "", limits: ArchiveLimits | None = None, end: bytes = END
    ) -> dict[str, bytes]:
        """The files of an archive."""
        self.write(*entries, end=end)
        return self.unpack(part, limits)

    def write(self, *entries: bytes, end: bytes = END) -> None:
        write(self.path, *entries, end=end)

    def unpack(self, part: str = "", limits: ArchiveLimits | None = None) -> dict[str, bytes]:
        self.into.mkdir(parents=True)
        self.given = unpack(self.path, self.into, part, limits=limits or ArchiveLimits())
        found = {
            path.relative_to(self.into).as_posix(): path.read_bytes() for path in self.into.rglob("*") if path.is_file()
        }
        assert self.given.files == {name: hashlib.sha256(data).hexdigest() for name, data in found.items()}
        assert self.given.total_bytes == sum(map(len, found.values()))
        return found

    def refused(self, *entries: bytes, **more: object) -> CallError:
        """The refusal of an archive, of which nothing may have got out of the folder."""
        before = self._outside()
        with pytest.raises(CallError) as refusal:
            self(*entries, **more)  # type: ignore[arg-type]
        assert self._outside() == before
        return refusal.value

    def _outside(self) -> set[Path]:
        found = {path for path in self.place.rglob("*") if path.is_file()}
        return {path for path in found if path != self.path and self.into not in path.parents}


@pytest.fixture
def unpacking(tmp_path: Path) -> Unpacker:
    return Unpacker(tmp_path)


# What archives are


def test_files_come_out_without_the_first_folder(unpacking: Unpacker) -> None:
    assert unpacking(folder("repo-1a2b/"), file("repo-1a2b/a.js", b"1"), file("repo-1a2b/dist/b.js", b"22")) == {
        "a.js": b"1",
        "dist/b.js": b"22",
    }


def test_an_archive_without_a_first_folder_is_taken_as_it_is(unpacking: Unpacker) -> None:
    assert unpacking(folder("./"), file("./neurosquad-card.json", b"{}"), file("./dist/b.js")) == {
        "neurosquad-card.json": b"{}",
        "dist/b.js": b"x",
    }


def test_only_the_asked_for_folder_comes_out_and_what_is_beside_it_does_not_count(unpacking: Unpacker) -> None:
    limits = ArchiveLimits(tree=TreeLimits(files=1, file_bytes=10, total_bytes=10))
    beside = [file(f"r/other/{index}", bytes(100)) for index in range(5)]
    assert unpacking(*beside, file("r/cards/x/a", b"1"), file("r/cards/xy", b"2"), part="cards/x", limits=limits) == {
        "a": b"1"
    }


def test_what_tar_writes_is_read(unpacking: Unpacker, tmp_path: Path) -> None:
    long = "/".join(["deep" * 10] * 4) + "/file.js"
    source = tmp_path / "source" / long
    source.parent.mkdir(parents=True)
    source.write_bytes(b"long")
    for kind in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT):
        with tarfile.open(unpacking.path, "w:gz", format=kind) as made:
            made.add(tmp_path / "source", "top")
        assert unpacking.unpack() == {long: b"long"}
        unpacking.into = tmp_path / "deep" / str(kind)


def test_an_archive_that_is_not_packed_is_read_too(unpacking: Unpacker) -> None:
    write(unpacking.path, file("t/a"), packed=False)
    assert unpacking.unpack() == {"a": b"x"}


def test_an_archive_packed_in_several_pieces_is_read(unpacking: Unpacker) -> None:
    whole = file("t/a") + file("t/b", bytes(3000)) + END
    unpacking.path.write_bytes(gzip.compress(whole[:700]) + gzip.compress(whole[700:]))
    assert unpacking.unpack() == {"a": b"x", "b": bytes(3000)}


def test_names_and_sizes_of_extended_headers_stand_over_the_plain_ones(unpacking: Unpacker) -> None:
    content = b"0123456789"
    entry = header("t/short", raw_size=b"00000000000\0") + content + bytes(502)
    assert unpacking(pax({"path": "t/ünïcode", "size": "10"}), entry) == {"ünïcode": content}


def test_a_global_header_holds_for_all_that_follow_and_comments_do_not_matter(unpacking: Unpacker) -> None:
    assert unpacking(pax({"comment": "1a2b3c"}, b"g"), file("t/a"), file("t/b")) == {"a": b"x", "b": b"x"}
    unpacking.into = unpacking.place / "again"
    assert "twice" in unpacking.refused(pax({"path": "t/a"}, b"g"), file("t/b"), file("t/c")).message


def test_a_size_may_be_written_in_base_256(unpacking: Unpacker) -> None:
    size = (0x80 << 88 | 5).to_bytes(12, "big")
    assert unpacking(header("t/a", raw_size=size) + b"12345" + bytes(507)) == {"a": b"12345"}


def test_old_archives_mark_files_by_a_zero_and_folders_by_a_slash(unpacking: Unpacker) -> None:
    assert unpacking(header("t/d/", kind=b"\0", magic=b""), file("t/d/a", kind=b"\0", magic=b"")) == {"d/a": b"x"}


def test_a_volume_label_is_no_file(unpacking: Unpacker) -> None:
    assert unpacking(header("label", kind=b"V"), file("t/a")) == {"a": b"x"}


# Attacks: types


@pytest.mark.parametrize(
    ("kind", "what"), [(b"1", "link"), (b"2", "link"), (b"3", "device"), (b"4", "device"), (b"6", "device")]
)
def test_links_and_devices_are_left_out_with_a_warning(unpacking: Unpacker, kind: bytes, what: str) -> None:
    assert unpacking(header("t/evil", kind=kind, link=b"/etc/passwd"), file("t/a")) == {"a": b"x"}
    (warning,) = unpacking.given.warnings
    assert what in warning
    assert "evil" in warning


def test_a_warning_writes_out_what_a_terminal_would_obey(unpacking: Unpacker) -> None:
    unpacking(header("t/\x1b[2Jevil", kind=b"2"), file("t/a"))
    assert unpacking.given.warnings == ("'\\x1b[2Jevil' is a link and was left out",)


def test_nothing_is_written_through_a_link_of_the_archive(unpacking: Unpacker, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    link = header("t/way", kind=b"2", link=str(outside).encode())
    assert unpacking(link, file("t/way/evil")) == {"way/evil": b"x"}
    assert list(outside.iterdir()) == []


def test_a_hard_link_to_a_file_outside_gives_no_file(unpacking: Unpacker, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    link = header("t/stolen", kind=b"1", link=str(tmp_path / "secret").encode())
    (tmp_path / "secret").unlink()
    assert unpacking(link, file("t/a")) == {"a": b"x"}


@pytest.mark.parametrize("kind", [b"1", b"2", b"3", b"5", b"6"])
def test_an_entry_that_should_be_empty_and_is_not_is_refused(unpacking: Unpacker, kind: bytes) -> None:
    assert "content" in unpacking.refused(file("t/evil", file("t/hidden"), kind)).message


@pytest.mark.parametrize("kind", [b"S", b"M", b"D", b"Z", b"\xff"])
def test_an_entry_of_a_kind_that_is_not_known_is_refused(unpacking: Unpacker, kind: bytes) -> None:
    assert "kind" in unpacking.refused(file("t/evil", kind=kind)).message


def test_a_sparse_file_behind_an_extended_header_is_refused(unpacking: Unpacker) -> None:
    error = unpacking.refused(pax({"GNU.sparse.major": "1", "GNU.sparse.realsize": "99999999"}), file("t/evil"))
    assert "sparse" in error.message


# Attacks: paths


@pytest.mark.parametrize(
    "name",
    [
        "t/../../evil",
        "../evil",
        "/evil",
        "t//evil",
        "t/./evil",
        "t/a\\..\\..\\evil",
        "t/C:/evil",
        "t/nul",
        "t/aux.js",
        "t/evil.",
        "t/evil ",
        "t/evil\x01",
        "t/__ns/sdk.js",
        "t/__NS/guard.js",
        "t/" + "/".join("d" * 21),
    ],
)
def test_an_unsafe_name_refuses_the_archive(unpacking: Unpacker, name: str) -> None:
    error = unpacking.refused(file("t/good"), file(name))
    assert error.code is ErrorCode.INVALID_PARAMS
    assert isinstance(error.data, list)


@pytest.mark.parametrize("name", ["../evil", "/evil", "t/../evil", "t/other/../../evil"])
def test_an_unsafe_name_beside_the_asked_for_folder_refuses_it_too(unpacking: Unpacker, name: str) -> None:
    unpacking.refused(file("t/cards/x/a"), file(name), part="cards/x")


def test_an_unsafe_name_of_a_folder_refuses_it_too(unpacking: Unpacker) -> None:
    unpacking.refused(file("t/a"), folder("t/../../evil/"))


def test_a_name_that_is_no_utf8_is_refused(unpacking: Unpacker) -> None:
    assert "UTF-8" in unpacking.refused(file(b"t/\xff\xfe")).message


def test_a_name_too_long_for_a_package_is_refused_however_it_is_written(unpacking: Unpacker) -> None:
    long = "t/" + "/".join(["x" * 60] * 5)
    assert "240" in unpacking.refused(pax({"path": long}), file("t/a")).message
    unpacking.into = unpacking.place / "again"
    assert "240" in unpacking.refused(long_name(long), file("t/a")).message


def test_a_name_too_long_for_any_disk_is_refused_beside_the_asked_for_folder_too(unpacking: Unpacker) -> None:
    long = "t/other/" + "/".join(["x" * 100] * 20)
    assert "1024" in unpacking.refused(pax({"path": long}), file("t/a"), file("t/cards/a"), part="cards").message


@pytest.mark.parametrize("name", ["t/a\0/../../evil", "t/../../evil"])
def test_an_unsafe_name_in_an_extended_header_is_refused(unpacking: Unpacker, name: str) -> None:
    unpacking.refused(pax({"path": name}), file("t/a"))


def test_an_unsafe_name_in_a_long_name_or_a_prefix_is_refused(unpacking: Unpacker) -> None:
    unpacking.refused(long_name("t/../../evil"), file("t/a"))
    unpacking.into = unpacking.place / "again"
    unpacking.refused(file("evil", prefix=b"t/../.."))


# Attacks: clashes


@pytest.mark.parametrize(
    ("first", "second"),
    [("a.js", "a.js"), ("a.js", "A.JS"), ("a", "a/b"), ("a/b", "a"), ("Lib/a", "lib"), ("caf\u00e9", "cafe\u0301")],
)
def test_names_that_clash_refuse_the_archive(unpacking: Unpacker, first: str, second: str) -> None:
    unpacking.refused(file(f"t/{first}"), file(f"t/{second}"))


def test_a_folder_and_a_file_of_one_name_refuse_it(unpacking: Unpacker) -> None:
    unpacking.refused(file("t/a"), folder("t/A/"))


def test_two_first_folders_are_not_laid_over_each_other(unpacking: Unpacker) -> None:
    assert unpacking(file("one/a", b"1"), file("two/a", b"2")) == {"one/a": b"1", "two/a": b"2"}


# Attacks: sizes and counts


def small(**more: int) -> ArchiveLimits:
    return ArchiveLimits(tree=TreeLimits(**{"files": 10, "file_bytes": 1000, "total_bytes": 2000, **more}))


def test_too_many_files_are_refused(unpacking: Unpacker) -> None:
    error = unpacking.refused(*(file(f"t/{index}") for index in range(11)), limits=small())
    assert error.code is ErrorCode.TOO_LARGE


def test_a_file_too_large_is_refused_before_it_is_written(unpacking: Unpacker) -> None:
    error = unpacking.refused(file("t/a", bytes(1001)), limits=small())
    assert (error.code, "'a'" in error.message) == (ErrorCode.TOO_LARGE, True)
    assert list(unpacking.into.iterdir()) == []


def test_too_much_in_all_is_refused(unpacking: Unpacker) -> None:
    error = unpacking.refused(*(file(f"t/{index}", bytes(900)) for index in range(3)), limits=small())
    assert error.code is ErrorCode.TOO_LARGE


def test_an_archive_too_large_as_it_comes_is_refused(unpacking: Unpacker) -> None:
    error = unpacking.refused(file("t/a"), limits=ArchiveLimits(packed_bytes=20))
    assert error.code is ErrorCode.TOO_LARGE


def test_a_bomb_is_refused_long_before_it_is_whole(unpacking: Unpacker) -> None:
    hidden = file("t/other/zeros", bytes(8 * MIB))
    error = unpacking.refused(hidden, part="cards", limits=ArchiveLimits(inflated_bytes=MIB))
    assert error.code is ErrorCode.TOO_LARGE


def test_a_bomb_behind_the_end_mark_is_refused(unpacking: Unpacker) -> None:
    error = unpacking.refused(file("t/a"), end=bytes(8 * MIB), limits=ArchiveLimits(inflated_bytes=MIB))
    assert error.code is ErrorCode.TOO_LARGE


def test_a_bomb_of_headers_is_refused(unpacking: Unpacker) -> None:
    limits = ArchiveLimits(meta_bytes=1000)
    assert unpacking.refused(pax({"comment": "x" * 2000}), file("t/a"), limits=limits).code is ErrorCode.TOO_LARGE
    unpacking.into = unpacking.place / "again"
    assert unpacking.refused(long_name("x" * 2000), file("t/a"), limits=limits).code is ErrorCode.TOO_LARGE


def test_too_many_entries_are_refused_though_none_of_them_is_a_file_of_the_package(unpacking: Unpacker) -> None:
    entries = [folder(f"t/{index}/") for index in range(50)]
    error = unpacking.refused(*entries, file("t/cards/a"), part="cards", limits=ArchiveLimits(entries=20))
    assert error.code is ErrorCode.TOO_LARGE


def test_too_many_extended_headers_count_as_entries(unpacking: Unpacker) -> None:
    entries = [pax({"comment": "x"}, b"g") for _ in range(50)]
    error = unpacking.refused(*entries, file("t/a"), limits=ArchiveLimits(entries=20))
    assert error.code is ErrorCode.TOO_LARGE


@pytest.mark.parametrize(
    "size",
    [b"\xff" * 12, b"\x80" + b"\xff" * 11, b"-0000000001\0", b"0000000000x\0", b"77777777777\0", b"9999999999\0\0"],
)
def test_a_size_that_is_none_is_refused(unpacking: Unpacker, size: bytes) -> None:
    unpacking.refused(header("t/a", raw_size=size))


@pytest.mark.parametrize("size", ["-1", "1e3", "", "99999999999999999999", "\u0661"])
def test_a_size_that_is_none_in_an_extended_header_is_refused(unpacking: Unpacker, size: str) -> None:
    unpacking.refused(pax({"size": size}), file("t/a"))


# Attacks: broken streams


def test_a_header_with_a_wrong_sum_is_refused(unpacking: Unpacker) -> None:
    assert "checksum" in unpacking.refused(header("t/a", checksum=0)).message


@pytest.mark.parametrize("record", [b"99 path=a\n", b"5 a\n", b"x path=a\n", b"9 path=ab", b"0 =\n", b"-9 path=a\n"])
def test_an_extended_header_that_is_none_is_refused(unpacking: Unpacker, record: bytes) -> None:
    assert "extended header" in unpacking.refused(file("pax", record, b"x"), file("t/a")).message


@pytest.mark.parametrize("cut", [1, 100, 511, 513, 600, 1024])
def test_an_archive_cut_short_is_refused(unpacking: Unpacker, cut: int) -> None:
    whole = file("t/a", bytes(600)) + END
    unpacking.path.write_bytes(gzip.compress(whole[: len(whole) - 1024 - cut]))
    with pytest.raises(CallError, match="ends too early"):
        unpacking.unpack()


def test_a_stream_cut_short_or_damaged_is_refused(unpacking: Unpacker) -> None:
    unpacking.write(file("t/a", bytes(range(256)) * 20))
    whole = unpacking.path.read_bytes()
    damaged = whole[:-8] + bytes(8)
    for broken in (whole[:-20], damaged, whole[:12], b"\x1f\x8b\x08"):
        unpacking.path.write_bytes(broken)
        unpacking.into = unpacking.place / hashlib.sha256(broken).hexdigest()
        with pytest.raises(CallError) as refusal:
            unpacking.unpack()
        assert refusal.value.code is ErrorCode.INVALID_PARAMS


def test_something_hidden_behind_the_end_is_refused(unpacking: Unpacker) -> None:
    assert "after its end" in unpacking.refused(file("t/a"), end=END + file("t/b") + END).message


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 not a tar", b"hello\n" * 200])
def test_what_is_no_archive_is_refused(unpacking: Unpacker, content: bytes) -> None:
    unpacking.path.write_bytes(content)
    with pytest.raises(CallError) as refusal:
        unpacking.unpack()
    assert refusal.value.code is ErrorCode.INVALID_PARAMS


def test_an_archive_without_files_or_without_the_folder_is_refused(unpacking: Unpacker) -> None:
    assert unpacking.refused(folder("t/")).code is ErrorCode.NOT_FOUND
    unpacking.into = unpacking.place / "again"
    assert unpacking.refused(file("t/a"), part="cards").code is ErrorCode.NOT_FOUND


def test_files_of_an_archive_may_not_be_run_or_written_by_others(unpacking: Unpacker) -> None:
    unpacking(file("t/a"))
    assert (unpacking.into / "a").stat().st_mode & 0o133 == 0
