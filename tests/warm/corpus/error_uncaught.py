# status: 1
raise ValueError("plain")
