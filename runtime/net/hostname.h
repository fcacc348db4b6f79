/*
 * hostname - canonical spelling and comparison of host names.
 *
 * Names of lists, DNS questions, TLS's server_name and HTTP's Host pass through
 * host_name_canonical() before any decision; afterwards equal names are equal strings.
 *
 * No side effects. Runs: egress, and readers of lists. Needs: nothing.
 */
#ifndef GLOVEBOX_NET_HOSTNAME_H
#define GLOVEBOX_NET_HOSTNAME_H

#include <stdbool.h>
#include <stddef.h>

#define HOST_NAME_SIZE 254 /* RFC 1035: 253 characters as text, and a NUL */
#define HOST_LABEL_MAX 63  /* characters of one label */

/*
 * host_name_canonical - lower case, without the dot at the end.
 *
 * @text  borrowed, `size` bytes, hostile; it need not end with a NUL; a NUL inside is refused.
 * @out   set on success only.
 * Labels are 1 to 63 of letters, digits, "-" and "_", and "-" is neither first nor last. A text
 * that could be taken for an IPv4 address (its last label is a number, decimal or after "0x") is
 * refused. Names in Unicode come as "xn--".
 *
 * Returns 0 or -1.
 */
int host_name_canonical(const char *text, size_t size, char out[HOST_NAME_SIZE])
	__attribute__((nonnull));

/* host_name_pattern_canonical - the same for a pattern: a name, or "*." and a name. */
int host_name_pattern_canonical(const char *text, size_t size, char out[HOST_NAME_SIZE])
	__attribute__((nonnull));

/*
 * host_name_matches - whether a pattern matches a name; both canonical. "*.rest" matches every name
 * with one or more labels before ".rest", but not "rest" itself.
 */
bool host_name_matches(const char *pattern, const char *name) __attribute__((nonnull));

/*
 * host_name_wild_bytes - how many bytes of a name the star matches: the data that a query can carry
 * out. "a.bc.rest" for "*.rest": 4. Without a star, or a match: 0.
 */
size_t host_name_wild_bytes(const char *pattern, const char *name) __attribute__((nonnull));

#endif
