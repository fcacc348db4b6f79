/*
 * operations - what can be asked of the warm supervisor: one row for each request.
 */
#include "wire/operations.h"

#include <stdint.h>
#include <string.h>

#include "base/json_put.h"
#include "base/json_strict.h"
#include "cgroup/cgroup.h"
#include "wire/session.h"

#define UNREADABLE "a request to the warm supervisor"
#define NAME_BYTES (SESSION_NAME_MAX - 1)
#define WHY_BYTES  1500 /* struct err has 500; an invalid byte becomes three */
#define VALUES_MAX 1000 /* in a request: twice what a row can need */
#define ID_MAX     UINT32_MAX
#define ANY        UINT64_MAX

#define TEXT(type, member, bytes)                                                                  \
	{                                                                                          \
#member, FIELD_TEXT, offsetof(type, member), bytes, false, NULL                    \
	}
#define NUMBER(type, member, most)                                                                 \
	{                                                                                          \
#member, FIELD_NUMBER, offsetof(type, member), most, false, NULL                   \
	}
#define FLAG(type, member)                                                                         \
	{                                                                                          \
#member, FIELD_FLAG, offsetof(type, member), 0, false, NULL                        \
	}
#define LIST(type, member, most, f)                                                                \
	{                                                                                          \
#member, FIELD_LIST, offsetof(type, member), most, false, f                        \
	}
#define END                                                                                        \
	{                                                                                          \
		NULL, FIELD_FLAG, 0, 0, false, NULL                                                \
	}

#define FORM(type, ...)                                                                            \
	{                                                                                          \
		(const struct field[]){__VA_ARGS__, END}, sizeof(type)                             \
	}
#define NOTHING                                                                                    \
	{                                                                                          \
		(const struct field[]){END}, sizeof(struct nothing)                                \
	}

/* clang-format off */
static const struct form checkpoint_form = FORM(struct checkpoint_entry,
	TEXT(struct checkpoint_entry, name, NAME_BYTES),
	NUMBER(struct checkpoint_entry, pid, ID_MAX),
	NUMBER(struct checkpoint_entry, start, ANY),
	FLAG(struct checkpoint_entry, is_new));

const struct form session_entry_form = FORM(struct session_entry,
	TEXT(struct session_entry, name, NAME_BYTES),
	FLAG(struct session_entry, busy),
	FLAG(struct session_entry, frozen),
	NUMBER(struct session_entry, calls, ANY),
	NUMBER(struct session_entry, age_ms, ANY),
	NUMBER(struct session_entry, idle_ms, ANY),
	NUMBER(struct session_entry, ttl_ms, ANY),
	NUMBER(struct session_entry, checkpoints, SESSION_MAX_CHECKPOINTS),
	NUMBER(struct session_entry, memory_bytes, ANY),
	NUMBER(struct session_entry, cpu_us, ANY));

const struct form listed_checkpoint_form = FORM(struct listed_checkpoint,
	TEXT(struct listed_checkpoint, name, NAME_BYTES),
	NUMBER(struct listed_checkpoint, age_ms, ANY));

#define KEY_REQUEST FORM(struct cell_request, TEXT(struct cell_request, key, WIRE_MAX_TEXT), \
	FLAG(struct cell_request, as_caller))
#define CELL_ANSWER FORM(struct cell_answer,                  \
	TEXT(struct cell_answer, group, CGROUP_NAME_SIZE - 1),\
	NUMBER(struct cell_answer, uid, ID_MAX),              \
	NUMBER(struct cell_answer, gid, ID_MAX),              \
	NUMBER(struct cell_answer, nofile, ANY),              \
	FLAG(struct cell_answer, outdated),                   \
	FLAG(struct cell_answer, users))

