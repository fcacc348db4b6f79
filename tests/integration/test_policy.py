"""The two system call filters, held together: a cell's (python) and a nursery's."""

import json
import unittest
from pathlib import Path

POLICY = Path(__file__).resolve().parents[2] / "policy"


def allowing(name: str) -> list[dict]:
    """The rules of a policy that allow something."""
    rules = json.loads((POLICY / f"{name}.json").read_text())["syscalls"]
    return [rule for rule in rules if rule["action"] == "SCMP_ACT_ALLOW"]


def names(rules: list[dict]) -> list[str]:
    """Every name in these rules, as often as it stands there."""
    return [name for rule in rules for name in rule["names"]]


class Policy(unittest.TestCase):
    """Every cell adds the filter python to its nursery's: what either refuses is refused."""

    def setUp(self) -> None:
        self.python = allowing("python")
        self.nursery = allowing("nursery")

    def test_a_nursery_has_rules_without_conditions_only(self) -> None:
        """A condition would bind every cell, too."""
        whole = json.loads((POLICY / "nursery.json").read_text())
        self.assertEqual(whole["syscalls"], self.nursery)
        for rule in self.nursery:
            self.assertEqual(rule.keys(), {"comment", "names", "action"})
        self.assertEqual(len(self.nursery), 2)

    def test_what_a_cell_may_a_nursery_may(self) -> None:
        self.assertEqual(set(names(self.python)) - set(names(self.nursery)), set())

    def test_no_name_twice(self) -> None:
        there = names(self.nursery)
        self.assertEqual(sorted({name for name in there if there.count(name) > 1}), [])

    def test_the_first_rule_is_what_a_cell_may(self) -> None:
        """Nothing among them that a cell never may."""
        self.assertEqual(set(names(self.nursery[:1])) - set(names(self.python)), set())

    def test_the_second_rule_is_what_a_cell_may_not(self) -> None:
        """What making cells takes: a cell has it under a condition, or not at all."""
        always = set(names([rule for rule in self.python if not rule.keys() & {"args", "includes"}]))
        self.assertEqual(sorted(set(names(self.nursery[1:])) & always), [])

    def test_both_are_for_the_same_machines_and_refuse_alike(self) -> None:
        python = json.loads((POLICY / "python.json").read_text())
        nursery = json.loads((POLICY / "nursery.json").read_text())
        for key in ("defaultAction", "defaultErrnoRet", "architectures"):
            self.assertEqual(python[key], nursery[key])
