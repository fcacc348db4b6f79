/*
 * e2b_site - the API of E2B as a face of a server (e2b/e2b.h).
 */
#include "e2b/e2b.h"
#include "e2b/entry.h"
#include "serve/faces.h"
#include "serve/routes.h"

const struct site e2b_site = {
	ROUTES_DUTIES,
	.routes = e2b_routes,
	.admit = entry_admit,
	.explain = e2b_explain,
};
