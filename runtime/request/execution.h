/*
 * execution - one program in a fresh cell for a request: its place, its files, its run, its end.
 *
 *   execution_open    the request runs something
 *   execution_begin   all is read: ask for a place, then for a cell
 *   execution_close   instead of execution_begin(): the request has been refused
 *
 * After execution_begin() the face answers once, in `reply`, `fail` or `crowd`. If the client
 * disconnects, the run is cancelled, its files are discarded, and none of them is called.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_REQUEST_EXECUTION_H
#define GLOVEBOX_REQUEST_EXECUTION_H

#include "request/outputs.h"
#include "request/permit.h"
#include "request/schema.h"
#include "request/staging.h"
#include "service/script.h"
#include "web/http.h"

struct execution;

/* The part that differs between faces. */
struct execution_face {
	void (*begun)(struct execution *x); /* the program has its cell, and runs; NULL */
	/* It has ended: it may leave keeps_outputs false. NULL. */
	void (*ended)(struct execution *x);
	void (*reply)(struct execution *x); /* its outputs are in the store */
	/* It did not run, or nobody knows how it ended. */
	void (*fail)(struct execution *x, const struct err *e);
	/* No place became free: the client may ask again in so many seconds. */
	void (*crowd)(struct execution *x, uint64_t seconds);
	void (*leave)(struct execution *x);   /* the client disconnected; NULL */
	void (*release)(struct execution *x); /* free what embeds it; it has no request any more */
};

/* Embed it as the first member, all zero. */
struct execution {
	const struct execution_face *face;
	struct request *request; /* NULL: the client disconnected */
	struct server *server;
	struct key *key; /* the request's key */
	/* filled in by the face before execution_begin() */
	struct schema body;
	struct sandbox_spec terms;
	struct script_request script_request; /* source, input, shows_last, out */
	struct staging staging;
	bool keeps_outputs;         /* else what it leaves is discarded */
	const char *outputs_folder; /* request/outputs.h */
	const char *code;           /* that the audit records; NULL: the source */
	/* for `reply` */
	struct script_result result;
	struct outputs outputs;
	struct buf out[2]; /* standard output and error, where `script_request.out` is not set */
	/* private to execution.c */
	int scratch; /* owned; directory for the outputs; -1 */
	char scratch_name[FILE_STORE_SCRATCH_SIZE];
	struct script *script;
	bool has_outputs; /* outputs are being put into the store */
	struct permit permit;
	struct hub_timer end;
};

/* @operation  as the metrics count it. The body of @r has been read. */
void execution_open(struct execution *x, const struct execution_face *face, struct request *r,
		    enum metrics_operation operation);
void execution_begin(struct execution *x);
void execution_close(struct execution *x);

#endif
