# how: $ python3 -m cProfile -s name /code/target.py
# files: target.py=def f():\n    return 1\nprint(f())\n
# mask: .*function calls.*|^ +[0-9/]+ .*(?<!target.py:1\(f\))$
# Times differ; the line of the script's function is kept.
