import re

print(re.findall(r"(\w+)@(\w+)", "a@b c@d"), re.compile("x", re.I), re.sub(r"\d", lambda m: str(int(m[0]) + 1), "a1b2"))
