"""chart - draw /data/bench.json as /output/bench.png. Runs inside glovebox."""

import json

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

TITLES = {
    "true": "/bin/true",
    "hello": 'print("hi")',
    "pandas": "pandas sum",
    "plot": "matplotlib png",
}

with open("/data/bench.json", encoding="utf-8") as file:
    result = json.load(file)
rows = {
    name: modes["back_to_back"]
    for name, modes in result["rows"].items()
    if modes.get("back_to_back")
}
names = list(result["columns"])

figure, plots = plt.subplots(
    1, len(rows), figsize=(3.4 * len(rows), 0.9 + 0.42 * len(names)), layout="constrained"
)
for axes, (row, cells) in zip([plots] if len(rows) == 1 else plots, rows.items()):
    shown = [name for name in names if name in cells]
    values = [cells[name]["median"] for name in shown]
    colors = [
        "#1f6f8b" if name == "glovebox" else "#8c8c8c" if name == "floor" else "#c9c9c9"
        for name in shown
    ]
    bars = axes.barh(shown, values, color=colors)
    axes.bar_label(bars, [f"{value:.3g}" for value in values], padding=3, fontsize=8)
    axes.set_title(f"{TITLES[row]}, ms", loc="left", fontsize=10)
    axes.set_xlim(0, max(values) * 1.2)
    axes.invert_yaxis()
    axes.tick_params(left=False, labelsize=8)
    axes.spines[["top", "right", "left"]].set_visible(False)
figure.savefig("/output/bench.png", dpi=120)
