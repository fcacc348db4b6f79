# status: 1
exec("a b c")
