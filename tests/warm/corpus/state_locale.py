import locale

print(locale.setlocale(locale.LC_ALL, None), locale.getlocale(), locale.getpreferredencoding())
print(locale.localeconv()["decimal_point"], locale.getencoding())
print(locale.setlocale(locale.LC_ALL, ""), f"{1234567.5:n}")
