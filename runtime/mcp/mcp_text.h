/*
 * mcp_text - texts of strangers in a result, cut to what it may have.
 *
 * No side effects. Runs: mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_TEXT_H
#define GLOVEBOX_MCP_MCP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/terminal_text.h"

/* How many bytes of it, whole characters, take no more than `most` as a string of JSON. */
size_t mcp_text_fits(const char *bytes, size_t length, size_t most);

/* Cut it at its end. Returns whether something is missing. */
bool mcp_text_cut(struct buf *text, size_t most_bytes, size_t most_json);

/* Cut it at its beginning: what a traceback says stands at its end. */
bool mcp_text_cut_front(struct buf *text, size_t most_bytes);

/*
 * The line that a program is writing, or else the last one before it that is not empty. NULL: there
 * is none. Owned by the caller.
 */
char *mcp_text_last_line(const struct terminal_text *shown, size_t most);

#define MCP_URI "glovebox:///" /* SESSION/PATH */

/* A file in a session, as a URI. */
void mcp_text_put_uri(struct buf *out, const char *key, const char *handle, const char *path);

/* What a file is by the end of its name. */
const char *mcp_text_type(const char *path);

/* The blocks of a content (base/json_put.h). */
void mcp_text_put_block(struct buf *out, const struct buf *text);
void mcp_text_put_image(struct buf *out, const char *type, const struct buf *base64);

#endif
