/*
 * clients - the connections to the warm supervisor.
 *
 * A client connects, makes one request (operations.h), and is answered; a client that has borrowed
 * a session stays connected until it returns it. A request that must wait for a cell, or for a
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
	struct op_request *request; /* owned; the request waiting for an answer; NULL */
	bool has_loan;              /* has borrowed a session, which it must return */
	bool stays;                 /* has asked for our end, or visits: no more is asked */
	uint64_t visits;            /* the session in which it has started a program; NOBODY */
	uint64_t since_us;
};

struct supervisor {
	const struct supervisor_options *options;
	int listen_fd;
	int signal_fd;
	int ready_fd;
	struct nursery nursery;
	struct child look; /* before a restart: nursery_look() */
	struct pool pool;
	struct client clients[MAX_CLIENTS];
	unsigned client_count;
	uint64_t next_client;
	struct sessions sessions;
	struct endings endings;
	uint64_t last_request_us;
	uint64_t last_look_us;    /* last check for ended sessions and cells */
	uint64_t accept_after_us; /* out of descriptors: accept no client before then */
	struct spare_fds spare;
	uint64_t served;
	uint64_t restarts;
	uint64_t progress_us; /* when the nursery last made a cell, or none was wanted */
	uint64_t progress;    /* cells made by then, including failed ones */
	bool awaits_cells;
	bool was_as_caller; /* a client has asked for a cell with our own ids */
	bool was_ready;     /* the pool has been full once */
	struct err why;     /* the last failure */
	bool stop;
};

/* Accept new connections, only of the same user. */
void clients_accept(struct supervisor *s);

/*
 * Handle input of a client, or its end. true: drop it. clients_serve() serves its request after all
 * clients have been read, so that the oldest is served first.
 */
bool clients_attend(struct supervisor *s, unsigned index);

/* Close the connection, and end a session that the client has borrowed. */
void clients_drop(struct supervisor *s, unsigned index);

/* Serve all waiting clients, oldest first. */
void clients_serve(struct supervisor *s);

/* The number of clients that wait for a cell. */
unsigned clients_waiting(const struct supervisor *s);
unsigned clients_waiting_for(const struct supervisor *s, bool as_caller);

/*
 * How many cells of a kind (pool.h) to have, ready or in the making. One of the pool has the user's
 * ids, once a client has asked for such a cell.
 */
unsigned clients_want(const struct supervisor *s, bool as_caller);

#endif
