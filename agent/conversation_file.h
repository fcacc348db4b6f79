/*
 * conversation_file - what was said, kept in a file: /save and /load.
 *
 * One JSON object: {"glovebox_conversation": 1, "model": NAME, "messages": [...]}, whose messages
 * are as in a transcript, with the cells of agent/show/cells.h. Variables are not in it. A name
 * that ends in .ipynb is that of a notebook, which cannot be loaded again.
 *
 * Touches the OS: writes and reads the file; no link is followed that a program may have made
 * (base/trusted_path.h).
 */
#ifndef GLOVEBOX_AGENT_CONVERSATION_FILE_H
#define GLOVEBOX_AGENT_CONVERSATION_FILE_H

#include "agent/show/cells.h"
#include "agent/tell/conversation.h"
#include "base/err.h"

/* A file that is there is replaced as a whole, if it is such a file. */
int conversation_file_save(const struct conversation *c, const struct cells *cells,
			   const char *model, const char *path, struct err *e);

/*
 * @out    on success owned: conversation_fini().
 * @cells  gets those of the file, in the place of what it has.
 */
int conversation_file_load(const char *path, struct conversation *out, struct cells *cells,
			   struct err *e);

#endif
