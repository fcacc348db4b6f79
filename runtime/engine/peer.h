/*
 * peer - who has connected to the Engine's socket.
 *
 * A directory that is mounted into a sandbox may hold the socket, and its mode does not keep out a
 * program that runs with the user's id. A sandbox has a process namespace of its own, and whoever
 * is in one that is not ours is turned away, whatever the way to the socket was.
 *
 * Runs: engine. Needs: /proc.
 */
#ifndef GLOVEBOX_ENGINE_PEER_H
#define GLOVEBOX_ENGINE_PEER_H

#include <stdbool.h>

/* Whether the process that connected is in our process namespace; false if that cannot be told. */
bool peer_is_outside(int fd);

#endif
