# needs: pandas
import pandas as pd

frame = pd.DataFrame({"a": [1, 2, 3], "b": list("xyx")})
print(frame.groupby("b").sum(), frame.describe(), pd.__version__)
