/*
 * paths - the routes of the Engine's socket: a row each, in paths.c.
 *
 * Most rows are the words of one command of `docker`, and the shape of what it has printed. Words
 * are separated by blanks; they, and those in capitals, are filled in from the request:
 *
 *   CONTAINER      the id of the container that the path names; IMAGE the name of its image; VOLUME
 *   --flag=?name   with the value that the query has under that name; left out without one;
 *                  ?0name: a value of 0 is none
 *   --flag?name    if the query says that it is true; ?!name: that it is false
 *   ?name          the value itself, which is needed
 *   ?filters       --filter=KEY=VALUE for each of the query's
 *   ?t             --time=, the seconds of a grace: a negative one is as good as for ever
 *
 * Runs: engine. Needs: nothing beyond what the commands need.
 */
#ifndef GLOVEBOX_ENGINE_PATHS_H
#define GLOVEBOX_ENGINE_PATHS_H

#include "engine/reply.h"
#include "record/record.h"

struct path {
	const char *method;
	const char *path;

	/* Named initializers: a row sets few of these. */
	const char *words;  /* NULL: `run` answers */
	reply_shape *shape; /* NULL: 204, without a body */
	void (*run)(struct request *r);
	const char *type; /* the output goes out as it comes, from its first byte on */
	/* It is so already, or cannot be done: answered; NULL. @found: the container, if asked for
	 */
	bool (*settled)(struct request *r, const struct record *found);
	reply_refusal *refuse; /* NULL */
	bool (*take)(struct request *r, const char *bytes, size_t length);
};

/* A table of routes for a site, without the version before them. Owned; end with free(3). */
struct route *paths_routes(void);

/* The face, but for its routes. */
extern const struct site paths_site;

#endif
