/*
 * health - the routes that report whether this server can serve, to operators and load balancers.
 */
#include "serve/routes.h"

#include <string.h>

#include "base/json_put.h"
#include "request/server.h"
#include "serve/warm_status.h"

/* Clients compare versions: 0.4.0 and later mean streams and sessions. */
#define INTERFACE_VERSION "0.4.4"

static void health_reply(struct request *r, unsigned status, const char *problem)
{
	auto_buf struct buf body = {0};

	json_put_begin(&body, NULL, '{');
	json_put_text(&body, "status", problem ? "error" : "ok");
	json_put_text(&body, "message", problem);
	json_put_text(&body, "version", INTERFACE_VERSION);
	json_put_text(&body, "executor_backend", "glovebox");
	json_put_text(&body, "network_isolation", "namespace:none");
	json_put_text(&body, "glovebox_version", GLOVEBOX_VERSION);
	json_put_end(&body, '}');
	request_reply(r, status, "application/json", &body);
}

/* Return a problem that is known without asking the supervisor; NULL: none. */
static const char *health_own_problem(const struct server *server)
{
	if (server->is_draining)
		return "it is ending";
	return supplier_has_ended(&server->supplier) ? "the warm supervisor has ended" : NULL;
}

/* Busy cells are not a problem: requests wait for them. */
static const char *health_warm_problem(const struct status_answer *status)
{
	if (!status)
		return "the warm supervisor does not answer";
	return strcmp(status->state, "ready") != 0 ? "the warm Python is not ready yet" : NULL;
}

static void health_answered(struct request *r, const struct status_answer *status)
{
	health_reply(r, 200, health_warm_problem(status));
}

static void health_answered_ready(struct request *r, const struct status_answer *status)
{
	const char *problem = health_warm_problem(status);

	health_reply(r, problem ? 503 : 200, problem);
}

void health_run(struct request *r)
{
	const char *problem = health_own_problem(r->server);

	if (problem)
		health_reply(r, 200, problem);
	else
		warm_status_ask(r, health_answered);
}

void health_run_ready(struct request *r)
{
	const char *problem = health_own_problem(r->server);

	if (problem)
		health_reply(r, 503, problem);
	else
		warm_status_ask(r, health_answered_ready);
}
