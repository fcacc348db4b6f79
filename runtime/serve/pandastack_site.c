/*
 * pandastack_site - the API of PandaStack as a face of a server (pandastack/pandastack.h).
 */
#include "pandastack/pandastack.h"
#include "serve/faces.h"
#include "serve/routes.h"

const struct site pandastack_site = {
	ROUTES_DUTIES,
	.routes = pandastack_routes,
	.admit = gate_admit,
	.explain = pandastack_explain,
};
