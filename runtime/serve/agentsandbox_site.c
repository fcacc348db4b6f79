/*
 * agentsandbox_site - the API of agent-sandbox as a face of a server (agentsandbox/agentsandbox.h).
 */
#include "agentsandbox/agentsandbox.h"
#include "serve/faces.h"
#include "serve/routes.h"

const struct site agentsandbox_site = {
	ROUTES_DUTIES,
	.routes = agentsandbox_routes,
	.admit = gate_admit,
	.explain = agentsandbox_explain,
};
