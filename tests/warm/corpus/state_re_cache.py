import re

print(len(re._cache), re.match("a+", "aaa"))
