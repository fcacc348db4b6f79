# needs: pandas
# flags: -v {out}:/output
import io

import pandas as pd

frame = pd.read_csv(io.StringIO("d,v\n2024-01-01,1\n2024-01-02,2\n"), parse_dates=["d"])
frame.to_csv("/output/out.csv", index=False)
print(frame.dtypes, frame)
