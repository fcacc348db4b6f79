/*
 * load - make a server load its model in the background.
 */
#include "agent/load.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/io.h"
#include "base/process.h"

/* Runs in the child. */
static void load_run(const struct server_options *server, const struct chat_request *request,
		     pid_t parent)
{
	struct err ignored;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		return;
	if (close_range(0, ~0U, 0))
		return;
	io_fill_standard();
	ollama_load(server, request, &ignored);
}

void load_start(struct agent_loop *l)
{
	const struct chat_request request = loop_request(l);
	pid_t parent = getpid();

	load_end(&l->loading);
	if (l->options->api != API_OLLAMA)
		return;
	l->loading = fork();
	if (l->loading)
		return;
	load_run(&l->server, &request, parent);
	_exit(0);
}

void load_end(pid_t *child)
{
	if (*child <= 0)
		return;
	kill(*child, SIGKILL);
	(void)process_reap(*child, 0);
	*child = -1;
}
