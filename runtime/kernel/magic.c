/*
 * magic - cells that are about the session itself: %checkpoint NAME, %rollback NAME.
 */
#include "kernel/magic.h"

#include <string.h>

#define BLANKS " \t\r\n"
#define FORCE  "--force " /* also if that ends threads for good */

static const struct {
	const char *word;
	enum notebook_action action;
} magics[] = {
	{"%checkpoint", NOTEBOOK_CHECKPOINT},
	{"%rollback",   NOTEBOOK_ROLLBACK  },
};

int magic_read(const char *code, struct notebook_request *request, struct buf *text, struct err *e)
{
	const char *first = code + strspn(code, BLANKS);
	const size_t length = strcspn(first, BLANKS);
	const char *rest = first + length + strspn(first + length, " \t");
	const bool force = !strncmp(rest, FORCE, strlen(FORCE));
	const char *name = force ? rest + strlen(FORCE) : rest;
	const size_t name_length = strcspn(name, BLANKS);

	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++) {
		if (strlen(magics[i].word) != length || strncmp(first, magics[i].word, length) != 0)
			continue;
		if (!name_length || name[name_length + strspn(name + name_length, BLANKS)])
			return err_input(e, "%s NAME: one name, alone in its cell", magics[i].word);
		buf_add(text, name, name_length);
		request->action = magics[i].action;
		request->checkpoint = buf_string(text);
		request->force = force;
		request->call.timeout_ms = 0;
		request->call.output_max = 0;
		return 1;
	}
	return 0;
}
