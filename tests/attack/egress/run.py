"""run - perform one attack on a sandbox's network: run.py TOPIC NAME [WORD...].

Runs inside the sandbox (or, for a control, plainly in the network of a test), with the standard
library only; scripts/_kit.py says what is printed. A topic is a module beside this one, and each
function of it an attack, whose docstring says the threat. It returns its evidence, or nothing.
"""

import importlib
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "scripts"))

import _kit

topic, name, *words = sys.argv[1:]
attack = getattr(importlib.import_module(topic), name)
_kit.run(lambda: attack(*words), host=True)
