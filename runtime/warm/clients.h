/*
 * clients - the connections to the warm supervisor.
 *
 * A client connects, makes one request (operations.h), and is answered; a client that has borrowed
 * a session stays connected until it returns it. A request that must wait, for a cell or for a
 * session that another client has, waits here. No client can delay the supervisor: all sockets are
 * non-blocking, and a client that does not read is dropped.
 *
 * Runs: supervisor. Needs: nothing.
 */
#ifndef GLOVEBOX_WARM_CLIENTS_H
#define GLOVEBOX_WARM_CLIENTS_H

#include "warm/pool.h"
#include "warm/sessions.h"
#include "warm/spare_fds.h"
#include "warm/supervisor.h"

#define MAX_CLIENTS 4096

struct client {
	int fd;                     /* owned */
	uint64_t number;            /* never used twice */
	struct op_request *request; /* owned; the one waiting for an answer; NULL */
	bool has_loan;              /* a session, which must be returned */
	bool stays;                 /* until we end: it has asked for our end */
	uint64_t since_us;
};

struct supervisor {
	const struct supervisor_options *options;
	int listen_fd;
	int signal_fd;
	int ready_fd;
	struct nursery nursery;
	struct child look; /* before the nursery is started again: nursery_look() */
	struct pool pool;
	struct client clients[MAX_CLIENTS];
	unsigned client_count;
	uint64_t next_client;
	struct sessions sessions;
	struct endings endings;
	uint64_t last_request_us;
	uint64_t last_look_us;    /* at sessions and cells that may have ended */
	uint64_t accept_after_us; /* no descriptor is left for another client now */
	struct spare_fds spare;
	uint64_t served;
	uint64_t restarts;
	uint64_t progress_us; /* when the nursery last made a cell, or none was wanted */
	uint64_t progress;    /* cells made by then, with those that failed */
	bool awaits_cells;
	bool was_as_caller; /* a client has asked for a cell with our own ids */
	bool was_ready;     /* the pool has been full once */
	struct err why;     /* the last failure */
	bool stop;
};

/* Accept new connections, of the same user only. */
void clients_accept(struct supervisor *s);

/*
 * A client has sent something, or hung up. true: drop it. Its request is served by clients_serve(),
 * after all clients have been read, so that the first to come is served first.
 */
bool clients_attend(struct supervisor *s, unsigned index);

/* Close it, and end the session that it has borrowed. */
void clients_drop(struct supervisor *s, unsigned index);

/* Serve all that wait, in the order of their coming. */
void clients_serve(struct supervisor *s);

/* The number of clients that wait for a cell. */
unsigned clients_waiting(const struct supervisor *s);
unsigned clients_waiting_for(const struct supervisor *s, bool as_caller);

/*
 * How many cells of a kind (pool.h) there are to be, waiting or on their way. One of the pool has
 * the user's ids, once a client has asked for such a cell.
 */
unsigned clients_want(const struct supervisor *s, bool as_caller);

#endif
