"""Charts of answers: `chart` makes a specification from evidence rows, `ChartFile` saves it.

Below them: `columns` and `periods` say what a column is for, `marks` what is drawn, `spec` writes
it as Vega-Lite, `render` makes a picture of it.
"""

from agent.charts.chart import chart
from agent.charts.files import ChartFile
from agent.charts.render import letters_note, render

__all__ = ["ChartFile", "chart", "letters_note", "render"]
