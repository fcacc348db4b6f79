# argv: --nope
# status: 2
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--yes", action="store_true")
parser.parse_args()
