# differs: yes
import sqlite3

print(sqlite3.connect(":memory:").execute("select random()").fetchone())
