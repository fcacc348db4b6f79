import csv
import io

out = io.StringIO()
csv.writer(out).writerows([["a", "b,c"], [1, 'q"']])
print(out.getvalue(), csv.list_dialects(), csv.field_size_limit())
