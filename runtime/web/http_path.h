/*
 * http_path - match the path of a request against a route, and extract the segments at its stars.
 *
 * A path is split at slashes before it is decoded: "%2F" belongs to a name.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_WEB_HTTP_PATH_H
#define GLOVEBOX_WEB_HTTP_PATH_H

#include <stdbool.h>

/*
 * @pattern  of a route: one star matches any non-empty segment; two stars, always last, match a
 *           non-empty rest with its slashes.
 */
bool http_path_fits(const char *pattern, const char *path);

/*
 * http_path_segments - decode the segments of a matching path at the stars of the pattern.
 * @out  has room for one more than the pattern has stars; owned by the caller, after an error, too.
 * -1: one contains a NUL, or an invalid percent sign.
 */
int http_path_segments(const char *pattern, const char *path, char **out);

#endif
