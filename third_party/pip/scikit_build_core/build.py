"""Lets pip download a source distribution without the tools that would build it.

pip asks the build backend that pyproject.toml names for the metadata of what it downloads. A source
distribution has that metadata beside it, in PKG-INFO, so handing it over is all that is needed.
third_party puts this folder on PYTHONPATH for such a download and for nothing else.
"""
import email
import pathlib


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    metadata = pathlib.Path("PKG-INFO").read_text(encoding="utf-8")
    fields = email.message_from_string(metadata)
    name = fields["Name"].replace("-", "_")
    folder = pathlib.Path(metadata_directory, f"{name}-{fields['Version']}.dist-info")
    folder.mkdir()
    (folder / "METADATA").write_text(metadata, encoding="utf-8")
    return folder.name
