"""_warm - for the attacks on the machinery: the kit of tests/attack, wherever this runs."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += ["/attack", os.path.join(HERE, "../../attack/scripts")]

import _kit  # noqa: E402, F401
