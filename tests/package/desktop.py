#!/usr/bin/env python3
"""Do the files that a desktop reads fit each other? Installs the viewer's part of a build into a scratch folder and looks:
one id names the entry, the icon and the metadata, and the validators of freedesktop.org, where they are installed, have
nothing to object.

    desktop.py CMAKE BUILD_FOLDER
"""

import configparser
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET


def expect(condition, what):
    if not condition:
        sys.exit(f"desktop.py: {what}")


def only(folder, pattern):
    found = sorted(folder.glob(pattern))
    expect(len(found) == 1, f"{folder.name}/{pattern}: {len(found)} files, expected one")
    return found[0]


def validate(command, file):
    if shutil.which(command[0]) is None:
        print(f"{command[0]} is not installed; {file.name} was not validated by it")
        return
    result = subprocess.run([*command, file], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    # desktop-file-validate exits with 0 for what it merely warns of.
    expect(result.returncode == 0 and "warning:" not in result.stdout, f"{' '.join(command)} {file.name}:\n{result.stdout}")


def main():
    expect(len(sys.argv) == 3, __doc__)
    cmake, build = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([cmake, "--install", build / "gui", "--prefix", scratch], check=True, stdout=subprocess.DEVNULL,
                       timeout=120)
        share = pathlib.Path(scratch) / "share"
        entry_file = only(share / "applications", "*.desktop")
        identity = entry_file.stem
        expect(identity.count(".") >= 2, f"{identity} is no reverse domain name")

        entry = configparser.ConfigParser(interpolation=None, strict=True)
        entry.optionxform = str
        entry.read(entry_file, encoding="utf-8")
        entry = entry["Desktop Entry"]
        icon = only(share / "icons/hicolor/scalable/apps", "*.svg")
        expect(entry["Icon"] == identity == icon.stem, f"Icon={entry['Icon']}, its file is {icon.name}")

        metadata_file = only(share / "metainfo", "*.metainfo.xml")
        metadata = ET.parse(metadata_file).getroot()
        expect(metadata_file.name == f"{identity}.metainfo.xml", f"{metadata_file.name} is not named like {identity}")
        expect(metadata.findtext("id") == identity, f"{metadata_file.name}: the id is {metadata.findtext('id')}")
        launchable = metadata.findtext("launchable")
        expect(launchable == entry_file.name, f"{metadata_file.name} launches {launchable}, there is {entry_file.name}")
        binary = metadata.findtext("provides/binary")
        expect(entry["Exec"].split()[0] == binary, f"Exec={entry['Exec']}, the metadata say {binary}")

        kinds = ET.parse(only(share / "mime/packages", "*.xml")).getroot()
        space = "{http://www.freedesktop.org/standards/shared-mime-info}"
        kind = kinds.find(f"{space}mime-type")
        expect(kind.find(f"{space}icon").get("name") == identity, "the icon of the MIME type is another one")
        names = {kind.get("type"), metadata.findtext("provides/mediatype"), entry["MimeType"].rstrip(";")}
        expect(len(names) == 1, f"the MIME type has several names: {', '.join(sorted(names))}")

        validate(["desktop-file-validate"], entry_file)
        validate(["appstreamcli", "validate", "--no-net"], metadata_file)
    print(f"{identity}: entry, icon, metadata and MIME type fit each other")


if __name__ == "__main__":
    main()