const struct operation operations[OP_COUNT] = {
	[OP_ALIVE] = {"alive", NOTHING, NOTHING, SENDER_NEW, {0, 0}, {0, 0}},
	[OP_STATUS] = {"status", NOTHING, FORM(struct status_answer,
			NUMBER(struct status_answer, pid, ID_MAX),
			TEXT(struct status_answer, state, 16),
			TEXT(struct status_answer, image, WIRE_MAX_TEXT),
			TEXT(struct status_answer, preload, WIRE_MAX_TEXT),
			TEXT(struct status_answer, left_out, WIRE_MAX_TEXT),
			TEXT(struct status_answer, python, 64),
			NUMBER(struct status_answer, pool, ID_MAX),
			NUMBER(struct status_answer, ready, ID_MAX),
			NUMBER(struct status_answer, under_way, ID_MAX),
			NUMBER(struct status_answer, waiting, ID_MAX),
			NUMBER(struct status_answer, served, ANY),
			NUMBER(struct status_answer, made, ANY),
			NUMBER(struct status_answer, failed, ANY),
			NUMBER(struct status_answer, restarts, ANY),
			NUMBER(struct status_answer, running, ID_MAX),
			NUMBER(struct status_answer, sessions, ID_MAX),
			FLAG(struct status_answer, shared_ids)),
		SENDER_NEW, {0, 0}, {0, 0}},
	[OP_READY] = {"ready",
		FORM(struct ready_request, NUMBER(struct ready_request, wait_ms, SESSION_WAIT_MS)),
		FORM(struct ready_answer, FLAG(struct ready_answer, starting)),
		SENDER_NEW, {0, 0}, {0, 0}},
	[OP_STOP] = {"stop", NOTHING, FORM(struct stop_answer,
			NUMBER(struct stop_answer, running, ID_MAX),
			NUMBER(struct stop_answer, sessions, ID_MAX)),
		SENDER_NEW, {0, 0}, {0, 0}},
	[OP_CELL] = {"cell", KEY_REQUEST, CELL_ANSWER,
		SENDER_NEW, {0, 0}, {3, 4 + CGROUP_MAX_FDS}},
	[OP_FIT] = {"fit", KEY_REQUEST, CELL_ANSWER,
		SENDER_NEW, {0, 0}, {0, 0}},
	[OP_KEEP] = {"keep", FORM(struct keep_request,
			TEXT(struct keep_request, name, NAME_BYTES),
			TEXT(struct keep_request, group, CGROUP_NAME_SIZE - 1),
			NUMBER(struct keep_request, uid, ID_MAX),
			NUMBER(struct keep_request, gid, ID_MAX),
			NUMBER(struct keep_request, idle_ms, ANY),
			NUMBER(struct keep_request, ttl_ms, ANY),
			NUMBER(struct keep_request, memory, ANY),
			FLAG(struct keep_request, network)),
		NOTHING,
		SENDER_NEW, {SESSION_FDS, SESSION_FDS + CGROUP_MAX_FDS + 1}, {0, 0}},
	[OP_BORROW] = {"borrow", FORM(struct borrow_request,
			TEXT(struct borrow_request, name, NAME_BYTES),
			NUMBER(struct borrow_request, wait_ms, SESSION_WAIT_MS),
			FLAG(struct borrow_request, files),
			FLAG(struct borrow_request, freeze),
			FLAG(struct borrow_request, outlives),
			NUMBER(struct borrow_request, limit_ms, ANY)),
		FORM(struct borrow_answer,
			FLAG(struct borrow_answer, frozen),
			TEXT(struct borrow_answer, group, CGROUP_NAME_SIZE - 1),
			NUMBER(struct borrow_answer, uid, ID_MAX),
			NUMBER(struct borrow_answer, gid, ID_MAX),
			NUMBER(struct borrow_answer, groups, CGROUP_MAX_FDS),
			NUMBER(struct borrow_answer, memory, ANY),
			FLAG(struct borrow_answer, network),
			LIST(struct borrow_answer, checkpoints, SESSION_MAX_CHECKPOINTS, &checkpoint_form)),
		SENDER_NEW, {0, 0}, {SESSION_FDS, SESSION_FDS + CGROUP_MAX_FDS + SESSION_MAX_CHECKPOINTS}},
	[OP_RETURN] = {"return", FORM(struct return_request,
			FLAG(struct return_request, lost),
			TEXT(struct return_request, why, WHY_BYTES),
			FLAG(struct return_request, frozen),
			FLAG(struct return_request, channel),
			LIST(struct return_request, checkpoints, SESSION_MAX_CHECKPOINTS, &checkpoint_form)),
		FORM(struct return_answer, TEXT(struct return_answer, why, WHY_BYTES)),
		SENDER_BORROWER, {0, SESSION_MAX_CHECKPOINTS + 1}, {0, 0}},
	[OP_DROP] = {"drop", FORM(struct drop_request, TEXT(struct drop_request, name, NAME_BYTES)), NOTHING,
		SENDER_NEW, {0, 0}, {0, 0}},
	[OP_SESSIONS] = {"sessions", FORM(struct sessions_request,
			NUMBER(struct sessions_request, after, ANY),
			TEXT(struct sessions_request, name, NAME_BYTES),
			FLAG(struct sessions_request, usage)),
		FORM(struct sessions_answer,
			LIST(struct sessions_answer, sessions, SESSIONS_PAGE, &session_entry_form),
			NUMBER(struct sessions_answer, after, ANY)),
		SENDER_NEW, {0, 0}, {0, 0}},
	[OP_CHECKPOINTS] = {"checkpoints", FORM(struct checkpoints_request,
			TEXT(struct checkpoints_request, name, NAME_BYTES)),
		FORM(struct checkpoints_answer,
			LIST(struct checkpoints_answer, checkpoints, SESSION_MAX_CHECKPOINTS, &listed_checkpoint_form)),
		SENDER_NEW, {0, 0}, {0, 0}},
	[OP_LIFE] = {"life", FORM(struct life_request,
			TEXT(struct life_request, name, NAME_BYTES),
			NUMBER(struct life_request, ttl_ms, ANY),
			NUMBER(struct life_request, most_ms, ANY)),
		FORM(struct life_answer,
			NUMBER(struct life_answer, age_ms, ANY),
			NUMBER(struct life_answer, ttl_ms, ANY)),
		SENDER_NEW, {0, 0}, {0, 0}},
	[OP_NETWORK] = {"network", FORM(struct network_request,
			TEXT(struct network_request, name, NAME_BYTES)),
		NOTHING,
		SENDER_NEW, {0, 0}, {1, 1}},
	[OP_DOOR] = {"door", FORM(struct door_request,
			TEXT(struct door_request, name, NAME_BYTES),
			TEXT(struct door_request, layout, NAME_BYTES)),
		FORM(struct door_answer,
			NUMBER(struct door_answer, exec, UINT32_MAX),
			NUMBER(struct door_answer, uid, ID_MAX)),
		SENDER_NEW, {0, 0}, {2, 2}},
};
/* clang-format on */

