# needs: pandas openpyxl
# flags: -v {out}:/scratch
import pandas as pd

pd.DataFrame({"a": [1, 2]}).to_excel("/tmp/x.xlsx", index=False)
print(pd.read_excel("/tmp/x.xlsx"))
