import decimal

print(decimal.getcontext(), decimal.DefaultContext.prec, decimal.Decimal(1) / 3)
