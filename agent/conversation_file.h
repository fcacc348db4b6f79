/*
 * conversation_file - save and load a conversation: /save and /load.
 *
 * One JSON object: {"glovebox_conversation": 1, "model": NAME, "messages": [...]}, with messages as
 * in a transcript, and the cells of agent/show/cells.h. Variables are not saved. A name that ends
 * in .ipynb saves a notebook, which cannot be loaded.
 *
 * Touches the OS: writes and reads the file; does not follow links that a program may have made
 * (fs/trusted_path.h).
 */
#ifndef GLOVEBOX_AGENT_CONVERSATION_FILE_H
#define GLOVEBOX_AGENT_CONVERSATION_FILE_H

#include "agent/show/cells.h"
#include "agent/tell/conversation.h"
#include "base/err.h"

/* Save; an existing file is replaced as a whole, if /save has written it. */
int conversation_file_save(const struct conversation *c, const struct cells *cells,
			   const char *model, const char *path, struct err *e);

/*
 * @out    on success owned: conversation_fini().
 * @cells  gets those of the file in place of its own.
 */
int conversation_file_load(const char *path, struct conversation *out, struct cells *cells,
			   struct err *e);

#endif
