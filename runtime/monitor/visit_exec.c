/*
 * visit_exec - the requests of a monitor's clients that concern programs of its sandbox.
 */
#include <sys/socket.h>

#include "base/buf.h"
#include "base/own.h"
#include "monitor/starting.h"
#include "monitor/visit_parts.h"
#include "record/event.h"
#include "sandbox/spawn.h"

static int visit_exec_check(const struct visit *x, struct err *e)
{
	return x->exec ? err_input(e, "a connection is for one program") : 0;
}

static void visit_exec_tell(const struct visit *x, const struct monitor_request *r)
{
	const struct word *words = r->argv.items;
	auto_buf struct buf detail = {0};
	struct event event = {.action = "exec_create", .exec = x->exec};

	for (unsigned i = 0; i < r->argv.count; i++)
		buf_printf(&detail, "%s%s", i ? " " : "", words[i].text);
	event.detail = buf_string(&detail);
	record_tell(x->of->record, &event);
	event.action = "exec_start";
	record_tell(x->of->record, &event);
}

void visit_exec(struct visit *x, const struct monitor_request *r)
{
	struct child child = child_none();
	struct err e;

	if (visit_exec_check(x, &e) || starting_exec(x->of->run, r, &child, &x->exec, &e)) {
		visit_refuse(x, &e);
	} else {
		const struct monitor_answer answer = {.exec = x->exec};
		int fds[4];
		unsigned count = 0;

		idling_enter(&x->of->idling);
		if (!r->mover)
			programs_note(&x->of->programs, r, x->exec);
		fds[count++] = child.reports;
		if (child.input >= 0)
			fds[count++] = child.input;
		for (int i = 0; i < 2; i++) {
			if (child.output[i] >= 0)
				fds[count++] = child.output[i];
		}
		x->mover = r->mover;
		/* A client that cannot have its program's streams must not wait for them. */
		if (visit_send(x, &answer, fds, count))
			(void)shutdown(x->watch.fd, SHUT_RDWR);
		if (!r->mover)
			visit_exec_tell(x, r);
	}
	child_end(&child);
}

void visit_exec_keep(struct visit *x, const struct monitor_request *r)
{
	struct err e;

	if (visit_exec_check(x, &e)) {
		visit_refuse(x, &e);
		return;
	}
	x->waits = !programs_keep(&x->of->programs, x->of->run, r, &x->exec, &e);
	if (x->exec) /* its end will be told, of one that was ordered and is refused as well */
		idling_enter(&x->of->idling);
	if (x->waits)
		visit_exec_tell(x, r);
	else
		visit_refuse(x, &e);
}

void visit_exec_attach(struct visit *x, uint32_t number, bool once)
{
	struct monitor_answer answer = {.exec = number};
	int input = *x->of->input;
	struct err e;

	if (number && (visit_exec_check(x, &e) ||
		       programs_attach(&x->of->programs, number, &answer, &input, &e))) {
		visit_refuse(x, &e);
		return;
	}
	x->exec = number ? number : x->exec;
	(void)visit_send(x, &answer, &input, input >= 0);
	if (!number && once)
		own_close(x->of->input);
	if (!number)
		record_tell(x->of->record, &(struct event){.action = "attach"});
}

void visit_exec_list(const struct visit *x, uint64_t after)
{
	struct monitor_answer answer;

	programs_tell(&x->of->programs, after, &answer);
	(void)visit_send(x, &answer, NULL, 0);
	form_fini(&monitor_answer_form, &answer);
}
