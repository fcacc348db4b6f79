/*
 * percent - percent-encoding (RFC 3986, 2.1).
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_PERCENT_H
#define GLOVEBOX_SERVE_PERCENT_H

/*
 * percent_decode - decode a text in place.
 * -1: it contains an encoded NUL, or a percent sign that begins no byte; it is changed then, too.
 */
int percent_decode(char *text);

#endif
