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

/* Longer replies are loops: what is behind it is not read. */
#define REPLY_BYTES (256 * 1024)

/*
 * reply_text - append the reply to *out without thinking, turn tokens and echoed roles.
 * Line ends become \n.
 *
 * Everything up to the last closing tag is thinking, wherever it began. Returns false if the
 * reply ends inside thinking: nothing is appended then.
 */
bool reply_text(const char *content, struct buf *out);

#endif
