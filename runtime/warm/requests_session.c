/*
 * requests_session - serve the requests that concern sessions.
 */
#include "loop/fd.h"
#include "warm/requests_parts.h"

/* Only a pidfd lets us kill a cell, and notice its end. */
static int requests_session_check_pidfd(const struct wire_message *m, struct err *e)
{
	return fd_is_pidfd(m->fds[SESSION_PIDFD])
		       ? 0
		       : err_input(e, "the first descriptor of a session must be a pidfd");
}

enum outcome requests_serve_keep(struct supervisor *s, struct client *c, uint64_t now_us)
{
	struct err e;

	(void)now_us;
	if (requests_session_check_pidfd(&c->request->message, &e) ||
	    sessions_keep(&s->sessions, c->request, &e))
		return requests_refuse(c, &e);
	pool_keep(&s->pool, c->request->keep.group);
	(void)requests_answer(c, NULL, NULL, 0);
	return OUTCOME_DONE;
}

enum outcome requests_serve_borrow(struct supervisor *s, struct client *c, uint64_t now_us)
{
	const struct borrow_request *r = &c->request->borrow;
	struct borrow_answer loan;
	int fds[WIRE_MAX_FDS];
	struct kept_session *k;
	struct err e;
	unsigned count;

	k = sessions_find(&s->sessions, r->name, &e);
	if (!k)
		return requests_refuse(c, &e);
	if (!kept_session_can_be_lent(k, r, c->since_us)) {
		if (!requests_is_late(c, r->wait_ms * 1000, now_us))
			return OUTCOME_WAITS;
		err_set(&e, ERR_BUSY,
			"the session is busy with another call: try again later, or end it "
			"(glovebox session rm)");
		return requests_refuse(c, &e);
	}
	count = sessions_lend(k, c->number, r, &loan, fds);
	c->has_loan = !requests_answer(c, &loan, fds, count);
	form_fini(&operations[OP_BORROW].answer, &loan);
	if (c->has_loan)
		return OUTCOME_STAYS;
	sessions_take_back(&s->sessions, c->number); /* the client vanished without touching it */
	return OUTCOME_DONE;
}

enum outcome requests_serve_return(struct supervisor *s, struct client *c, uint64_t now_us)
{
	struct return_answer told = {0};

	(void)now_us;
	/*
	 * If the nursery is gone, first record its sessions as lost, so that the reason is known.
	 */
	if (nursery_has_hung_up(&s->nursery))
		sessions_lose(&s->sessions);
	told.why = sessions_return(&s->sessions, c->number, c->request);
	(void)requests_answer(c, &told, NULL, 0);
	return OUTCOME_DONE;
}

/* NULL: the client has been told. */
static struct kept_session *requests_session_find(struct supervisor *s, const struct client *c,
						  const char *name)
{
	struct err e;
	struct kept_session *k = sessions_find(&s->sessions, name, &e);

	if (!k)
		request_refuse(c->fd, &e);
	return k;
}

enum outcome requests_serve_drop(struct supervisor *s, struct client *c, uint64_t now_us)
{
	struct kept_session *k;
	struct err e;

	(void)now_us;
	k = sessions_find(&s->sessions, c->request->drop.name, &e);
	if (!k) {
		lost_sessions_forget(&s->sessions.lost, c->request->drop.name);
		return requests_refuse(c, &e);
	}
	sessions_drop(&s->sessions, k);
	(void)requests_answer(c, NULL, NULL, 0);
	return OUTCOME_DONE;
}

enum outcome requests_serve_sessions(struct supervisor *s, struct client *c, uint64_t now_us)
{
	struct sessions_answer list;

	(void)now_us;
	sessions_list(&s->sessions, &c->request->sessions, &list);
	(void)requests_answer(c, &list, NULL, 0);
	form_fini(&operations[OP_SESSIONS].answer, &list);
	return OUTCOME_DONE;
}

enum outcome requests_serve_checkpoints(struct supervisor *s, struct client *c, uint64_t now_us)
{
	const struct kept_session *k = requests_session_find(s, c, c->request->checkpoints.name);
	struct checkpoints_answer list;

	if (!k)
		return OUTCOME_DONE;
	kept_session_list_checkpoints(k, now_us, &list);
	(void)requests_answer(c, &list, NULL, 0);
	form_fini(&operations[OP_CHECKPOINTS].answer, &list);
	return OUTCOME_DONE;
}

enum outcome requests_serve_life(struct supervisor *s, struct client *c, uint64_t now_us)
{
	const struct life_request *r = &c->request->life;
	struct kept_session *k = requests_session_find(s, c, r->name);
	struct life_answer life;
	struct err e;

	if (!k)
		return OUTCOME_DONE;
	if (kept_session_set_life(k, r, now_us, &life, &e))
		return requests_refuse(c, &e);
	(void)requests_answer(c, &life, NULL, 0);
	return OUTCOME_DONE;
}

/* A client that may ask this may borrow the session, too; it does not wait for the borrower. */
enum outcome requests_serve_network(struct supervisor *s, struct client *c, uint64_t now_us)
{
	const struct kept_session *k = requests_session_find(s, c, c->request->network.name);
	struct err e;

	(void)now_us;
	if (!k)
		return OUTCOME_DONE;
	if (k->session.network < 0) {
		err_input(&e,
			  "the session has no list of hosts: begin it with session new --egress "
			  "none");
		return requests_refuse(c, &e);
	}
	(void)requests_answer(c, NULL, &k->session.network, 1);
	return OUTCOME_DONE;
}

enum outcome requests_serve_door(struct supervisor *s, struct client *c, uint64_t now_us)
{
	struct kept_session *k = requests_session_find(s, c, c->request->door.name);
	struct door_answer door;
	struct err e;
	int fds[2];

	(void)now_us;
	if (!k)
		return OUTCOME_DONE;
	if (kept_session_enter(k, c->request->door.layout, &door, fds, &e))
		return requests_refuse(c, &e);
	if (requests_answer(c, &door, fds, 2))
		return OUTCOME_DONE;
	c->stays = true;
	c->visits = k->number;
	k->visitors++;
	return OUTCOME_STAYS;
}
