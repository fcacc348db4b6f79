# status: 1
raise GeneratorExit("uncaught")
