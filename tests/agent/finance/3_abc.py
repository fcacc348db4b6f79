by_product = paid.groupby("product").revenue.sum().sort_values(ascending=False)
share = by_product.cumsum() / by_product.sum()
abc = pd.cut(share, [0, 0.8, 0.95, 1.0001], labels=list("ABC"))
pareto = (share <= 0.8).sum() / len(share)
stages = ["visit", "cart", "order", "paid"]
funnel = pd.Series({s: (orders.stage.isin(stages[i:])).sum() for i, s in enumerate(stages)})
print(abc.value_counts().sort_index())
print(f"{pareto:.1%} of products make 80 % of revenue")
print((funnel / funnel.iloc[0]).round(3))
