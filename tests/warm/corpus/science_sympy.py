# needs: sympy
import sympy

x = sympy.symbols("x")
print(sympy.integrate(sympy.sin(x) ** 2, x), sympy.factor(x**2 - 1))
