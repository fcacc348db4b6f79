/*
 * hostname - names of hosts, in the one spelling in which they are compared.
 *
 * A name of a list, of a DNS question, of TLS's server_name and of HTTP's Host goes through
 * host_name_canonical() before anything is decided; afterwards equal names are equal strings.
 *
 * No side effects. Runs: egress, and whoever reads a list. Needs: nothing.
 */
#ifndef GLOVEBOX_BASE_HOSTNAME_H
#define GLOVEBOX_BASE_HOSTNAME_H

#include <stdbool.h>
#include <stddef.h>

#define HOST_NAME_SIZE 254 /* RFC 1035: 253 characters as text, and a NUL */
#define HOST_LABEL_MAX 63  /* characters of one label */

/*
 * host_name_canonical - lower case, without the dot at the end.
 *
 * @text  borrowed, `size` bytes, hostile; it need not end with a NUL, and one inside is refused.
 * @out   set on success only.
 * Labels are 1 to 63 of letters, digits, "-" and "_", and "-" is neither first nor last. What
 * somebody could take for an IPv4 address (its last label is a number, decimal or after "0x") is
 * no name. Names in Unicode come as "xn--".
 *
 * Returns 0 or -1.
 */
int host_name_canonical(const char *text, size_t size, char out[HOST_NAME_SIZE])
	__attribute__((nonnull));

/* host_name_pattern_canonical - the same for a pattern: a name, or "*." and a name. */
int host_name_pattern_canonical(const char *text, size_t size, char out[HOST_NAME_SIZE])
	__attribute__((nonnull));

/*
 * host_name_matches - whether a name is meant by a pattern; both canonical. "*.rest" means every
 * name with one label or more before ".rest", and never "rest" itself.
 */
bool host_name_matches(const char *pattern, const char *name) __attribute__((nonnull));

/*
 * host_name_wild_bytes - how many bytes of a name stand for the star of the pattern: what a query
 * can carry out. "a.bc.rest" for "*.rest" are 4. Without a star, or a match, there are none.
 */
size_t host_name_wild_bytes(const char *pattern, const char *name) __attribute__((nonnull));

#endif
