import pandas as pd

orders = pd.read_csv("/data/orders.csv", parse_dates=["date"])
orders["revenue"] = orders.quantity * orders.price
print(orders.shape, orders.isna().sum().sum())
print(orders.describe(include="all").T.head(12))
