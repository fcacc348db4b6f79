# flags: -v {out}:/output
import sqlite3

db = sqlite3.connect("/output/data.db")
db.execute("create table t (a, b)")
db.executemany("insert into t values (?, ?)", [(1, "x"), (2, "y")])
db.commit()
print(db.execute("select sum(a), max(b) from t").fetchone())
db.close()
