# env: PYTHONSTARTUP=/code/startup.py
# files: startup.py=print("must not run")\n
# warm: auto
print("main")
