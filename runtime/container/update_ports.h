/*
 * update_ports - `update -p` and `--publish-rm`: which ports of one sandbox are published and
 * withdrawn, and which flags say so at its next start.
 *
 * Runs: `glovebox update`. Needs: nothing.
 */
#ifndef GLOVEBOX_CONTAINER_UPDATE_PORTS_H
#define GLOVEBOX_CONTAINER_UPDATE_PORTS_H

#include "base/list.h"
#include "monitor/update_ask.h"
#include "record/record.h"

/*
 * update_ports_settle - replace the kept flags by ones that say the whole list, however many
 * updates have led to it.
 *
 * @spec  read with @flags.
 */
void update_ports_settle(const struct sandbox_spec *spec, struct list *flags);

/*
 * update_ports_change - what a sandbox that runs has to change. A port that is withdrawn and
 * published again at its place stays as it is.
 *
 * @more, @less  the words of -p and of --publish-rm.
 * Errors: ERR_INPUT.
 */
int update_ports_change(const struct record *r, const struct list *more, const struct list *less,
			struct port_change *out, struct err *e);

#endif
