# env: PYTHONPATH=/code/lib
# files: lib/sitecustomize.py=print("customized")\n
# warm: auto
print("main")
