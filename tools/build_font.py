"""Reduces Noto Sans SC to what the product writes: Latin letters and the Chinese of GB 2312.

    python tools/build_font.py NotoSansSC_400Regular.ttf

The file comes from the npm package @expo-google-fonts/noto-sans-sc; needs fonttools. The result
is committed, so nobody but a maintainer runs this.
"""

import sys
from pathlib import Path

from fontTools import subset

TARGET = Path(__file__).resolve().parent.parent / "resources/fonts/NotoSansSC-Regular-subset.ttf"
# Latin with its extensions, punctuation, arrows and the signs that formulas use.
RANGES = ((0x20, 0x7F), (0xA0, 0x180), (0x2010, 0x2028), (0x2030, 0x203F), (0x2190, 0x2194),
          (0xFF01, 0xFF5F))  # fmt: skip
SIGNS = "\u2122\u2212\u2248\u2264\u2265\u2026\u20ac\u03bc"


def letters() -> set[int]:
    """Return the code points that are kept."""
    kept = {ord(sign) for sign in SIGNS}
    for first, behind in RANGES:
        kept |= set(range(first, behind))
    for row in range(0xA1, 0xF8):
        for cell in range(0xA1, 0xFF):
            kept |= {ord(c) for c in bytes([row, cell]).decode("gb2312", "ignore")}
    return kept


def main(source: str) -> None:
    """Write the reduced font."""
    options = subset.Options()
    options.layout_features = ["kern"]
    options.hinting = False
    options.name_IDs = ["*"]
    options.drop_tables += ["DSIG", "GSUB", "GPOS", "vhea", "vmtx", "VORG", "BASE"]
    font = subset.load_font(source, options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=letters())
    subsetter.subset(font)
    subset.save_font(font, str(TARGET), options)


if __name__ == "__main__":
    main(sys.argv[1])
