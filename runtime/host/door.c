/*
 * door - start programs in a sandbox that stays, through its pid 1.
 */
#include "host/door.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/message.h"
#include "base/own.h"
#include "host/plan_image.h"
#include "host/spawn.h"
#include "inside/door.h"

/* Append the plan's streams. Returns the number of descriptors. */
static unsigned door_add_streams(const struct inside_plan *plan, int *fds, unsigned count)
{
	for (unsigned i = 0; i < 3; i++) {
		if (plan->stdio[i] >= 0)
			fds[count++] = plan->stdio[i];
	}
	return count;
}

static int door_send(int control, uint32_t exec, const struct inside_plan *plan, struct child *c,
		     struct err *e)
{
	struct order order = {.kind = ORDER_EXEC, .exec = exec};
	int fds[DOOR_MORE + 1 + 3];
	auto_fd int image = -1;
	unsigned trees;
	unsigned count;

	if (message_pair(SOCK_SEQPACKET, &c->reports, &c->theirs[CHILD_THEIRS - 1]))
		return err_sys(e, "make a socket for the program's reports");
	if (plan_image_make(plan, &image, &order.plan_bytes, NULL, 0, &trees, e))
		return -1;
	fds[DOOR_REPORTS] = c->theirs[CHILD_THEIRS - 1];
	fds[DOOR_PLAN] = image;
	if (plan->channel_fd >= 0)
		fds[DOOR_MORE] = plan->channel_fd;
	order.program_count = plan->channel_fd >= 0;
	count = door_add_streams(plan, fds, DOOR_MORE + order.program_count);
	order.stdio_count = count - DOOR_MORE - order.program_count;
	if (message_send(control, &order, sizeof(order), fds, count, MSG_DONTWAIT) >= 0)
		return 0;
	return errno == EAGAIN ? err_set(e, ERR_BUSY, "the sandbox takes no program now: try again")
			       : err_sys(e, "order a program");
}

/* A program behind the door needs only a part of the plan: pid 1 has done the rest. */
static struct inside_plan door_plan(const struct inside_plan *of)
{
	struct inside_plan plan = *of;

	plan.ops = NULL;
	plan.op_count = 0;
	plan.egress_port_count = 0;
	plan.filter = (struct sock_fprog){0};
	return plan;
}

int door_start_first(const struct inside_plan *plan, struct child *child, struct err *e)
{
	const struct inside_plan bare = door_plan(plan);

	return door_send(child->control, DOOR_FIRST, &bare, child, e);
}

/* Whether a later one sets the same variable. */
static bool door_is_replaced(const struct string_list *list, size_t i)
{
	const size_t name = strcspn(list->items[i], "=") + 1;

	for (size_t k = i + 1; k < list->count; k++) {
		if (!strncmp(list->items[i], list->items[k], name))
			return true;
	}
	return false;
}

/* The sandbox's variables but those that the program has itself, then its own. Owned: the array. */
static char **door_variables(char *const *theirs, const struct string_list *own)
{
	char **out;
	size_t count = 0;

	while (theirs[count])
		count++;
	out = own_zeroed(count + own->count + 1, sizeof(*out));
	for (count = 0; *theirs; theirs++) {
		const size_t name = strcspn(*theirs, "=") + 1;
		bool replaced = false;

		for (size_t k = 0; k < own->count; k++)
			replaced |= !strncmp(*theirs, own->items[k], name);
		if (!replaced)
			out[count++] = *theirs;
	}
	for (size_t k = 0; k < own->count; k++) {
		if (!door_is_replaced(own, k))
			out[count++] = own->items[k];
	}
	return out;
}

/* As for the sandbox itself: the last PATH counts. */
static const char *door_search_path(char *const *variables)
{
	const char *path = "";

	for (; *variables; variables++) {
		if (!strncmp(*variables, "PATH=", 5))
			path = *variables + 5;
	}
	return path;
}

int door_exec(const struct inside_plan *of, const struct idmap *map, int control, uint32_t exec,
	      const struct door_wish *wish, struct child *out, struct err *e)
{
	struct inside_plan plan = door_plan(of);
	auto_free char **variables = door_variables(of->envp, &wish->env);
	struct idmap humble = *map;

	/* A monitor that runs has no right to give a pipe away: whatever sees it may open it. */
	humble.privileged = false;
	plan.argv = wish->argv.items;
	plan.envp = variables;
	plan.search_path = door_search_path(variables);
	plan.workdir = wish->workdir ? wish->workdir : plan.workdir;
	plan.channel_fd = wish->program;
	plan.tty = wish->tty;
	plan.tty_rows = wish->rows;
	plan.tty_columns = wish->columns;
	for (int i = 0; i < 3; i++)
		plan.stdio[i] = -1;
	if (!wish->mute && child_streams(&plan, &humble, wish->interactive, out, e))
		return -1;
	if (door_send(control, exec, &plan, out, e))
		return -1;
	child_parted(out); /* they are on their way */
	return 0;
}
