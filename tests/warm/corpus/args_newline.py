# argv: 'a\nb' "tab	tab" '$HOME `id`' '%s'
import sys

print(sys.argv)
