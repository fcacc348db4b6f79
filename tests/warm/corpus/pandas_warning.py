# needs: pandas
import pandas as pd

frame = pd.DataFrame({"a": [1, 2, 3]})
part = frame[frame.a > 1]
part["b"] = 1
print(part)
