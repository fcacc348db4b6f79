/*
 * media_type - what a body is, and what a client takes, as its headers say it (RFC 9110).
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_MEDIA_TYPE_H
#define GLOVEBOX_SERVE_MEDIA_TYPE_H

#include <stdbool.h>

/* Whether a Content-Type is this type, whatever its parameters. @header  NULL: not there; false. */
bool media_type_is(const char *header, const char *type);

/* Whether an Accept has this type, or a range with it. @header  NULL: not there; true. */
bool media_type_is_accepted(const char *header, const char *type);

#endif
