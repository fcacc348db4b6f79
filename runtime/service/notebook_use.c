/*
 * notebook_use - borrow a kept session, do one thing with it, return it.
 */
#include <string.h>

#include "base/own.h"
#include "base/utf8.h"
#include "client/session_door.h"
#include "loop/clock.h"
#include "service/notebook_parts.h"
#include "session/session_spec.h"

#define CHECKPOINT_MS     60000
#define ARCHIVE_MS        30000
#define CHECKPOINT_ANSWER 65536 /* a number, threads, and what went wrong */

/* -- its return ------------------------------------------------------------------------------ */

static void notebook_use_let_go(struct notebook *n)
{
	own_close(&n->connection);
	session_close(&n->lent);
	n->has_session = false;
}

static void notebook_use_returned(void *context)
{
	struct notebook *n = context;
	struct op_answer answer;
	struct ask *ask = n->ask;
	struct err e;

	n->ask = NULL;
	if (!ask_end(ask, NULL, &answer, &e)) {
		if (n->result->call.lost && *answer.give_back.why)
			call_is_lost(&n->result->error, "it ", answer.give_back.why);
		op_answer_fini(&answer);
	} else if (n->result->call.died) {
		call_is_lost(&n->result->error, "the warm supervisor has ended, and it with it",
			     "");
	}
	notebook_use_let_go(n);
	notebook_finish(n);
}

static struct ask *notebook_use_ask_to_return(struct notebook *n)
{
	const struct session_call *call = &n->result->call;
	const struct return_request lost = {.lost = true, .why = call->why};

	return call->lost ? ask_start(n->request.where, n->connection, OP_RETURN, &lost, NULL, 0)
			  : client_ask_to_return(n->request.where, &n->lent, false, n->connection,
						 n->fds);
}

static void notebook_use_return(struct notebook *n)
{
	struct err e;

	if (n->request.own) {
		notebook_finish(n);
		return;
	}
	/* Not borrowed; or as if we had vanished: the supervisor interrupts the code. */
	if (n->request.files.anywhere || n->result->call.left) {
		notebook_use_let_go(n);
		notebook_finish(n);
		return;
	}
	if (!notebook_ask(n, notebook_use_ask_to_return(n), notebook_use_returned, &e))
		return;
	notebook_use_let_go(n);
	notebook_fail(n, &e);
}

/* Return the session after a failure: it was not used, or its use failed. */
static void notebook_use_return_failed(struct notebook *n, const struct err *e)
{
	n->result->failed = true;
	n->result->error = *e;
	notebook_use_return(n);
}

/* -- a call ---------------------------------------------------------------------------------- */

static bool notebook_use_step_call(void *operation)
{
	return call_step(operation);
}

static void notebook_use_called(void *context)
{
	struct notebook *n = context;
	struct notebook_result *r = n->result;
	struct call *call = n->call;

	n->call = NULL;
	r->failed = call_end(call);
	if (r->call.lost || (!r->failed && !n->request.call.raw))
		call_result_read(n->session, &r->call, &r->outcome);
	if (n->request.call.answered)
		n->request.call.answered(n->context);
	notebook_use_return(n);
}

static int notebook_use_start_call(struct notebook *n, struct err *e)
{
	struct call_request request = {.socket = n->session->fds[SESSION_CHANNEL],
				       .members = n->members.data,
				       .length = n->members.length,
				       .handed_count = n->request.call.handed_count};

	for (unsigned i = 0; i < request.handed_count; i++)
		request.handed[i] = take_fd(&n->request.call.handed[i]);
	n->result->call = (struct session_call){.timeout_ms = n->request.call.timeout_ms,
						.output_max = n->request.call.output_max,
						.answer_max = n->request.call.answer_max,
						.out = n->request.call.out,
						.spares = n->request.call.spares,
						.follows = n->request.call.follows,
						.persists = n->request.call.persists};
	if (call_start(n->session, &request, &n->result->call, &n->result->error, &n->call)) {
		*e = n->result->error;
		return -1;
	}
	if (!notebook_drive(n, notebook_use_step_call, n->call, call_loop(n->call),
			    notebook_use_called, e))
		return 0;
	(void)call_end(take_ptr(&n->call));
	return -1;
}

/* -- checkpoints ----------------------------------------------------------------------------- */

static bool notebook_use_step_checkpointing(void *operation)
{
	return checkpointing_step(operation);
}

