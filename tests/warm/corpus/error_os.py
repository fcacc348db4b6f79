# status: 1
open("/no/such/file")  # noqa: SIM115
