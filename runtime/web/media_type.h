/*
 * media_type - the type of a body, and the types that a client accepts, from headers (RFC 9110).
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_WEB_MEDIA_TYPE_H
#define GLOVEBOX_WEB_MEDIA_TYPE_H

#include <stdbool.h>

/* Whether a Content-Type is this type, with any parameters. @header  NULL: missing; false. */
bool media_type_is(const char *header, const char *type);

/* Whether an Accept includes this type. @header  NULL: missing; true. */
bool media_type_is_accepted(const char *header, const char *type);

#endif