static void notebook_use_checkpointed(void *context)
{
	struct notebook *n = context;
	struct checkpointing *x = n->checkpointing;

	n->checkpointing = NULL;
	n->result->failed = checkpointing_end(x, &n->result->error);
	notebook_use_return(n);
}

static int notebook_use_start_checkpointing(struct notebook *n, struct err *e)
{
	int (*start)(struct session *, const char *, struct session_call *, struct checkpointing **,
		     struct err *) = n->request.action == NOTEBOOK_CHECKPOINT
					     ? checkpointing_make
					     : checkpointing_return;

	n->result->call = (struct session_call){
		.timeout_ms = n->request.call.timeout_ms,
		.output_max = n->request.call.output_max,
		.answer_max = CHECKPOINT_ANSWER,
		.out = n->request.call.output_max ? n->request.call.out : NULL,
		.force = n->request.force,
		.patient = true};
	if (!n->result->call.timeout_ms)
		n->result->call.timeout_ms = CHECKPOINT_MS;
	if (start(n->session, n->request.checkpoint, &n->result->call, &n->checkpointing, e))
		return -1;
	return notebook_drive(n, notebook_use_step_checkpointing, n->checkpointing,
			      checkpointing_loop(n->checkpointing), notebook_use_checkpointed, e);
}

/* -- the others ------------------------------------------------------------------------------ */

static void notebook_use_reached(void *context)
{
	struct notebook *n = context;
	struct files *files = n->files;

	n->files = NULL;
	n->result->failed = files_end(files, &n->result->files, &n->result->error);
	notebook_use_return(n);
}

static int notebook_use_start_files(struct notebook *n, struct err *e)
{
	struct files_request request = {.action = n->request.files.action,
					.session = n->session,
					.path = n->request.files.path,
					.to = n->request.files.to,
					.anywhere = n->request.files.anywhere,
					.content_fd = n->request.files.content_fd,
					.mode = n->request.files.mode ? n->request.files.mode
								      : 0644};

	files_rules_init(&request.rules);
	request.rules.max_bytes = n->request.files.max_bytes || n->request.files.is_cut
					  ? n->request.files.max_bytes
					  : WORKSPACE_BYTES;
	request.rules.max_written = n->request.files.max_written;
	request.rules.is_cut = n->request.files.is_cut;
	if (n->request.files.max_depth || n->request.files.itself)
		request.rules.max_depth = n->request.files.max_depth;
	if (request.action == FILES_ARCHIVE)
		request.rules.max_ms = ARCHIVE_MS;
	return notebook_reach(n, &request, notebook_use_reached, e);
}

static bool notebook_use_step_freezing(void *operation)
{
	return freezing_step(operation);
}

static int notebook_use_drive_freezing(struct notebook *n, struct freezing *x,
				       void (*over)(void *context), struct err *e)
{
	n->freezing = x;
	return notebook_drive(n, notebook_use_step_freezing, x, freezing_loop(x), over, e);
}

static void notebook_use_frozen(void *context)
{
	struct notebook *n = context;
	struct err e;

	if (freezing_end(take_ptr(&n->freezing), hub_endings(n->hub), &n->result->memory, &e))
		notebook_use_return_failed(n, &e);
	else
		notebook_use_return(n);
}

static int notebook_use_start_freeze(struct notebook *n, struct err *e)
{
	return notebook_use_drive_freezing(n, freezing_start(n->session), notebook_use_frozen, e);
}

static int notebook_use_start_thaw(struct notebook *n, struct err *e)
{
	return notebook_use_drive_freezing(n, freezing_start_thaw(n->session), notebook_use_frozen,
					   e);
}

/* -- its turn -------------------------------------------------------------------------------- */

static int notebook_use_try_start(struct notebook *n, struct err *e)
{
	static int (*const starts[])(struct notebook *, struct err *) = {
		[NOTEBOOK_ASK] = notebook_use_start_call,
		[NOTEBOOK_RUN] = notebook_use_start_call,
		[NOTEBOOK_BASH] = notebook_use_start_call,
		[NOTEBOOK_CHECKPOINT] = notebook_use_start_checkpointing,
		[NOTEBOOK_ROLLBACK] = notebook_use_start_checkpointing,
		[NOTEBOOK_FILES] = notebook_use_start_files,
		[NOTEBOOK_FREEZE] = notebook_use_start_freeze,
		[NOTEBOOK_THAW] = notebook_use_start_thaw,
	};

	n->result->was_there = true;
	n->result->has_network = n->session->has_network;
	if ((n->result->cancelled && notebook_is_cancelled(n, e)) ||
	    starts[n->request.action](n, e))
		return -1;
	if (n->request.call.begun)
		n->request.call.begun(n->context);
	return 0;
}

