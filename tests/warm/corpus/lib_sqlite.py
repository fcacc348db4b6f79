import sqlite3

db = sqlite3.connect(":memory:")
db.execute("create table t (x)")
db.executemany("insert into t values (?)", [(n,) for n in range(10)])
print(db.execute("select sum(x), count(*) from t").fetchall(), sqlite3.sqlite_version)
