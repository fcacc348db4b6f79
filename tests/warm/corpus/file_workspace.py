# flags: --workspace {code}
# files: data.csv=a,b\n1,2\n
# how: $ python3 -c "import os; print(open('/data/data.csv').read(), os.access('/data', os.W_OK), sorted(os.listdir('/data')))"
