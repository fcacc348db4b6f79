# Modules that are neither the library's nor the script's: none but those of site.
import sys

known = set(sys.stdlib_module_names)
print(sorted(n for n in sys.modules if n.partition(".")[0] not in known))