/* -- requests -------------------------------------------------------------------------------- */

static const struct operation *operations_find(const char *name)
{
	for (int i = 0; name && i < OP_COUNT; i++) {
		if (!strcmp(operations[i].name, name))
			return &operations[i];
	}
	return NULL;
}

void op_request_write(enum op op, const void *fields, struct buf *out)
{
	const struct nothing nothing = {0};

	json_put_begin(out, NULL, '{');
	json_put_text(out, "op", operations[op].name);
	form_write_members(&operations[op].request, fields ? fields : &nothing, out);
	json_put_end(out, '}');
}

static int operations_read_request(struct op_request *r, struct err *e)
{
	const char *text = buf_string(&r->message.text);
	size_t length = r->message.text.length;
	const struct operation *row;

	if (json_check_strict(text, length, VALUES_MAX, e))
		return -1;
	r->document = json_parse(text, length, e);
	if (!r->document)
		return -1;
	row = operations_find(json_string_at(r->document, "op"));
	if (!row)
		return err_set(e, ERR_UNSUPPORTED,
			       "the warm supervisor does not know this request");
	r->op = (enum op)(row - operations);
	if (r->message.lacks_fds)
		return err_set(e, ERR_LIMIT, "it has no descriptors left: try again later");
	if (r->message.fd_count < row->request_fds.min ||
	    r->message.fd_count > row->request_fds.max)
		return err_input(e, "the request came with %u descriptors", r->message.fd_count);
	return form_read(&row->request, r->document, "op", &r->nothing, e);
}

