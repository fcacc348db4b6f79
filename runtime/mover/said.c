/*
 * said - the answer to a question about files.
 */
#include "mover/said.h"

#include "inside/sys.h"
#include "mover/note.h"

struct files_said said;

void said_wrong(const char *path, enum files_wrong wrong)
{
	if (said.wrong)
		return;
	said.wrong = wrong;
	for (size_t i = 0; path && path[i] && i < FILES_SAID_PATH - 1; i++)
		said.path[i] = path[i];
}

void said_error(const char *path, long error)
{
	if (!said.wrong)
		said.error = (uint32_t)-error;
	said_wrong(path, FILES_FAILED);
}

/* It is smaller than a pipe, and nothing else goes there. */
void said_end(void)
{
	(void)sys_write(2, &said, sizeof(said));
	sys_exit(said.wrong ? NOTE_FAILED : NOTE_DONE);
}
