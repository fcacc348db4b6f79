# needs: pandas
import pandas as pd

print(pd.Timestamp("2024-07-01", tz="Europe/Berlin"), pd.Timestamp(0).tz_localize("UTC"))
