/*
 * http_encoding - whether a reply may come packed (RFC 9110, 12.5.3).
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_HTTP_ENCODING_H
#define GLOVEBOX_SERVE_HTTP_ENCODING_H

#include <stdbool.h>

/*
 * http_encoding_has_gzip - whoever asks takes gzip, by its name or by "*", and not with "q=0".
 *
 * @accepted  the value of Accept-Encoding, from a stranger; NULL: none. What is not understood in
 * it is not asked for.
 */
bool http_encoding_has_gzip(const char *accepted);

#endif
