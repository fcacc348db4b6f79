/*
 * system - the routes about the Engine itself, and its networks.
 *
 * Runs: engine. Needs: nothing.
 */
#ifndef GLOVEBOX_ENGINE_SYSTEM_H
#define GLOVEBOX_ENGINE_SYSTEM_H

#include "web/http.h"

void system_ping(struct request *r);
void system_version(struct request *r);
void system_info(struct request *r);
void system_networks(struct request *r);
void system_network(struct request *r);
void system_refuse_networks(struct request *r);
void system_no_plugin(struct request *r);

#endif
