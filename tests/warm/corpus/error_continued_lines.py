# status: 1
result = sum(
    [
        1,
        2,
        int("three"),
    ]
)
