/*
 * reply_text - a reply without what a server should have taken out of it.
 *
 * Theory of operation. Models think between tags, and servers that do not know them leave them in
 * the reply: both, or only the closing one, because the opening one was in the prompt. So
 * everything up to the last closing tag is thinking, wherever it began; an opening tag after it
 * means that the reply ended in thinking.
 *
 * A tag in a string or a comment of a block of code is code, even in thinking: code that mentions
 * tags is no reason to run what was only a thought. In a closed block outside thinking, an opening
 * tag is text, and so is the closing one that belongs to it; a closing tag alone ends thinking
 * whose beginning was in the prompt.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_REPLY_TEXT_H
#define GLOVEBOX_AGENT_REPLY_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Longer replies are endless loops: the rest is not read. */
#define REPLY_BYTES (256 * 1024)

/*
 * reply_text - append the reply to *out without thinking, turn tokens and echoed roles. Line ends
 * become \n.
 *
 * Strings and comments in blocks of code are left as they are (prose.h). Returns false if the reply
 * ends inside thinking: then nothing is appended.
 */
bool reply_text(const char *content, struct buf *out);

/* Append a text that a NUL follows, its line ends (\r\n, \r) as \n. */
void reply_line_ends(const char *text, size_t length, struct buf *out);

#endif
