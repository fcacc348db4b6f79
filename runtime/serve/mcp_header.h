/*
 * mcp_header - whether a header of MCP says what the body says.
 *
 * From 2026-07-28 on, what a request is about stands in headers as well, so that proxies need not
 * read bodies. A value that is no plain text of ASCII is written as "=?base64?...?=".
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_MCP_HEADER_H
#define GLOVEBOX_SERVE_MCP_HEADER_H

#include <stdbool.h>

/* @header  from a stranger; NULL: it is not there; then it says nothing. @value  UTF-8. */
bool mcp_header_says(const char *header, const char *value);

#endif
