/*
 * operations - what can be asked of the warm supervisor: one row for each request.
 *
 * A connection makes one request and gets one answer. Each is a JSON object with the fields of the
 * row's forms, and descriptors. An error is answered with its kind (base/err.h): programs decide by
 * the kind, people read the text. A connection that has borrowed a session makes a second request,
 * to return it.
 *
 * Runs: client, supervisor. Needs: nothing.
 */
#ifndef GLOVEBOX_WIRE_OPERATIONS_H
#define GLOVEBOX_WIRE_OPERATIONS_H

#include "base/err.h"
#include "base/json.h"
#include "wire/form.h"
#include "wire/wire.h"

enum op {
	OP_ALIVE,    /* whether the supervisor answers */
	OP_STATUS,   /* describe its state */
	OP_READY,    /* wait until its Python is ready, or known never to be */
	OP_STOP,     /* end it; the connection closes when everything has ended */
	OP_CELL,     /* get a cell for a run; descriptors: pidfd, control, start, groups, and a user
			namespace, if it says so */
	OP_FIT,      /* whether there would be a cell */
	OP_KEEP,     /* hand over a session made from a cell; descriptors: its own, the first a
			pidfd, groups, and that of its network, if it has one */
	OP_BORROW,   /* borrow a kept session; descriptors: its own, groups, checkpoints */
	OP_RETURN,   /* return it; descriptors: a new channel, new checkpoints */
	OP_DROP,     /* end a session */
	OP_SESSIONS, /* list sessions, one page at a time */
	OP_CHECKPOINTS, /* list the checkpoints of a session, as it was last returned */
	OP_LIFE,        /* how long a session lives, and may live from now on */
	OP_NETWORK,     /* a copy of the control socket of a session's network; waits for nobody who
			   has borrowed it; descriptor: that */
	OP_DOOR,        /* start a program in a session (sandbox/door.h), which counts as used until
			   the connection ends; waits for nobody who has borrowed it; descriptors:
			   the control socket, its plan */
	OP_COUNT
};

enum op_sender {
	SENDER_NEW,      /* a connection that has made no request yet */
	SENDER_BORROWER, /* one that has borrowed a session */
};

/* How a line of a supervisor's stderr begins that names a module which it could not preload. */
#define OP_LEFT_OUT "glovebox: not preloaded: "

/* -- fields; texts are borrowed from the document -------------------------------------------- */

struct nothing {
	char none;
};

struct status_answer {
	uint64_t pid;
	const char *state; /* "starting", "ready", "restarting", "cold" */
	const char *image;
	const char *preload;
	const char *left_out; /* "MODULE: why", a line each, of what is not preloaded after all */
	const char *python;   /* its version */
	uint64_t pool;        /* number of cells kept ready */
	uint64_t ready;
	uint64_t under_way;
	uint64_t waiting; /* clients that wait for cells */
	uint64_t served;
	uint64_t made;
	uint64_t failed;
	uint64_t restarts;
	uint64_t running;
	uint64_t sessions;
	bool shared_ids; /* its cells have its user's id, not each one of its own */
};

struct ready_request {
	uint64_t wait_ms; /* while it is starting */
};

struct ready_answer {
	bool starting; /* still */
};

struct stop_answer {
	uint64_t running;
	uint64_t sessions;
};

struct cell_request {
	const char *key; /* warm_key() */
	bool as_caller;  /* with the ids of the supervisor's user: it reaches files of the host */
};

struct cell_answer {
	const char *group;
	uint64_t uid; /* on the host */
	uint64_t gid;
	uint64_t nofile; /* the hard limit of its cells */
	bool outdated;   /* the host has replaced files that the nursery shows: bring them along */
	bool users;      /* the last descriptor is a user namespace in which an ordinary user may
			    take its ids */
};

struct keep_request {
	const char *name;
	const char *group;
	uint64_t uid;
	uint64_t gid;
	uint64_t idle_ms;
	uint64_t ttl_ms;
	uint64_t memory; /* bytes; SPEC_UNLIMITED */
	bool network;    /* the last descriptor is that of its network */
};

struct borrow_request {
	const char *name;
	uint64_t wait_ms;  /* longest wait while it is busy */
	bool files;        /* only for /workspace: its interpreter may outlive the borrower */
	bool freeze;       /* it may be frozen from now on */
	bool outlives;     /* if the borrower vanishes, its code is interrupted, and it goes on */
	uint64_t limit_ms; /* ... within the time limit of its call; UINT64_MAX: none */
};

struct checkpoint_entry {
	const char *name;
	uint64_t pid;
	uint64_t start;
	bool is_new; /* made now, and brings a descriptor */
};

struct borrow_answer {
	bool frozen;
	const char *group;
	uint64_t uid;
	uint64_t gid;
	uint64_t groups; /* number of descriptors */
	uint64_t memory;
	bool network;                 /* it has one: OP_NETWORK */
	struct form_list checkpoints; /* struct checkpoint_entry */
};

