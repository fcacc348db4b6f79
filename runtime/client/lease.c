/*
 * lease - take a warm cell from the supervisor for one run.
 */
#include "client/lease.h"

#include <sys/socket.h>

#include "base/own.h"
#include "cgroup/cgroup_members.h"
#include "inside/cell.h"
#include "inside/packet.h"
#include "net/message.h"
#include "root/tree.h"
#include "sandbox/plan_image.h"
#include "sandbox/socket_count.h"
#include "sandbox/spawn.h"
#include "wire/key.h"
#include "wire/operations.h"

#define FEWEST_PIDS 2 /* pid 1 and the program */

/*
 * Tell pid 1 what the cell is for; its program waits until the second order is read (cell.c). An
 * order that is not sent would leave pid 1 open.
 */
static int lease_lock(const struct lease *lease, struct err *e)
{
	int bad = child_order(lease->control, ORDER_GO, 0);

	if (!bad)
		bad = child_order(lease->control, ORDER_GO, 0);
	return bad ? err_set(e, ERR_GONE, "the warm cell has ended") : 0;
}

/* Take what the answer holds; OP_FIT holds no cell. */
static int lease_accept_cell(struct op_answer *answer, struct lease *out, struct err *e)
{
	struct wire_message *m = &answer->message;

	out->host_uid = (uint32_t)answer->cell.uid;
	out->host_gid = (uint32_t)answer->cell.gid;
	out->nofile = answer->cell.nofile;
	out->outdated = answer->cell.outdated;
	cgroup_copy_name(out->group.name, answer->cell.group);
	if (answer->op == OP_FIT)
		return 0;
	out->pidfd = wire_take(m, 0);
	out->control = wire_take(m, 1);
	out->start = wire_take(m, 2);
	out->group.count = m->fd_count - 3;
	if (answer->cell.users && out->group.count)
		out->users = wire_take(m, 3 + --out->group.count);
	for (unsigned i = 0; i < out->group.count; i++)
		out->group.dirs[i] = wire_take(m, 3 + i);
	return out->is_session ? 0 : lease_lock(out, e);
}

/* -- the run ----------------------------------------------------------------------------- */

static int lease_send_start(const struct lease *lease, const struct inside_plan *plan,
			    struct err *e)
{
	struct cell_start order = {0};
	auto_fd int plan_fd = -1;
	int fds[PACKET_MAX_FDS];
	unsigned count = 1;

	for (int i = 0; i < 3; i++) {
		if (plan->stdio[i] >= 0)
			fds[count++] = plan->stdio[i];
	}
	order.stdio_count = count - 1;
	if (plan->channel_fd >= 0)
		fds[count++] = plan->channel_fd;
	order.channel_count = plan->channel_fd >= 0;
	if (plan->egress_fd >= 0)
		fds[count++] = plan->egress_fd;
	order.egress_count = plan->egress_fd >= 0;
	if (plan_image_make(plan, &plan_fd, &order.plan_bytes, fds + count, PACKET_MAX_FDS - count,
			    &order.tree_count, e))
		return -1;
	fds[0] = plan_fd;
	count += order.tree_count;
	if (message_send(lease->start, &order, sizeof(order), fds, count, 0) < 0)
		return err_sys(e, "send the plan to the cell");
	return 0;
}

/*
 * A session ends by being killed. Another profile may kill the memory holder for its calls, and a
 * low limit of processes would count it as refused.
 */
static bool lease_may_end_early(const struct sandbox *s)
{
	return s->plan.channel_fd < 0 && s->spec->seccomp == SECCOMP_SHIPPED &&
	       s->spec->limits.pids > FEWEST_PIDS;
}

/* Send a changed copy of struct inside_plan, without the words of argv that we implement. */
static int lease_send_plan(const struct sandbox *s, const struct lease *lease, struct err *e)
{
	struct inside_plan plan = s->plan;

	plan.argv += lease->skip;
	plan.may_end_early = lease_may_end_early(s);
	return lease_send_start(lease, &plan, e);
}

/* Open the counters before the program runs, which may exit at once. */
static int lease_counters(const struct sandbox *s, const struct child *child)
{
	const bool is_session = s->plan.channel_fd >= 0;

	return is_session || egress_is_wanted(&s->spec->egress)
		       ? -1
		       : socket_count_counters(child->pidfd);
}

/*
 * Clone from the host what the cell would mount from its nursery: the kernel mounts no file that
 * was replaced.
 */
static void lease_bring_files(struct sandbox *s)
{
	for (size_t i = 0; i < s->root.count; i++)
		s->root.ops[i].in_image = false;
}

