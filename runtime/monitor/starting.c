/*
 * starting - start the program that a client's request names.
 */
#include "monitor/starting.h"

#include "base/own.h"
#include "inside/door.h"
#include "sandbox/door.h"
#include "workspace/mover_file.h"

/*
 * The arena of a spec is the sandbox's: a request has arrays of its own. Owned.
 * @first  before all others; NULL: nothing.
 */
static char **starting_words(const char *first, const struct form_list *list)
{
	const struct word *words = list->items;
	char **out = own_zeroed(list->count + 2, sizeof(*out));
	size_t count = 0;

	if (first)
		out[count++] = (char *)first;
	for (unsigned i = 0; i < list->count; i++)
		out[count++] = (char *)words[i].text;
	return out;
}

int starting_exec(struct run *run, const struct monitor_request *r, struct child *child,
		  uint32_t *exec, struct err *e)
{
	auto_free char **argv = starting_words(r->mover ? DOOR_PROGRAM : NULL, &r->argv);
	auto_free char **env = starting_words(NULL, &r->env);
	auto_fd int mover = -1;
	const bool reads_layers = r->mover && r->layers;
	const int layers = reads_layers && run ? run_layers(run) : -1;
	struct door_wish wish = {
		.argv = {argv, r->argv.count + r->mover},
		.env = {env,  r->env.count            },
		.workdir = *r->workdir ? r->workdir : NULL,
		.interactive = r->interactive,
		.tty = r->tty,
		.mute = r->mute && !reads_layers,
		.rows = (uint16_t)r->rows,
		.columns = (uint16_t)r->columns,
		.streams = reads_layers ? &layers : NULL
        };

	if (door_check(&wish, e))
		return -1;
	if (!run)
		return err_set(e, ERR_GONE, "the sandbox has ended");
	if (!run_has_started(run))
		return err_set(e, ERR_BUSY, "the sandbox is starting");
	if (reads_layers && layers < 0)
		return err_set(e, ERR_UNSUPPORTED, "the root of the sandbox cannot be changed");
	if (run_is_paused(run))
		return err_set(e, ERR_BUSY, "the sandbox is paused: unpause it first");
	if (r->mover)
		mover = mover_file(e);
	if (r->mover && mover < 0)
		return -1;
	wish.program = mover;
	return run_exec(run, &wish, child, exec, e);
}
