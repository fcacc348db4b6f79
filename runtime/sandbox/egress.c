/*
 * egress - start the process that serves one sandbox's network.
 */
#include "sandbox/egress.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_put.h"
#include "base/own.h"
#include "fs/trusted_path.h"
#include "loop/fd.h"
#include "net/message.h"
#include "sandbox/egress_process.h"

/* The descriptors that go along: those of published ports in the order of the list, then the log.
 */
static int egress_begin_with(const struct egress_spec *spec, const char *id, int log,
			     const struct published *ports, struct egress *x, struct err *e)
{
	auto_buf struct buf request = {0};
	struct egress_spec bound = *spec;
	int more[EGRESS_ORDER_FDS];

	memcpy(more, ports->fds, ports->count * sizeof(*more));
	more[ports->count] = log;
	bound.published = (struct egress_published *)ports->ports;
	bound.published_count = ports->count;
	json_put_begin(&request, NULL, '{');
	json_put_text(&request, "op", "begin");
	json_put_text(&request, "sandbox", id);
	egress_to_json(&bound, &request);
	json_put_end(&request, '}');
	return egress_order_send(x->control, &request, more, ports->count + (log >= 0), &x->order,
				 e);
}

static int egress_begin(const struct egress_spec *spec, const char *id, struct egress *x,
			struct err *e)
{
	auto_fd int log = -1;
	struct published ports;
	struct stat st;
	int bad;

	if (spec->log.text) {
		/* Mode 0600: the log names the hosts that the program looked up. */
		log = trusted_path_write(spec->log, LINKS_OF_CALLER, O_TRUNC, 0600, e);
		if (log < 0)
			return err_prefix(e, "--egress-log");
	}
	if (log >= 0 && (fstat(log, &st) || !S_ISREG(st.st_mode)))
		return err_input(e, "--egress-log %.300s is not an ordinary file", spec->log.text);
	if (published_listen(spec->published, spec->published_count, &ports, e))
		return -1;
	bad = egress_begin_with(spec, id, log, &ports, x, e);
	memcpy(x->published, ports.ports, sizeof(x->published));
	x->published_count = ports.count;
	published_close(&ports);
	return bad;
}

int egress_prepare(const char *program, const struct egress_spec *spec, const char *id,
		   enum egress_life life, struct egress *out, struct err *e)
{
	*out = egress_none();
	if (access(program, X_OK))
		return err_set(e, ERR_UNSUPPORTED,
			       "%s is not installed: its package has it (docs/install.md)",
			       EGRESS_PROGRAM);
	out->program = own_strdup(program);
	out->life = life;
	if (message_pair(SOCK_SEQPACKET, &out->control, &out->ends[0]) ||
	    message_pair(SOCK_SEQPACKET, &out->inner, &out->ends[1]))
		err_sys(e, "make a socket for %s", EGRESS_PROGRAM);
	else if (!egress_begin(spec, id, out, e))
		return 0;
	egress_end(out);
	return -1;
}

int egress_start(struct egress *x, const struct cgroup *group, struct err *e)
{
	const struct egress_program program = {x->program, x->ends[0], x->ends[1], x->life};

	if (x->ends[0] < 0)
		return 0;
	egress_order_wait_from_now(&x->order);
	if (egress_process_start(&program, group, &x->pid, e))
		return -1;
	own_close(&x->ends[0]);
	own_close(&x->ends[1]);
	return 0;
}

int egress_look(struct egress *x, struct err *e)
{
	auto_json struct json *answer = NULL;

	int got;

	if (x->order.answer < 0)
		return 1;
	got = egress_order_look(&x->order, &answer, e);
	if (got)
		egress_order_end(&x->order);
	return got;
}

int egress_await(struct egress *x, struct err *e)
{
	int begun;

	while (!(begun = egress_look(x, e)))
		(void)fd_await(x->order.answer, POLLIN, x->order.end_us);
	return begun < 0 ? -1 : 0;
}

void egress_end(struct egress *x)
{
	own_close(&x->control);
	own_close(&x->inner);
	egress_order_end(&x->order);
	own_close(&x->ends[0]);
	own_close(&x->ends[1]);
	free(x->program);
	x->program = NULL;
	if (x->pid)
		egress_process_end(x->pid);
	x->pid = 0;
}
