/*
 * options - flags of the small commands: "--name value" or "--name=value"; switches "--name",
 * "--name=false".
 *
 * No side effects.
 */
#ifndef GLOVEBOX_CLI_OPTIONS_H
#define GLOVEBOX_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* One flag; a list ends with a null name. The manual page and the completion are made of it, too.
 */
struct option {
	const char *name; /* with its dashes */
	const char *arg;  /* what the value is called; NULL: a switch */
	size_t at;        /* in the struct that is filled: of a const char *, or of a bool */
	const char *help; /* with the default */
};

/*
 * options_take - those in front of the operands.
 * @out  the struct that is filled: a value is borrowed from argv.
 * Returns how many words they were, with argv[0]; -1 for an unknown one.
 */
int options_take(const struct option *options, void *out, int argc, char **argv, struct err *e);

/* The error for a word that is none of the flags; it names them. Returns -1. */
int option_unknown(const struct option *options, const char *word, const char *command,
		   struct err *e);

/* options_split - take those that are in the list out of argv, wherever they are. 0 or -1. */
int options_split(const struct option *options, void *out, int *argc, char **argv, struct err *e);

/* A duration into *out_ms; NULL leaves it alone. The error names the flag. */
int option_duration(const char *text, const char *flag, uint64_t *out_ms, struct err *e);

/* A number of bytes, likewise. */
int option_size(const char *text, const char *flag, uint64_t *out_bytes, struct err *e);

#endif
