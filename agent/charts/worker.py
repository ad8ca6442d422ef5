"""The process that draws: a specification on stdin, the picture on stdout, nothing else.

Started by `agent.charts.render` as a script: a script engine that hangs or runs out of memory ends
here, and the fonts that it is given are its own. It loads nothing from a network.
"""

import sys
from typing import Any

import vl_convert

# The minus sign U+2212, which d3 writes, is in hardly any font for Japanese and Chinese.
NUMBERS = {"decimal": ".", "thousands": ",", "grouping": [3], "currency": ["", ""], "minus": "-"}


def main(kind: str, fonts: str, version: str) -> None:
    spec = sys.stdin.buffer.read().decode("utf-8")
    if fonts:
        vl_convert.register_font_directory(fonts)
    options: dict[str, Any] = {
        "vl_version": version,
        "format_locale": NUMBERS,
        "allowed_base_urls": [],
    }
    if kind == "svg":
        drawn = vl_convert.vegalite_to_svg(spec, **options).encode("utf-8")
    else:
        drawn = vl_convert.vegalite_to_png(spec, scale=2.0, **options)
    sys.stdout.buffer.write(drawn)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(*sys.argv[1:4])
