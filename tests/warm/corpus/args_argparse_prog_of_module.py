# how: -m tool
# files: tool/__init__.py=
# files: tool/__main__.py=import argparse\nargparse.ArgumentParser().parse_args(['-h'])\n
