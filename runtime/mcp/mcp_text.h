/*
 * mcp_text - foreign texts in a result, cut to their share of it.
 *
 * No side effects. Runs: mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_TEXT_H
#define GLOVEBOX_MCP_MCP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/terminal_text.h"

/* How many bytes, in whole characters, take at most `most` bytes as a JSON string. */
size_t mcp_text_fits(const char *bytes, size_t length, size_t most);

/* Cut the end of a text. Returns whether bytes were cut. */
bool mcp_text_cut(struct buf *text, size_t most_bytes, size_t most_json);

/* Cut the beginning of a text: a traceback names the error at its end. */
bool mcp_text_cut_front(struct buf *text, size_t most_bytes);

/*
 * Return the line that the program is writing, or the last non-empty line before it; NULL if there
 * is none. The caller owns it.
 */
char *mcp_text_last_line(const struct terminal_text *shown, size_t most);

#define MCP_URI "glovebox:///" /* SESSION/PATH */

/* Put the URI of a file in a session. */
void mcp_text_put_uri(struct buf *out, const char *key, const char *handle, const char *path);

/* Return the MIME type for a file's extension. */
const char *mcp_text_type(const char *path);

/* Put blocks of a content (base/json_put.h). */
void mcp_text_put_block(struct buf *out, const struct buf *text);
void mcp_text_put_image(struct buf *out, const char *type, const struct buf *base64);

#endif
