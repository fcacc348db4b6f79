import string
import textwrap

print(f"{3.14159:.2f} {1_000_000:,} {'x':>5} {255:#x} {'ü'!a}", string.Template("$a").substitute(a=1))
print(textwrap.fill("word " * 30, 40))
