import matplotlib.pyplot as plt
from matplotlib.backends.backend_pdf import PdfPages

months = monthly.copy()
months.index = months.index.astype(str)
with pd.ExcelWriter("/output/report.xlsx") as book:
    months.to_excel(book, sheet_name="monthly")
    top.to_frame().to_excel(book, sheet_name="top 10")
    abc.to_frame("class").assign(revenue=by_product).to_excel(book, sheet_name="abc")
    funnel.to_frame("count").to_excel(book, sheet_name="funnel")
with PdfPages("/output/report.pdf") as pdf:
    for draw in (
        lambda axes: months["sum"].plot.bar(ax=axes, title="Revenue by month"),
        lambda axes: share.reset_index(drop=True).plot(ax=axes, title="Pareto"),
        lambda axes: funnel.plot.barh(ax=axes, title="Funnel"),
    ):
        figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
        draw(axes)
        pdf.savefig(figure)
        plt.close(figure)
print(len(months), "months,", len(top), "top products")
