/*
 * removal - a key that was taken out of the keys file loses what runs for it.
 *
 * Its requests and streams are abandoned at once. Its sessions live in the supervisor, which is
 * asked for them and told to drop each. A request that was about to begin a session may still do
 * so, so the supervisor is asked again, until nothing holds the key and no session is left.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_REMOVAL_H
#define GLOVEBOX_SERVE_REMOVAL_H

struct key;
struct server;

/* removal_begin - goes on by itself. @key  no key of the server any more; held until the end. */
void removal_begin(struct server *server, struct key *key);

/* removal_close - give up those that are under way: the server ends. */
void removal_close(struct server *server);

#endif
