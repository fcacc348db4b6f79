/*
 * reply_text - a reply without what a server should have taken out of it.
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
 * ends inside thinking (thinking.h): then nothing is appended.
 */
bool reply_text(const char *content, struct buf *out);

#endif
