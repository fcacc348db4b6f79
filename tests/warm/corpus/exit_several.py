# status: 1
raise SystemExit(1, 2, 3)
