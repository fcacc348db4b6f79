with pd.ExcelWriter("/output/report.xlsx") as book:
    monthly.to_excel(book, sheet_name="monthly")
    abc.to_frame("class").assign(revenu=by_product.revenue).to_excel(book, sheet_name="abc")
