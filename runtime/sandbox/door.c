/*
 * door - start programs in a sandbox that stays, through its pid 1.
 */
#include "sandbox/door.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "inside/door.h"
#include "inside/plan_map.h"
#include "net/message.h"
#include "sandbox/plan_image.h"
#include "sandbox/spawn.h"

/* Append the plan's streams. Returns the number of descriptors. */
static unsigned door_add_streams(const struct inside_plan *plan, int *fds, unsigned count)
{
	for (unsigned i = 0; i < 3; i++) {
		if (plan->stdio[i] >= 0)
			fds[count++] = plan->stdio[i];
	}
	return count;
}

/* Where the reports of a program go to. @ends: the socket for its end is wanted. */
static int door_make_sockets(struct child *c, bool ends, struct err *e)
{
	int *theirs = c->theirs + CHILD_THEIRS;

	if (message_pair(SOCK_SEQPACKET, &c->reports, &theirs[-1]) ||
	    (ends && message_pair(SOCK_SEQPACKET, &c->ends, &theirs[-2])))
		return err_sys(e, "make a socket for the program's reports");
	return 0;
}

static int door_send(const struct door *door, uint32_t exec, const struct inside_plan *plan,
		     struct child *c, struct err *e)
{
	struct order order = {.kind = ORDER_EXEC, .exec = exec, .end_count = door->is_shared};
	int fds[DOOR_MORE + 1 + 3 + 1];
	auto_fd int image = -1;
	unsigned trees;
	unsigned count;

	if (door_make_sockets(c, door->is_shared, e) ||
	    plan_image_make(plan, &image, &order.plan_bytes, NULL, 0, &trees, e))
		return -1;
	fds[DOOR_REPORTS] = c->theirs[CHILD_THEIRS - 1];
	fds[DOOR_PLAN] = image;
	if (plan->channel_fd >= 0)
		fds[DOOR_MORE] = plan->channel_fd;
	order.program_count = plan->channel_fd >= 0;
	count = door_add_streams(plan, fds, DOOR_MORE + order.program_count);
	order.stdio_count = count - DOOR_MORE - order.program_count;
	if (door->is_shared)
		fds[count++] = c->theirs[CHILD_THEIRS - 2];
	if (message_send(door->control, &order, sizeof(order), fds, count, MSG_DONTWAIT) >= 0)
		return 0;
	/* Its end is about to be seen; with orders that it has not read it is a reset. */
	if (errno == EPIPE || errno == ECONNRESET)
		return err_set(e, ERR_GONE, "the sandbox has ended");
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
	const struct door door = {.control = child->control};

	return door_send(&door, DOOR_FIRST, &bare, child, e);
}

int door_check(const struct door_wish *wish, struct err *e)
{
	char *const *env = wish->env.items;

	if (!wish->argv.count || !*wish->argv.items[0])
		return err_input(e, "a command is needed");
	if (wish->workdir && *wish->workdir != '/')
		return err_input(e, "the working directory %.100s is not absolute", wish->workdir);
	for (size_t i = 0; i < wish->env.count; i++) {
		if (!strchr(env[i], '=') || *env[i] == '=')
			return err_input(e, "\"%.100s\" sets nothing: KEY=VALUE does", env[i]);
	}
	return 0;
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

int door_exec(const struct door *door, uint32_t exec, const struct door_wish *wish,
	      struct child *out, struct err *e)
{
	struct inside_plan plan = door_plan(door->plan);
	auto_free char **variables = door_variables(door->plan->envp, &wish->env);
	/* A monitor that runs has no right to give a pipe away: whatever sees it may open it. */
	const struct idmap humble = {.host_uid = door->host_uid};

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
	for (int i = 0; wish->streams && i < (wish->mute ? 3 : 1); i++)
		plan.stdio[i] = wish->streams[i];
	if (door_send(door, exec, &plan, out, e))
		return -1;
	child_parted(out); /* they are on their way */
	return 0;
}

/* The kernel does not say which of our own limits it was. */
void door_explain(struct err *e)
{
	if (e->no_process)
		err_set(e, ERR_LIMIT, "the sandbox has as many processes as it may: --pids-limit");
	else if (e->number == EUSERS)
		err_set(e, ERR_LIMIT, "the sandbox runs %d programs already", DOOR_PROGRAMS);
}

/* -- the door of a session ------------------------------------------------------------------- */

/* Trees are mounted already: what remains of an operation is where the program may write. */
static struct root_op *door_bare_ops(const struct inside_plan *of)
{
	struct root_op *ops = own_zeroed(of->op_count + 1, sizeof(*ops));

	for (size_t i = 0; i < of->op_count; i++)
		ops[i] = (struct root_op){.path = of->ops[i].path,
					  .landlock_write = of->ops[i].landlock_write,
					  .is_file = of->ops[i].is_file,
					  .tree_fd = -1};
	return ops;
}

int door_open(const struct inside_plan *of, int control, int root, int *out, struct err *e)
{
	struct order order = {.kind = ORDER_DOOR};
	struct inside_plan plan = *of;
	auto_free struct root_op *ops = door_bare_ops(of);
	auto_fd int image = -1;
	int fds[DOOR_OPENING_FDS];
	unsigned trees;

	plan.ops = ops;
	plan.stays = true;
	plan.egress_port_count = 0;
	if (plan_image_make(&plan, &image, &order.plan_bytes, NULL, 0, &trees, e))
		return -1;
	/* Later clients map it. */
	if (fcntl(image, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL))
		return err_sys(e, "seal the plan of the session");
	fds[DOOR_OPENING_PLAN] = image;
	fds[DOOR_OPENING_ROOT] = root;
	if (message_send(control, &order, sizeof(order), fds, DOOR_OPENING_FDS, MSG_DONTWAIT) < 0)
		return err_sys(e, "open the door of the session");
	*out = take_fd(&image);
	return 0;
}

struct inside_plan *door_map(int fd, uint64_t *bytes, struct err *e)
{
	struct stat st;
	struct inside_plan *plan = NULL;
	uint32_t layout;

	if (pread(fd, &layout, sizeof(layout), 0) == sizeof(layout) &&
	    layout != plan_image_number()) {
		err_set(e, ERR_UNSUPPORTED,
			"the session is of another build of glovebox: end it, and glovebox warm "
			"stop and start make cells of this one");
		return NULL;
	}
	if (!fstat(fd, &st) && st.st_size >= (off_t)sizeof(*plan)) {
		*bytes = (uint64_t)st.st_size;
		plan = plan_map(fd, *bytes, NULL, 0);
	}
	if (!plan)
		err_set(e, ERR_SYSTEM, "cannot map the plan of the session");
	return plan;
}

void door_unmap(uint64_t bytes)
{
	plan_unmap(bytes);
}
