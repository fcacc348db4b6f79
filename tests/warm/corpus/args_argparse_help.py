# argv: -h
import argparse

parser = argparse.ArgumentParser(description="what")
parser.add_argument("name", help="who")
parser.parse_args()
