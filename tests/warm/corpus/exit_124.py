# status: 124
raise SystemExit(124)
