/*
 * http_path - whether the path of a request is a route's, and what stands where that has stars.
 *
 * A path is cut at its slashes before anything in it is decoded: "%2F" is a part of a name.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_HTTP_PATH_H
#define GLOVEBOX_SERVE_HTTP_PATH_H

#include <stdbool.h>

/*
 * @pattern  of a route: a segment that is a star is any that is not empty; two stars, which come
 *           last, are the whole rest, slashes and all, if that is not empty.
 */
bool http_path_fits(const char *pattern, const char *path);

/*
 * http_path_segments - the segments of a path that fits, where the pattern has stars, decoded.
 * @out  room for one more than the pattern has; owned by the caller, also after an error.
 * -1: one contains a NUL, or a percent sign that begins no byte.
 */
int http_path_segments(const char *pattern, const char *path, char **out);

#endif
