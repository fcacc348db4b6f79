/*
 * messages - what a client and the monitor of a sandbox that stays say to each other.
 *
 * "exec" starts a program, one for each connection. Its answer has the program's number, and
 * descriptors: its report socket (sandbox/door.h), its input if it was asked for, its output and
 * errors. When the program has ended the monitor says so.
 *
 * "attach" is answered with a descriptor that leads to the input of the first program, if that has
 * one. "signal" and "resize" have no answer; they are for the connection's own program, or else for
 * the first.
 *
 * "exec" with `keep` is answered once the program has been executed, without descriptors: the
 * monitor has its streams (monitor/programs.h).
 *
 * "attach" with `exec` makes the connection that program's: its end is told, and signals and sizes
 * go to it. The answer has a descriptor that leads to its input, if the monitor has that.
 * "programs" is answered with the further programs, the oldest first, as many as a message holds.
 *
 * "pause", "unpause" and "rename" are answered when it is done, "hibernate" then, and "stats", with
 * what the sandbox uses and has.
 *
 * "update" brings a socket for each port of `more` that no published one has the place of, and
 * behind them what its client has locked (record_lock_update()): the monitor holds that until all
 * is done. It is answered when limits, hosts and ports are in effect and in the record, or else
 * nothing has changed. It alone may have UPDATE_LIST_KEY: the new list of hosts, as
 * egress_to_json() writes it.
 *
 * At the end of the sandbox the monitor says that of exec 0 to every client, with the exit code of
 * the sandbox as its status, and closes the connections.
 *
 * Texts are borrowed from the document. Runs: monitor, its clients. Needs: nothing.
 */
#ifndef GLOVEBOX_MONITOR_MESSAGES_H
#define GLOVEBOX_MONITOR_MESSAGES_H

#include "spec/spec.h"
#include "wire/form.h"
#include "wire/wire.h"

#define MESSAGE_WORDS   4096 /* of argv, and of env */
#define UPDATE_LIST_KEY "list"

struct word {
	const char *text;
};

/* A published port, as it is bound (netpolicy/egress.h). */
struct port_entry {
	const char *address;
	uint64_t host_port;
	uint64_t port;
};

struct monitor_request {
	const char *op;
	struct form_list argv; /* struct word */
	struct form_list env;  /* the same; KEY=VALUE */
	const char *workdir;   /* "": the sandbox's */
	bool interactive;
	bool tty;
	bool mute;
	bool mover;  /* argv are words of mover, which the monitor has */
	bool layers; /* its input are the layers of the root (inside/overlay.h) */
	uint64_t rows;
	uint64_t columns;
	uint64_t number;  /* "signal" */
	bool group;       /* "signal": the whole process group */
	const char *name; /* "rename" */
	/* "update": argv are the flags that its next start reads */
	struct limits limits;  /* as limits_form has them */
	bool timed;            /* its deadline is counted anew */
	struct form_list more; /* struct port_entry: to be published, as they are bound */
	struct form_list less; /* the same: to be withdrawn */
	bool keep;             /* "exec": the monitor keeps its streams */
	uint64_t log_bytes;    /* of its output, to keep */
	bool once;             /* "attach": the input of the first ends with this client's */
	uint64_t exec;         /* "attach": a further program; "programs": those after it */
};

struct process_number {
	uint64_t pid;
};

#define MESSAGE_PROCESSES 2000

struct program_entry {
	uint64_t exec;
	const char *command; /* its words, cut */
	bool kept;
	bool tty;
	bool ended;
	uint64_t status; /* its wait status */
	uint64_t started_ms;
	uint64_t ended_ms; /* 0: it runs */
};

#define MESSAGE_PROGRAMS 64

struct monitor_answer {
	const char *kind;  /* "": no error; else base/err.h */
	const char *error; /* the text */
	uint64_t exec;
	bool ended;
	uint64_t status;           /* its wait status; of exec 0 the exit code */
	bool tty;                  /* "attach": its input is a pty */
	struct form_list programs; /* struct program_entry */
	/* "stats" */
	uint64_t memory_bytes;      /* now; 0: not counted */
	uint64_t memory_most_bytes; /* the limit; UINT64_MAX: none */
	uint64_t swapped_bytes;     /* in swap, beside memory_bytes */
	bool has_swap;              /* the machine has some */
	uint64_t cpu_us;
	uint64_t cpus_milli;        /* the limit; 0: none */
	struct form_list processes; /* struct process_number; the first of them */
	uint64_t process_count;
};

/* The words of a request, borrowed; the array is the form's, which form_fini() frees. */
struct form_list message_words(char *const *words, size_t count);

extern const struct form monitor_request_form;
extern const struct form limits_form; /* struct limits: what can be updated */
extern const struct form monitor_answer_form;

#endif
