/*
 * percent - percent-encoding (RFC 3986, 2.1).
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_WEB_PERCENT_H
#define GLOVEBOX_WEB_PERCENT_H

/*
 * percent_decode - decode a text in place.
 * -1: an encoded NUL, or a percent sign without two digits; the text is modified even then.
 */
int percent_decode(char *text);

#endif
