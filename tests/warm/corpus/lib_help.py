help(len)
help("yield")
