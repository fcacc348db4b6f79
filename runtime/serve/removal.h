/*
 * removal - end everything that runs for a key which was removed from the keys file.
 *
 * Its requests and streams are abandoned at once. Its sessions are in the supervisor, which is
 * asked to list and to drop them. A request that was about to begin a session may still begin it,
 * so the list is asked for again, until nothing holds the key and no session is left.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_REMOVAL_H
#define GLOVEBOX_SERVE_REMOVAL_H

struct key;
struct server;

/*
 * removal_begin - start in the background. @key  already out of the server's keys; held until the
 * end.
 */
void removal_begin(struct server *server, struct key *key);

/* removal_close - shutdown: abandon all removals. */
void removal_close(struct server *server);

#endif
