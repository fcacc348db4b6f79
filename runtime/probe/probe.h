/*
 * probe - the program that `glovebox selftest` runs inside: its arguments and its answers.
 *
 * It is small, static and without a libc, so that it runs in any image. It prints one line per
 * check: layer, the attempt, "held" or "broken" and what it saw, separated by tabs; the first line
 * is "begun", the last one "end". It trusts only what it has tried itself.
 *
 * Runs: the program of a sandbox. Needs: nothing.
 */
#ifndef GLOVEBOX_PROBE_PROBE_H
#define GLOVEBOX_PROBE_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#define PROBE_NO_NUMBER (-1000000L)                /* for probe_say(): without a number */
#define PROBE_ALLOWED   999                        /* an answer of the filter */
#define PROBE_SECRET    "GLOVEBOX_SELFTEST_SECRET" /* a variable of the caller */

/* The value of an argument "name=value"; NULL: not given. */
const char *probe_option(const char *name);
long probe_number(const char *name);

/* The whole environment, ends with NULL. */
char **probe_environment(void);

bool probe_same(const char *a, const char *b);
bool probe_begins(const char *text, const char *start);

/* The decimal number at the start of a text; *text moves behind it. */
long probe_digits(const char **text);

/* Read the beginning of a file, terminated. Returns its length or a negative errno. */
long probe_read(const char *path, char *out, size_t size);

/* Print one line of the answer. @number: after @saw, unless PROBE_NO_NUMBER. */
void probe_say(const char *layer, const char *what, bool held, const char *saw, long number);

/* Check that a call failed; @result: what it returned. */
void probe_must_fail(const char *layer, const char *what, long result);

/* Run @body in a child. Returns its wait status; a negative errno if fork failed. */
long probe_in_child(long (*body)(long argument), long argument);

/* Print its own namespaces, a line each: "user=user:[4026531837]". */
void walls_tell_namespaces(void);
void walls_compare_namespaces(void); /* check that they differ from those of its options */

/* The checks, in their order. */
void inherited_check(void);    /* what the caller had */
void inherited_terminal(void); /* with -t: what it has instead */
void walls_check(void);        /* namespaces, the root, rights */
void calls_check(void);        /* the filter, call by call */
void calls_tell_own(void);     /* without it: calls whose own answer differs from a filter's */

/* One load each: it hits a limit, or reports that it did not. */
void load_memory(void);
void load_processes(void);
void load_cpu(void);
void load_output(void);
void load_wait(void);
void load_sockets(void);
void load_socket_count(void);

#endif