/* Replaces sandbox_start() for a cell. */
static int lease_start(struct sandbox *s, struct child *child, struct err *e)
{
	struct lease *lease = s->source;

	*child = child_none();
	if (lease->outdated)
		lease_bring_files(s);
	if (tree_clone(s->root.ops, s->root.count, TREE_ALL, e))
		return -1;
	child->adopted = true;
	child->pidfd = take_fd(&lease->pidfd);
	child->control = take_fd(&lease->control);
	if (cgroup_adopt(&lease->group, &s->limits, &s->cgroup, e))
		return -1;
	child->counters = lease_counters(s, child);
	if (egress_start(&s->egress, &s->cgroup, e) ||
	    child_streams(&s->plan, &s->map, s->spec->interactive, child, e) ||
	    lease_send_plan(s, lease, e))
		return -1;
	child_parted(child);
	own_close(&lease->start);
	return egress_await(&s->egress, e);
}

/*
 * A cell with an id of its own can neither read an ordinary user's private files nor write to any.
 * Root maps the mounts' owner to the cell's user instead. On cgroup v1 only root may move processes
 * of another id, and so freeze a session.
 */
static bool lease_needs_caller(const struct sandbox *s, bool is_session)
{
	if (s->map.privileged)
		return false;
	if (is_session && cgroup_can_wait())
		return true;
	for (size_t i = 0; i < s->spec->mount_count; i++) {
		if (s->spec->mounts[i].kind == MOUNT_BIND)
			return true;
	}
	return s->spec->writable; /* the image's owner is the user */
}

/* -- asking ------------------------------------------------------------------------------- */

int lease_ask_start(const char *where, struct sandbox *s, enum lease_use use, struct lease *out,
		    struct ask **ask, const char **reason)
{
	const bool session = use == LEASE_SESSION;
	auto_buf struct buf key = {0};
	struct cell_request wish;
	const char *python;

	*out = lease_none();
	out->is_session = session;
	*reason =
		session ? warm_refusal_of_limits(s) : warm_refusal(s, &out->skip, &out->timeout_ms);
	python = session ? "python3" : s->program.argv.items[out->skip];
	if (!*reason)
		*reason = warm_refusal_of_python(s, python);
	if (!*reason && warm_key(s, python, &key))
		*reason = WARM_NOT_A_PYTHON;
	if (*reason)
		return 1;
	wish = (struct cell_request){buf_string(&key), lease_needs_caller(s, session)};
	*ask = ask_start(where, -1, use == LEASE_LOOK ? OP_FIT : OP_CELL, &wish, NULL, 0);
	return 0;
}

/* Why no cell is free, from *e. Returns 1 if this is not an error. */
static int lease_read_refusal(const struct err *e, const char **reason)
{
	if (e->kind == ERR_NOT_FOUND)
		*reason = "no warm supervisor is running (glovebox warm start)";
	else if (e->kind == ERR_UNSUPPORTED)
		*reason = e->text; /* the supervisor serves other runs, but not this one */
	else
		return -1;
	return 1;
}

int lease_ask_end(struct sandbox *s, struct lease *out, struct ask *ask, const char **reason,
		  struct err *e)
{
	struct op_answer answer;
	int bad;

	if (ask_end(ask, NULL, &answer, e))
		return lease_read_refusal(e, reason);
	bad = op_answer_check_fds(&answer, e); /* on error the cell has no holder, and ends */
	if (!bad)
		bad = lease_accept_cell(&answer, out, e);
	op_answer_fini(&answer);
	if (bad) {
		lease_drop(out);
		return -1;
	}
	s->map.host_uid = out->host_uid;
	s->map.host_gid = out->host_gid;
	s->command_timeout_ms = out->timeout_ms;
	s->users = take_fd(&out->users);
	s->source = out;
	s->start = lease_start;
	return 0;
}

/*
 * Whether the binds' descriptors exceed one message, with the plan, three streams, the channel and
 * the network.
 */
static bool lease_has_too_many_binds(const struct root_plan *root)
{
	unsigned binds = 0;

	for (size_t i = 0; i < root->count; i++)
		binds += root->ops[i].kind == ROOT_BIND || root->ops[i].kind == ROOT_BASE;
	return binds > PACKET_MAX_FDS - 6;
}

const char *lease_check(const struct sandbox *s, const struct lease *lease)
{
	if (s->map.host_uid != lease->host_uid || s->map.host_gid != lease->host_gid)
		return "a mount's file system has no id-mapped mounts";
	if (s->rlimits_set[RLIMIT_NOFILE] && s->rlimits[RLIMIT_NOFILE].rlim_max > lease->nofile)
		return "the warm supervisor was started with a lower limit of open files";
	if (s->map.extra_uid_count || s->map.extra_gid_count)
		return "a tmpfs belongs to another user";
	if (lease_has_too_many_binds(&s->root))
		return "it has more mounts than one message carries";
	return NULL;
}

void lease_drop(struct lease *lease)
{
	struct child child = child_none();

	child.pidfd = lease->pidfd;
	child_kill(&child);
	cgroup_kill(&lease->group);
	own_close(&lease->control);
	own_close(&lease->start);
	own_close(&lease->pidfd);
	own_close(&lease->users);
	cgroup_ref_close(&lease->group);
}
