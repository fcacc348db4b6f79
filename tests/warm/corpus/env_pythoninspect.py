# env: PYTHONINSPECT=1
# stdin: print("interactive", x)\n
# warm: auto
x = 5
print("script")
