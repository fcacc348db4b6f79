# env: PYTHONHASHSEED=42
# warm: auto
print(hash("a"), hash(b"b"), list({"x", "y", "z", "w"}))
