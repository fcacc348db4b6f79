/*
 * mcp_header - compare headers of MCP with the body.
 *
 * From 2026-07-28 on, headers repeat the method and the name of a request, so that proxies need not
 * read bodies. A value that is not plain ASCII text is encoded as "=?base64?...?=".
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_MCP_HEADER_H
#define GLOVEBOX_SERVE_MCP_HEADER_H

#include <stdbool.h>

/* @header  from a client; NULL: missing, which matches nothing. @value  UTF-8. */
bool mcp_header_says(const char *header, const char *value);

#endif
