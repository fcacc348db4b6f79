import copy
import pickle
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class P:
    x: int
    y: list


p = P(1, [2])
print(pickle.loads(pickle.dumps(p)), copy.deepcopy(p) == p)