static void notebook_use_start(struct notebook *n)
{
	struct err e;

	if (notebook_use_try_start(n, &e))
		notebook_use_return_failed(n, &e);
}

static void notebook_use_thawed(void *context)
{
	struct notebook *n = context;
	struct err e;

	if (freezing_end(take_ptr(&n->freezing), hub_endings(n->hub), NULL, &e))
		notebook_use_return_failed(n, &e);
	else
		notebook_use_start(n);
}

static void notebook_use_borrowed(void *context)
{
	struct notebook *n = context;
	struct err e;
	int bad;

	bad = client_receive_borrowed(take_ptr(&n->ask), &n->lent, &n->connection, &e);
	n->has_session = n->is_kept = n->connection >= 0;
	if (bad && !n->has_session)
		notebook_fail(n, &e);
	else if (!bad && (n->use == BORROW_FILES || !n->lent.frozen))
		notebook_use_start(n);
	else if (bad || notebook_use_drive_freezing(n, freezing_start_thaw(&n->lent),
						    notebook_use_thawed, &e))
		notebook_use_return_failed(n, &e);
}

/* Check the length here: the supervisor would truncate a longer name. */
static int notebook_use_check_name(const char *checkpoint, struct err *e)
{
	if (!checkpoint)
		return 0;
	if (!*checkpoint || strlen(checkpoint) >= SESSION_NAME_MAX)
		return err_input(e, "the name of a checkpoint has 1 to %d bytes",
				 SESSION_NAME_MAX - 1);
	return utf8_is_valid(checkpoint, strlen(checkpoint))
		       ? 0
		       : err_input(e, "the name of a checkpoint is not UTF-8");
}

static int notebook_use_borrow(struct notebook *n, struct err *e)
{
	const bool freezes =
		n->request.action == NOTEBOOK_FREEZE || n->request.action == NOTEBOOK_THAW;
	struct borrow_request request = {
		.name = n->request.name, .limit_ms = SPEC_UNLIMITED, .freeze = freezes};

	if (client_check_name(n->request.name, e))
		return -1;
	n->use = BORROW_STEPS;
	if (notebook_is_call(n->request.action)) {
		n->use = client_use(n->members.length);
		if (!n->request.call.spares)
			request.limit_ms = n->request.call.timeout_ms;
	} else if (freezes || n->request.action == NOTEBOOK_FILES) {
		n->use = BORROW_FILES;
	}
	if (!n->request.call.at_once)
		request.wait_ms = clock_earlier(request.limit_ms, SESSION_WAIT_MS);
	request.files = n->use == BORROW_FILES;
	request.outlives = n->use == BORROW_CALL;
	n->can_vanish = n->use != BORROW_STEPS;
	return notebook_ask(n, ask_start(n->request.where, -1, OP_BORROW, &request, NULL, 0),
			    notebook_use_borrowed, e);
}

/* -- or the door alone ----------------------------------------------------------------------- */

static void notebook_use_entered(void *context)
{
	struct notebook *n = context;
	struct session_door door;
	struct err e;

	if (session_door_receive(take_ptr(&n->ask), &door, &e)) {
		notebook_fail(n, &e);
		return;
	}
	n->connection = take_fd(&door.connection);
	n->lent.fds[SESSION_CONTROL] = take_fd(&door.control);
	n->lent.fds[SESSION_PLAN] = take_fd(&door.plan);
	n->lent.host_uid = door.host_uid;
	n->has_session = n->is_kept = true;
	notebook_use_start(n);
}

static int notebook_use_enter(struct notebook *n, struct err *e)
{
	if (client_check_name(n->request.name, e))
		return -1;
	n->can_vanish = true;
	return notebook_ask(n, session_door_ask(n->request.where, n->request.name),
			    notebook_use_entered, e);
}

int notebook_use(struct notebook *n, struct err *e)
{
	if (notebook_use_check_name(n->request.checkpoint, e) ||
	    (notebook_is_call(n->request.action) && notebook_compose(n, e)))
		return -1;
	if (n->request.own)
		return notebook_use_try_start(n, e);
	return n->request.action == NOTEBOOK_FILES && n->request.files.anywhere
		       ? notebook_use_enter(n, e)
		       : notebook_use_borrow(n, e);
}