struct return_request {
	bool lost;       /* it has ended, or shall end */
	const char *why; /* the reason */
	bool frozen;
	bool channel;                 /* a new channel comes along */
	struct form_list checkpoints; /* struct checkpoint_entry */
};

struct return_answer {
	const char *why; /* why the supervisor had ended it already; else "" */
};

struct drop_request {
	const char *name;
};

struct sessions_request {
	uint64_t after;   /* from the previous answer; 0: from the beginning */
	const char *name; /* of the only one that is wanted; "": all */
	bool usage;       /* with their memory, and of the only one its CPU time */
};

struct session_entry {
	const char *name;
	bool busy;
	bool frozen;
	uint64_t calls;
	uint64_t age_ms;
	uint64_t idle_ms;
	uint64_t ttl_ms; /* longest life; 0: no limit */
	uint64_t checkpoints;
	uint64_t memory_bytes; /* of its processes and files in memory; 0: not asked, or not counted
				*/
	uint64_t cpu_us;       /* that its processes have used so far; 0: the same */
};

extern const struct form session_entry_form;

#define SESSIONS_PAGE 128 /* per message, however long the names are as JSON */

struct sessions_answer {
	struct form_list sessions; /* struct session_entry */
	uint64_t after;            /* for the next request; 0: no more */
};

struct checkpoints_request {
	const char *name; /* of the session */
};

struct listed_checkpoint {
	const char *name;
	uint64_t age_ms; /* since it was made */
};

extern const struct form listed_checkpoint_form;

struct checkpoints_answer {
	struct form_list checkpoints; /* struct listed_checkpoint, in the order of their making */
};

struct life_request {
	const char *name;
	uint64_t ttl_ms;  /* from now on; 0: as it is */
	uint64_t most_ms; /* of its whole life; UINT64_MAX: no limit */
};

struct life_answer {
	uint64_t age_ms;
	uint64_t ttl_ms; /* of its whole life; 0: no limit */
};

struct network_request {
	const char *name; /* of the session */
};

struct door_request {
	const char *name;   /* of the session */
	const char *layout; /* plan_image_layout() of the client */
};

struct door_answer {
	uint64_t exec; /* the number of the program */
	uint64_t uid;  /* on the host */
};

/* -- the table ------------------------------------------------------------------------------- */

struct operation {
	const char *name;
	struct form request;
	struct form answer;
	enum op_sender sender;
	struct {
		unsigned min, max;
	} request_fds, answer_fds;
};

extern const struct operation operations[OP_COUNT];

/* A message as its receiver sees it. */
struct op_request {
	enum op op;
	union {
		struct nothing nothing;
		struct ready_request ready;
		struct cell_request cell;
		struct keep_request keep;
		struct borrow_request borrow;
		struct return_request give_back;
		struct drop_request drop;
		struct sessions_request sessions;
		struct checkpoints_request checkpoints;
		struct life_request life;
		struct network_request network;
		struct door_request door;
	};
	struct json *document;
	struct wire_message message; /* take its descriptors with wire_take() */
};

struct op_answer {
	enum op op;
	union {
		struct nothing nothing;
		struct status_answer status;
		struct ready_answer ready;
		struct stop_answer stop;
		struct cell_answer cell;
		struct borrow_answer borrow;
		struct return_answer give_back;
		struct sessions_answer sessions;
		struct checkpoints_answer checkpoints;
		struct life_answer life;
		struct door_answer door;
	};
	struct json *document;
	struct wire_message message;
};

/*
 * op_request_read, op_answer_read - read a message by its row.
 *
 * @m    taken over in any case.
 * @out  on success end with op_request_fini(), op_answer_fini().
 * Errors: ERR_INPUT for a request that breaks the row, ERR_UNSUPPORTED for an unknown one,
 * ERR_LIMIT when this process had no room for its descriptors. For an
 * answer: the supervisor's error; ERR_SYSTEM when it breaks the row, as another version's may.
 */
int op_request_read(struct wire_message *m, struct op_request *out, struct err *e);
int op_answer_read(enum op op, struct wire_message *m, struct op_answer *out, struct err *e);

/*
 * op_answer_check_fds - after op_answer_read(), for a row whose answer brings descriptors.
 * Errors: ERR_LIMIT: they came, and this process had no room for them. Its fields are there.
 */
int op_answer_check_fds(const struct op_answer *a, struct err *e);
void op_request_fini(struct op_request *r);
void op_answer_fini(struct op_answer *a);

/* Append a message; @fields is the struct of the row's form, or NULL if the form is empty. */
void op_request_write(enum op op, const void *fields, struct buf *out);
void op_answer_write(enum op op, const void *fields, struct buf *out);
void op_answer_write_error(const struct err *e, struct buf *out);

#endif
