/*
 * fuzz - what every harness offers: one input, and properties that must hold for any.
 *
 * Each fuzz_*.c is a harness for one parser. It links with driver.c (any compiler: some thousand
 * mutations of the seeds, for `make check`) or with libFuzzer (clang -fsanitize=fuzzer,address).
 */
#ifndef GLOVEBOX_TESTS_FUZZ_H
#define GLOVEBOX_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: must hold: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* The input as a string, ended at its first NUL; heap, so that ASan sees every byte too far. */
static inline char *fuzz_string(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

/* A failure says why, in one line. */
static inline void fuzz_check_error(const struct err *e)
{
	char line[600];

	MUST(e->kind != ERR_NONE);
	MUST(memchr(e->text, '\0', sizeof(e->text)));
	MUST(e->text[0]);
	err_string(e, line, sizeof(line));
	MUST(!strchr(line, '\n'));
}

#endif
