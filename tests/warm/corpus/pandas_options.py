# needs: pandas
import pandas as pd

print(pd.get_option("display.max_rows"), pd.get_option("display.width"), pd.get_option("mode.copy_on_write"))
