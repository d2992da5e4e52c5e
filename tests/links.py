#!/usr/bin/env python3
"""Links in README.md, CONTRIBUTING.md and docs/: each names a file of the tree, and a heading that is there.

    tests/links.py"""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def anchor(heading):
    """As a heading's link is made on GitHub."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    text = re.sub(r"[^\w\- ]", "", text.strip().lower())
    return text.replace(" ", "-")


def prose(path):
    """A page without what is quoted."""
    with open(path) as file:
        text = re.sub(r"^```.*?^```$", "", file.read(), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", lambda code: "x" * len(code[0]) if "](" in code[0] else code[0], text)


def anchors(path):
    return {anchor(heading) for heading in re.findall(r"^#+ (.*)$", prose(path), re.MULTILINE)}


def main():
    pages = [os.path.join(ROOT, name) for name in ("README.md", "CONTRIBUTING.md", "samples/README.md")]
    pages += sorted(glob.glob(os.path.join(ROOT, "docs", "*.md")))
    links = 0
    broken = []
    for page in pages:
        for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
            links += 1
            if re.match(r"[a-z]+:", target):  # elsewhere: not looked for, so that the test needs no network
                if not re.match(r"https://[\w.-]+(/[\w./%#?=&~+-]*)?$|mailto:", target):
                    broken.append((page, target, "is no address"))
                continue
            path, _, heading = target.partition("#")
            there = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if not os.path.exists(there):
                broken.append((page, target, "is not there"))
            elif heading and heading not in anchors(there):
                broken.append((page, target, "has no such heading"))
    listed = prose(os.path.join(ROOT, "docs", "README.md"))
    for page in sorted(glob.glob(os.path.join(ROOT, "docs", "*.md"))):
        name = os.path.basename(page)
        if name != "README.md" and f"({name})" not in listed:
            broken.append((page, name, "is not listed in docs/README.md"))
    for page, target, why in broken:
        print(f"links: {os.path.relpath(page, ROOT)}: {target} {why}")
    print(f"links: {links} links on {len(pages)} pages, {len(broken)} broken")
    return 1 if broken or links < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