int op_request_read(struct wire_message *m, struct op_request *out, struct err *e)
{
	memset(out, 0, sizeof(*out)); /* the whole union */
	out->message = *m;
	*m = (struct wire_message){0};
	if (!operations_read_request(out, e))
		return 0;
	op_request_fini(out);
	return err_prefix(e, UNREADABLE);
}

void op_request_fini(struct op_request *r)
{
	form_fini(&operations[r->op].request, &r->nothing);
	json_free(r->document);
	r->document = NULL;
	wire_fini(&r->message);
}

/* -- answers --------------------------------------------------------------------------------- */

struct error_answer {
	const char *kind;
	const char *text;
	uint64_t number;
};

static const struct form error_form =
	FORM(struct error_answer, TEXT(struct error_answer, kind, 16),
	     TEXT(struct error_answer, text, WHY_BYTES), NUMBER(struct error_answer, number, 4096));

void op_answer_write(enum op op, const void *fields, struct buf *out)
{
	const struct nothing nothing = {0};

	form_write(&operations[op].answer, NULL, fields ? fields : &nothing, out);
}

void op_answer_write_error(const struct err *e, struct buf *out)
{
	const struct error_answer error = {err_kind_name(e->kind), e->text, (uint64_t)e->number};

	json_put_begin(out, NULL, '{');
	form_write(&error_form, "error", &error, out);
	json_put_end(out, '}');
}

static int operations_broken(struct err *e)
{
	return err_set(
		e, ERR_SYSTEM,
		"the warm supervisor is of another version: \"glovebox warm stop\", and start "
		"it again");
}

/* Take the error from the answer; one that we do not know is an error, too. */
static int operations_take_error(const struct json *object, struct err *e)
{
	struct error_answer error;
	struct err ignored;

	if (form_read(&error_form, object, NULL, &error, &ignored) ||
	    err_kind_of(error.kind) == ERR_NONE)
		return operations_broken(e);
	/* It cannot read a request of ours: another build. */
	if (err_kind_of(error.kind) == ERR_INPUT &&
	    !strncmp(error.text, UNREADABLE ":", sizeof(UNREADABLE)))
		return operations_broken(e);
	err_set(e, err_kind_of(error.kind), "%s", error.text);
	e->number = (int)error.number;
	return -1;
}

static int operations_read_answer(struct op_answer *a, struct err *e)
{
	const struct operation *row = &operations[a->op];
	struct err ignored;

	a->document = json_parse(buf_string(&a->message.text), a->message.text.length, &ignored);
	if (a->document && json_get(a->document, "error"))
		return operations_take_error(json_get(a->document, "error"), e);
	if (!a->document ||
	    (!a->message.lacks_fds && (a->message.fd_count < row->answer_fds.min ||
				       a->message.fd_count > row->answer_fds.max)) ||
	    form_read(&row->answer, a->document, NULL, &a->nothing, &ignored))
		return operations_broken(e);
	return 0;
}

int op_answer_read(enum op op, struct wire_message *m, struct op_answer *out, struct err *e)
{
	memset(out, 0, sizeof(*out)); /* the whole union */
	out->op = op;
	out->message = *m;
	*m = (struct wire_message){0};
	if (!operations_read_answer(out, e))
		return 0;
	op_answer_fini(out);
	return -1;
}

int op_answer_check_fds(const struct op_answer *a, struct err *e)
{
	return a->message.lacks_fds
		       ? err_set(e, ERR_LIMIT,
				 "this process has no descriptors left for a warm cell: raise its "
				 "limit of open files (ulimit -n)")
		       : 0;
}

void op_answer_fini(struct op_answer *a)
{
	form_fini(&operations[a->op].answer, &a->nothing);
	json_free(a->document);
	a->document = NULL;
	wire_fini(&a->message);
}
