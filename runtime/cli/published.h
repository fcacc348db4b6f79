/*
 * published - say which ports were taken for those that -p left open.
 *
 * Runs: monitor, client. Needs: nothing.
 */
#ifndef GLOVEBOX_CLI_PUBLISHED_H
#define GLOVEBOX_CLI_PUBLISHED_H

#include "host/sandbox.h"

/* One line on stderr for each; nothing for those that were named. */
void published_say(const struct sandbox *s);

#endif
