paid = orders[orders.stage == "paid"]
monthly = paid.groupby(paid.date.dt.to_period("M")).revenue.agg(["sum", "count", "mean"])
monthly["change"] = monthly["sum"].pct_change()
top = paid.groupby("product").revenue.sum().nlargest(10)
print(monthly.round(2))
print(top.round(2))
