import pickle


def f():
    return "f"


print(pickle.dumps(f, 0), pickle.loads(pickle.dumps(f))())
