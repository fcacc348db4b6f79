/*
 * engine - `glovebox engine`: the Engine's socket, for clients of Docker's API.
 *
 * Part of glovebox-serve, the program that speaks HTTP. The process holds nothing but connections:
 * killing it ends no container, and any number of them agree.
 *
 * Runs: engine. Needs: nothing beyond what the commands need that it starts.
 */
#ifndef GLOVEBOX_ENGINE_ENGINE_H
#define GLOVEBOX_ENGINE_ENGINE_H

/*
 * engine_main - serve until a signal ends it.
 * @argv  a name, WHERE as of listen_open(), and flags of `create` that give containers a network. A
 *        ceiling comes by the environment (spec/policy.h), from which the commands have it.
 * Returns the exit status.
 */
int engine_main(int argc, char **argv);

#endif
