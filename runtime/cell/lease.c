/*
 * lease - a warm cell for one run: taken from the supervisor, then ours alone.
 */
#include "cell/lease.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/json.h"
#include "base/message.h"
#include "base/own.h"
#include "cell/answer_await.h"
#include "cell/key.h"
#include "cell/plan_image.h"
#include "cell/runtime_dir.h"
#include "cell/wire.h"
#include "host/tree.h"
#include "inside/cell.h"
#include "inside/packet.h"

#define ANSWER_MS 40000 /* longer than the supervisor lets anybody wait */

static int ask(int socket, const struct buf *key, enum lease_use use, struct wire_message *answer,
	       struct err *e)
{
	auto_buf struct buf text = {0};

	buf_printf(&text, "{\"op\":\"%s\",\"key\":", use == LEASE_LOOK ? "fit" : "cell");
	buf_json_string(&text, key->data, key->length);
	buf_text(&text, "}");
	if (wire_send(socket, text.data, text.length, NULL, 0, e))
		return -1;
	return answer_await(socket, ANSWER_MS, answer, e);
}

/* Descriptors: pidfd, control, start, then the cgroup's directories. */
static int accept_cell(struct wire_message *m, const struct json *answer, enum lease_use use,
		       struct lease *out, struct err *e)
{
	const char *group = "";
	uint64_t uid = 0;
	uint64_t gid = 0;

	if (json_get_string(answer, "group", &group, e) || json_get_uint(answer, "uid", &uid, e) ||
	    json_get_uint(answer, "gid", &gid, e) ||
	    json_get_uint(answer, "nofile", &out->nofile, e))
		return -1;
	out->host_uid = (uint32_t)uid;
	out->host_gid = (uint32_t)gid;
	if (use == LEASE_LOOK)
		return 0;
	if (m->fd_count < 3 || m->fd_count > 3 + CGROUP_MAX_FDS)
		return err_set(e, ERR_SYSTEM, "the warm supervisor sent no cell");
	out->pidfd = wire_take(m, 0);
	out->control = wire_take(m, 1);
	out->start = wire_take(m, 2);
	out->group_count = m->fd_count - 3;
	for (unsigned i = 0; i < out->group_count; i++)
		out->groups[i] = wire_take(m, 3 + i);
	snprintf(out->group, sizeof(out->group), "%.79s", group);
	return 0;
}

static int read_answer(struct wire_message *m, enum lease_use use, struct lease *out,
		       const char **reason, struct err *e)
{
	auto_json struct json *answer = json_parse(buf_string(&m->text), m->text.length, e);
	const char *refused = NULL;
	const char *busy = NULL;

	if (!answer || json_get_string(answer, "refused", &refused, e) ||
	    json_get_string(answer, "busy", &busy, e))
		return -1;
	if (busy)
		return err_set(e, ERR_UNSUPPORTED, "%.300s", busy);
	if (!refused)
		return accept_cell(m, answer, use, out, e);
	err_set(e, ERR_UNSUPPORTED, "%.300s", refused);
	*reason = e->text;
	return 1;
}

static int request(const struct buf *key, enum lease_use use, struct lease *out,
		   const char **reason, struct err *e)
{
	auto_fd int socket = -1;
	struct wire_message answer;
	int found = runtime_dir_connect(&socket, e);

	if (found > 0)
		*reason = "no warm supervisor is running (glovebox warm start)";
	if (found)
		return found;
	if (ask(socket, key, use, &answer, e))
		return -1;
	found = read_answer(&answer, use, out, reason, e);
	wire_fini(&answer);
	return found;
}

/* -- the run ----------------------------------------------------------------------------- */

static int send_start(const struct lease *lease, const struct inside_plan *plan, struct err *e)
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
	if (plan_image_make(plan, &plan_fd, &order.plan_bytes, fds + count, PACKET_MAX_FDS - count,
			    &order.tree_count, e))
		return -1;
	fds[0] = plan_fd;
	count += order.tree_count;
	if (message_send(lease->start, &order, sizeof(order), fds, count, 0) < 0)
		return err_sys(e, "send the plan to the cell");
	return 0;
}

/* Another copy of struct inside_plan, without the words that we stand in for. */
static int send_plan(const struct sandbox *s, const struct lease *lease, struct err *e)
{
	struct inside_plan plan = s->plan;

	plan.argv += lease->skip;
	return send_start(lease, &plan, e);
}

/* As sandbox_start(), for a cell. */
static int start(struct sandbox *s, struct child *child, struct err *e)
{
	struct lease *lease = s->source;

	*child = child_none();
	if (tree_clone(s->root.ops, s->root.count, TREE_ALL, e))
		return -1;
	child->adopted = true;
	child->pidfd = take_fd(&lease->pidfd);
	child->control = take_fd(&lease->control);
	if (cgroup_adopt(lease->group, lease->groups, lease->group_count, &s->spec->limits,
			 &s->cgroup, e)) {
		lease->group_count = 0;
		child_end(child);
		return -1;
	}
	lease->group_count = 0;
	if (child_streams(&s->plan, &s->map, s->spec->interactive, child, e) ||
	    send_plan(s, lease, e)) {
		child_end(child);
		return -1;
	}
	child_parted(child);
	own_close(&lease->start);
	return 0;
}

int lease_take(struct sandbox *s, enum lease_use use, struct lease *out, const char **reason,
	       struct err *e)
{
	bool session = use == LEASE_SESSION;
	auto_buf struct buf key = {0};
	uint64_t timeout_ms = 0;
	int found;

	*out = lease_none();
	*reason = session ? warm_refusal_of_limits(s) : warm_refusal(s, &out->skip, &timeout_ms);
	if (!*reason && warm_key(s, session ? "python3" : s->program.argv.items[out->skip], &key))
		*reason = WARM_NOT_A_PYTHON;
	if (*reason)
		return 1;
	found = request(&key, use, out, reason, e);
	if (found)
		return found;
	s->map.host_uid = out->host_uid;
	s->map.host_gid = out->host_gid;
	s->command_timeout_ms = timeout_ms;
	s->source = out;
	s->start = start;
	return 0;
}

/* Beside them go the plan, three streams and the channel. */
static bool has_too_many_binds(const struct root_plan *root)
{
	unsigned binds = 0;

	for (size_t i = 0; i < root->count; i++)
		binds += root->ops[i].kind == ROOT_BIND || root->ops[i].kind == ROOT_BASE;
	return binds > PACKET_MAX_FDS - 5;
}

const char *lease_check(const struct sandbox *s, const struct lease *lease)
{
	if (s->map.host_uid != lease->host_uid || s->map.host_gid != lease->host_gid)
		return "a mount's file system has no id-mapped mounts";
	if (s->rlimits_set[RLIMIT_NOFILE] && s->rlimits[RLIMIT_NOFILE].rlim_max > lease->nofile)
		return "the warm supervisor was started with a lower limit of open files";
	if (s->map.extra_uid_count || s->map.extra_gid_count)
		return "a tmpfs belongs to another user";
	if (has_too_many_binds(&s->root))
		return "it has more mounts than one message carries";
	return NULL;
}

void lease_drop(struct lease *lease)
{
	own_close(&lease->control); /* its pid 1 sees that and ends */
	own_close(&lease->start);
	own_close(&lease->pidfd);
	for (unsigned i = 0; i < lease->group_count; i++)
		own_close(&lease->groups[i]);
	lease->group_count = 0;
}
