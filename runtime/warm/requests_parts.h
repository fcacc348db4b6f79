/*
 * requests_parts - what the files of requests.c share.
 *
 * Runs: supervisor. Needs: nothing.
 */
#ifndef GLOVEBOX_WARM_REQUESTS_PARTS_H
#define GLOVEBOX_WARM_REQUESTS_PARTS_H

#include "warm/requests.h"

/* 0, or -1: the client does not read, or has closed the connection. */
int requests_answer(const struct client *c, const void *fields, const int *fds, unsigned fd_count);

/* Answer with an error. Returns OUTCOME_DONE. */
enum outcome requests_refuse(const struct client *c, const struct err *e);

/* Whether the client has waited for so long. */
bool requests_is_late(const struct client *c, uint64_t wait_us, uint64_t now_us);

/* requests_session.c */
enum outcome requests_serve_keep(struct supervisor *s, struct client *c, uint64_t now_us);
enum outcome requests_serve_borrow(struct supervisor *s, struct client *c, uint64_t now_us);
enum outcome requests_serve_return(struct supervisor *s, struct client *c, uint64_t now_us);
enum outcome requests_serve_drop(struct supervisor *s, struct client *c, uint64_t now_us);
enum outcome requests_serve_sessions(struct supervisor *s, struct client *c, uint64_t now_us);
enum outcome requests_serve_checkpoints(struct supervisor *s, struct client *c, uint64_t now_us);
enum outcome requests_serve_life(struct supervisor *s, struct client *c, uint64_t now_us);
enum outcome requests_serve_network(struct supervisor *s, struct client *c, uint64_t now_us);
enum outcome requests_serve_door(struct supervisor *s, struct client *c, uint64_t now_us);

#endif
