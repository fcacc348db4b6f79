/*
 * cache - what the commands of `glovebox cache` are to each other.
 *
 * Runs: `glovebox cache`.
 */
#ifndef GLOVEBOX_CLI_CACHE_H
#define GLOVEBOX_CLI_CACHE_H

#include "spec/setting.h"

extern const struct setting cache_pip_settings[];

int cache_pip(int argc, char **argv);

#endif
