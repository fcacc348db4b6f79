/*
 * clients - who asks the warm supervisor for something, and what they get.
 *
 * A client connects, makes one request, and is answered: with text, with a cell (its
 * descriptors), or with a session for as long as the connection stays. Who must wait, for
 * a cell or for a session that another has, waits here. Nobody can hold the supervisor
 * up: all sockets are non-blocking, and who does not read is let go.
 *
 * Runs: the warm supervisor.
 */
#ifndef GLOVEBOX_CELL_CLIENTS_H
#define GLOVEBOX_CELL_CLIENTS_H

#include "cell/pool.h"
#include "cell/sessions.h"
#include "cell/supervisor.h"

#define MAX_CLIENTS 4096

struct client {
	int fd;           /* owned */
	uint64_t number;  /* never used twice */
	bool waits;       /* for a cell */
	bool borrows;     /* a session; the connection stays */
	char *wants;      /* the request for a session that another has borrowed; owned */
	uint64_t wait_us; /* how long at most */
	uint64_t since_us;
};

struct supervisor {
	const struct supervisor_options *options;
	int listen_fd;
	int signal_fd;
	int ready_fd;
	struct nursery nursery;
	struct pool pool;
	struct client clients[MAX_CLIENTS];
	unsigned client_count;
	uint64_t next_client;
	struct sessions sessions;
	struct endings endings;
	uint64_t last_request_us;
	uint64_t last_look_us;  /* at what may have ended meanwhile */
	uint64_t deaf_until_us; /* no descriptor is left for another client */
	uint64_t served;
	uint64_t restarts;
	uint64_t progress_us; /* when the nursery last made a cell, or none was wanted */
	uint64_t progress;    /* cells by then, those that failed too */
	bool awaits_cells;
	bool was_ready; /* the pool has been full once */
	struct err why; /* of the last failure */
	struct err call_error;
	bool stop;
};

/* Take new connections, of the same user only. */
void clients_accept(struct supervisor *s);

/* One has sent something, or hung up. true: it is done with, and to be dropped. */
bool clients_attend(struct supervisor *s, unsigned index);

/* Close it, and end what it had borrowed. */
void clients_drop(struct supervisor *s, unsigned index);

/* Whoever waits, in the order of their coming: nobody is left behind. */
void clients_serve(struct supervisor *s);

/* How many wait for a cell. */
unsigned clients_waiting(const struct supervisor *s);

#endif
