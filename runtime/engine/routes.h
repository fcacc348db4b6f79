/*
 * routes - what rows of paths.c call, beside the words of commands.
 *
 * Runs: engine. Needs: nothing.
 */
#ifndef GLOVEBOX_ENGINE_ROUTES_H
#define GLOVEBOX_ENGINE_ROUTES_H

#include "engine/reply.h"
#include "record/record.h"

void containers_create(struct request *r);
void containers_update(struct request *r);
void containers_commit(struct request *r);

/* Whether it is so already, or cannot be done: then it is answered (struct path, `settled`). */
bool containers_run(struct request *r, const struct record *found);
bool containers_have_ended(struct request *r, const struct record *found);
bool containers_pause(struct request *r, const struct record *found);
bool containers_unpause(struct request *r, const struct record *found);
bool containers_filtered(struct request *r, const struct record *found);

/* Shapes of what commands print. */
void containers_pruned(struct request *r, const struct verb_result *result, void *data);
void volumes_listed(struct request *r, const struct verb_result *result, void *data);
void volumes_pruned(struct request *r, const struct verb_result *result, void *data);

void attach_attach(struct request *r);
void attach_logs(struct request *r);
void attach_resize(struct request *r);

/* Note that its input ends with the client that is attached first (StdinOnce): in its record. */
void attach_mark_once(const char *id);

void execs_create(struct request *r);
void execs_start(struct request *r);
void execs_inspect(struct request *r);
void execs_resize(struct request *r);

void images_create(struct request *r);
void images_load(struct request *r);
void images_build(struct request *r);
void images_prune(struct request *r);
void images_get(struct request *r);
void images_history(struct request *r);
void images_tag(struct request *r);
void images_push(struct request *r);
void images_remove(struct request *r);

void volumes_create(struct request *r);

void system_ping(struct request *r);
void system_version(struct request *r);
void system_networks(struct request *r);
void system_network(struct request *r);
void system_refuse_networks(struct request *r);
void system_no_plugin(struct request *r);
void usage_run(struct request *r);

#endif
