"""Real work with the `python` image: charts, a financial report, what stays in a session."""

import csv
import os
import random
import shutil
import zipfile
from pathlib import Path

from support.agent import AgentCase, answer, fence
from support.model import Model, call, reply
from support.run import FIXTURES, ROOT

FINANCE = ROOT / "tests/agent/finance"
CHART = """
import pandas as pd, matplotlib.pyplot as plt
sales = pd.read_csv("/data/sales.csv", parse_dates=["date"])
sales["revenue"] = sales.quantity * sales.unit_price * (1 - sales.discount)
monthly = sales.groupby(sales.date.dt.to_period("M")).revenue.sum()
ax = monthly.plot.bar(figsize=(10, 4), title="Monthly revenue")
"""
PNG = b"\x89PNG\r\n\x1a\n"


def write_orders(path: Path, rows: int = 45_000) -> None:
    """Write orders of two years, of 400 products of which few matter, in four stages."""
    dice = random.Random(7)
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["date", "product", "region", "stage", "quantity", "price"])
        for _ in range(rows):
            product = min(int(dice.expovariate(0.02)), 399)
            day = dice.randrange(730)
            stage = dice.choices(["visit", "cart", "order", "paid"], (40, 25, 15, 20))[0]
            date = f"{2023 + day // 365}-{day % 365 // 31 + 1:02}-{day % 28 + 1:02}"
            row = [date, f"P{product:03}", "NSEW"[product % 4], stage]
            table.writerow([*row, dice.randint(1, 9), f"{5 + product * 0.7:.2f}"])


class Work(AgentCase):
    """What people ask for."""

    image = "python"

    def assert_picture(self, name: str) -> None:
        self.assertTrue((self.output / name).read_bytes().startswith(PNG), name)

    def test_from_a_table_to_a_chart(self) -> None:
        shutil.copy(FIXTURES / "sales.csv", self.workspace)
        run = self.agent(
            [
                fence("import pandas as pd", "pd.read_csv('/data/sales.csv').head(3)"),
                fence(CHART, "plt.savefig('/output/revenue.png')", "monthly.round().head(2)"),
                answer("The chart is /output/revenue.png"),
            ]
        )
        self.assert_status(run.result)
        self.assert_picture("revenue.png")
        self.assertEqual([f["path"] for f in run.end["files"]], ["revenue.png"])
        self.assertIn("unit_price", run.told(1))
        self.assertIn("2023-01", run.told(2))
        self.assertIn("sales.csv", run.chats[0]["messages"][0]["content"])

    def test_figures_that_were_left_open_are_saved(self) -> None:
        shutil.copy(FIXTURES / "sales.csv", self.workspace)
        (self.output / "figure-1.png").write_text("mine")
        run = self.agent([fence(CHART, "plt.show()"), answer("drawn")])
        self.assert_status(run.result)
        self.assert_picture("figure-2.png")
        self.assertEqual((self.output / "figure-1.png").read_text(), "mine")
        self.assertIn("figure-2.png", run.told(1))
        owner = self.output.stat()
        made = (self.output / "figure-2.png").stat()
        self.assertEqual((made.st_uid, made.st_gid), (owner.st_uid, owner.st_gid))

    def test_an_answer_that_shows_a_plot_leaves_no_figure(self) -> None:
        shutil.copy(FIXTURES / "sales.csv", self.workspace)
        shown = reply("**March** was best. Reproduce it with:\n```python\nplt.plot([1])\n```\n")
        script = [call("print(1)"), call("import matplotlib.pyplot as plt; plt.savefig('/output/a.png')"), shown]
        run = self.agent(script, models=(Model("m:latest", ("completion", "tools")),))
        self.assert_status(run.result)
        self.assertEqual([p.name for p in self.output.iterdir()], ["a.png"])

    def test_pip_fails_at_once_and_gives_no_advice(self) -> None:
        code = ("import subprocess, sys", "command = [sys.executable, '-m', 'pip', 'install', 'polars']",
                "print(subprocess.run(command, capture_output=True, text=True).stderr)")  # fmt: skip
        run = self.agent([fence(*code), answer("no")])
        self.assert_status(run.result)
        self.assertIn("No matching distribution found for polars", run.told(1))
        self.assertNotIn("--break-system-packages", run.told(1))

    def test_a_financial_report(self) -> None:
        write_orders(self.workspace / "orders.csv")
        steps = [p.read_text() for p in sorted(FINANCE.glob("*.py"))]
        run = self.agent(
            [*(fence(step) for step in steps), answer("See report.xlsx and report.pdf")],
            "--iterations=8",
            "--num-ctx=16384",
        )
        self.assert_status(run.result)
        self.assertEqual(run.verdicts, ["ok", "ok", "ok", "error", "ok"])
        self.assertIn("(45000, 7)", run.told(1))
        self.assertIn("2024-12", run.told(2))
        self.assertRegex(run.told(3), r"% of products make 80 % of revenue")
        self.assertIn("AttributeError", run.told(4))
        self.assertIn("24 months, 10 top products", run.told(5))
        with zipfile.ZipFile(self.output / "report.xlsx") as book:
            sheets = [n for n in book.namelist() if n.startswith("xl/worksheets/sheet")]
        self.assertEqual(len(sheets), 4)
        self.assertTrue((self.output / "report.pdf").read_bytes().startswith(b"%PDF-"))
        self.assertEqual(run.end["iterations_used"], 6)

    def test_numpy_starts_from_the_same_state_only_by_choice(self) -> None:
        run = self.agent(
            [fence("import numpy as np", "a = np.arange(10)"), fence("a.sum()"), answer("45")],
            "--state=fresh",
        )
        self.assertEqual(run.verdicts, ["ok", "error"])
        self.assertEqual(os.listdir(self.output), [])
