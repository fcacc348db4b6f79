# env: PYTHONBREAKPOINT=0
# warm: auto
breakpoint()
print("not stopped")
