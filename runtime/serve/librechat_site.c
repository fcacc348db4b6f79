/*
 * librechat_site - the API of LibreChat's code interpreter as a face of a server
 * (librechat/librechat.h).
 */
#include "librechat/librechat.h"
#include "serve/faces.h"
#include "serve/routes.h"

const struct site librechat_site = {
	ROUTES_DUTIES,
	.routes = librechat_routes,
	.admit = librechat_admit,
	.explain = librechat_explain,
};
