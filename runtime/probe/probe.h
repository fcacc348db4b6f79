/*
 * probe - the program that `glovebox selftest` runs inside: what it was told, and how it answers.
 *
 * Small, static and without a libc, so that it runs in any image. It says one line per check:
 * layer, what was tried, "held" or "broken" and what it saw, with tabs between them; the first line
 * is "begun", the last one "end". It trusts nothing that it could not try by itself.
 *
 * Runs: the program of a sandbox. Needs: nothing.
 */
#ifndef GLOVEBOX_PROBE_PROBE_H
#define GLOVEBOX_PROBE_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#define PROBE_NO_NUMBER (-1000000L)                /* for probe_say(): there is none to be said */
#define PROBE_ALLOWED   999                        /* an answer of the filter's */
#define PROBE_SECRET    "GLOVEBOX_SELFTEST_SECRET" /* a variable of the caller's */

/* The value of an argument "name=value"; NULL: it was not given. */
const char *probe_option(const char *name);
long probe_number(const char *name);

/* The whole environment, ends with NULL. */
char **probe_environment(void);

bool probe_same(const char *a, const char *b);
bool probe_begins(const char *text, const char *start);

/* The decimal number that a text begins with; *text moves behind it. */
long probe_digits(const char **text);

/* The beginning of a file, terminated. Returns its length or a negative errno. */
long probe_read(const char *path, char *out, size_t size);

/* One line of the answer. @number: behind @saw, unless PROBE_NO_NUMBER. */
void probe_say(const char *layer, const char *what, bool held, const char *saw, long number);

/* The check of a call that must fail: what it returned. */
void probe_must_fail(const char *layer, const char *what, long result);

/* Run it in a child. Returns its wait status; a negative errno if there is no child. */
long probe_in_child(long (*body)(long argument), long argument);

/* Its own namespaces, a line each: "user=user:[4026531837]". */
void walls_tell_namespaces(void);
void walls_compare_namespaces(void); /* they are not those of its options */

/* The checks, in the order in which they are made. */
void inherited_check(void);    /* what the caller had */
void inherited_terminal(void); /* with -t: what it has instead */
void walls_check(void);        /* namespaces, the root, rights */
void calls_check(void);        /* the filter, call by call */
void calls_tell_own(void);     /* without it: what the kernel would not answer like a filter */

/* One load each: they meet a limit, or say that they did not. */
void load_memory(void);
void load_processes(void);
void load_cpu(void);
void load_output(void);
void load_wait(void);
void load_sockets(void);
void load_socket_count(void);

#endif
