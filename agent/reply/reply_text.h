/*
 * reply_text - remove from a reply what a server should have removed.
 *
 * Theory of operation. Models think between tags, and servers that do not know the tags leave them
 * in the reply: both, or only the closing one, if the opening one was in the prompt. So everything
 * up to the last closing tag is thinking; an opening tag after it means that the reply ended in
 * thinking.
 *
 * A tag in a string or a comment of a block of code is code, even in thinking, so mentioning a tag
 * does not turn a thought into code to run. In a closed block outside thinking, an opening tag is
 * text, and so is its closing tag; a closing tag alone ends thinking that began in the prompt.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_REPLY_TEXT_H
#define GLOVEBOX_AGENT_REPLY_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Longer replies are endless loops: ignore the rest. */
#define REPLY_BYTES (256 * 1024)

/*
 * reply_text - append the reply to *out without thinking, turn tokens and echoed roles, and with \n
 * line ends.
 *
 * Strings and comments in blocks of code are unchanged (prose.h). Returns false, and appends
 * nothing, if the reply ends inside thinking.
 */
bool reply_text(const char *content, struct buf *out);

/* Append a NUL-terminated text, with its line ends (\r\n, \r) as \n. */
void reply_line_ends(const char *text, size_t length, struct buf *out);

#endif
