# how: -m script
# status: 130
raise KeyboardInterrupt
