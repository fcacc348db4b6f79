/*
 * glovebox-kernel - `glovebox kernel`: a kernel for Jupyter's clients, whose cells run in a
 * sandbox.
 *
 * It is a program of its own, because only it links libzmq. Its standard streams are the client's
 * log.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "base/parse.h"
#include "base/privileges.h"
#include "base/process.h"
#include "base/say.h"
#include "client/registry.h"
#include "flags/kernel_settings.h"
#include "flags/setting_words.h"
#include "kernel/install.h"
#include "kernel/kernel.h"
#include "kernel/looking.h"
#include "kernel/work.h"
#include "loop/clock.h"
#include "session/places.h"
#include "session/session_spec.h"
#include "spec/policy.h"

#define EXIT_OURS 125

struct program {
	struct kernel kernel;
	struct connection connection;
	struct kernel_options options;
	struct sandbox_spec spec;
	struct places places;
	int signal_fd; /* owned */
	int parent_fd; /* owned; its end is ours; -1 */
	struct hub_watch signals;
	struct hub_watch parent;
	struct hub_watch sockets[KERNEL_SOCKETS];
	struct hub_timer again; /* to receive more */
};

/* -- flags ----------------------------------------------------------------------------------- */

static int main_read_flags(struct program *p, int argc, char **argv, bool installs, struct err *e)
{
	struct settings settings = kernel_all_settings(&p->spec, &p->options, installs);
	int at;

	p->options.timeout_ms = SPEC_UNLIMITED;
	for (int i = 0; i < 1 + installs; i++)
		setting_defaults(&settings.tables[i], NULL);
	if (setting_words(&settings, argc - 1, argv + 1, &at, e))
		return -1;
	/* Clients add operands of their own to a kernel's command line: jupyter run does. */
	if (installs && argc - 1 > at)
		return err_set(e, ERR_USAGE, "kernel install takes no operand: \"%.100s\"",
			       argv[at + 1]);
	if (p->options.workspace && p->options.no_workspace)
		return err_input(e, "--workspace or --no-workspace, not both");
	if (p->options.write && p->options.no_workspace)
		return err_input(e, "--write: with --no-workspace there is nothing to write to");
	return policy_apply_to_spec(&p->spec, e);
}

static int main_check_flags(const struct program *p, struct err *e)
{
	if (p->spec.name)
		return err_input(e,
				 "--name: a kernel's session has none; kernel install --name "
				 "names a kernelspec");
	if (!p->options.connection_file)
		return err_set(
			e, ERR_USAGE,
			"-f FILE: its client gives a kernel a connection file; \"glovebox "
			"kernel install --user\" makes Jupyter do that (\"jupyter kernelspec "
			"remove\" undoes it)");
	return 0;
}

/* -- the session ----------------------------------------------------------------------------- */

/* A home directory or the whole machine is more than a notebook's files: only by name. */
static bool main_is_too_wide(const char *directory)
{
	const char *home = getenv("HOME");
	auto_free char *resolved = home ? realpath(home, NULL) : NULL;
	const size_t length = strlen(directory);

	return !strcmp(directory, "/") || (resolved && !strncmp(resolved, directory, length) &&
					   (!resolved[length] || resolved[length] == '/'));
}

static int main_find_workspace(struct program *p, struct err *e)
{
	auto_free char *here = NULL;
	const struct places_options given = {.workspace = p->options.workspace,
					     .needs_workspace = true};

	if (p->options.no_workspace)
		return 0;
	if (p->options.workspace)
		return places_open(&given, &p->places, e);
	here = realpath(".", NULL);
	if (!here || main_is_too_wide(here)) {
		say_warning(
			"cells do not see this directory, a home directory or one above it: "
			"--workspace DIR names one");
		return 0;
	}
	return places_open(&(struct places_options){.workspace = here, .needs_workspace = true},
			   &p->places, e);
}

static void main_mount_workspace(struct program *p)
{
	struct mount_spec *m;

	if (!p->places.workspace)
		return;
	m = spec_add_mount(&p->spec, MOUNT_BIND, "/data");
	m->source = spec_strdup(&p->spec, p->places.workspace);
	m->source_fd = p->places.workspace_fd;
	m->read_only = !p->options.write;
	if (!p->spec.workdir)
		p->spec.workdir = spec_strdup(&p->spec, m->target);
}

static int main_open_session(struct program *p, struct err *e)
{
	if (main_find_workspace(p, e))
		return -1;
	main_mount_workspace(p);
	if (session_spec_finish_own(&p->spec, p->options.image, e) ||
	    place_open_own(&p->kernel.place, &p->spec, p->options.preload, p->options.trust_image,
			   e))
		return -1;
	p->kernel.image = p->spec.image;
	p->kernel.timeout_ms = p->options.timeout_ms;
	return 0;
}

/* -- events ---------------------------------------------------------------------------------- */

void kernel_interrupt(struct kernel *k)
{
	if (k->work)
		(void)notebook_interrupt(k->work->notebook);
}

static void main_take_signals(void *context, uint32_t events)
{
	struct program *p = context;
	struct signalfd_siginfo info;

	(void)events;
	while (read(p->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGINT)
			kernel_interrupt(&p->kernel);
		else if (info.ssi_signo != SIGWINCH)
			p->kernel.is_over = true;
	}
}

static void main_parent_ended(void *context, uint32_t events)
{
	(void)events;
	((struct program *)context)->kernel.is_over = true;
}

/* Messages are received before the next wait. */
static void main_wake(void *context, uint32_t events)
{
	(void)context;
	(void)events;
}

static void main_receive_again(void *context)
{
	(void)context;
}

/* The client names itself: a kernel of a client that has died would stay. */
static int main_watch_parent(struct program *p, struct err *e)
{
	const char *number = getenv("JPY_PARENT_PID");
	struct err ignored;
	int64_t pid = 0;

	if (!number || parse_int(number, 2, INT32_MAX, &pid, &ignored))
		return 0;
	p->parent_fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
	if (p->parent_fd < 0)
		return err_sys(e, "watch the process %d, whose kernel this is", (int)pid);
	p->parent = (struct hub_watch){.ready = main_parent_ended, .context = p, .fd = -1};
	return hub_watch(p->kernel.hub, &p->parent, p->parent_fd, EPOLLIN, e);
}

static int main_watch(struct program *p, struct err *e)
{
	p->again = (struct hub_timer){.ring = main_receive_again};
	p->signals = (struct hub_watch){.ready = main_take_signals, .context = p, .fd = -1};
	if (hub_watch(p->kernel.hub, &p->signals, p->signal_fd, EPOLLIN, e) ||
	    main_watch_parent(p, e))
		return -1;
	for (int i = 0; i < KERNEL_SOCKETS; i++) {
		p->sockets[i] = (struct hub_watch){.ready = main_wake, .fd = -1};
		if (hub_watch(p->kernel.hub, &p->sockets[i],
			      sockets_fd(p->kernel.sockets, (enum kernel_socket)i), EPOLLIN, e))
			return -1;
	}
	return 0;
}

static void main_unwatch(struct program *p)
{
	hub_unwatch(p->kernel.hub, &p->signals);
	hub_unwatch(p->kernel.hub, &p->parent);
	hub_silence(p->kernel.hub, &p->again);
	for (int i = 0; i < KERNEL_SOCKETS; i++)
		hub_unwatch(p->kernel.hub, &p->sockets[i]);
}

/* -- its life -------------------------------------------------------------------------------- */

static void main_serve(struct program *p)
{
	struct kernel *k = &p->kernel;
	auto_registration place = registry_enter_face("kernel", p->spec.image, NULL);

	k->is_busy = true;
	kernel_publish_status(k, NULL, "starting");
	looking_learn(k);
	while (!k->is_over) {
		if (kernel_receive(k)) /* libzmq does not tell of these again */
			hub_ring(k->hub, &p->again, monotonic_us());
		if (!k->is_over)
			hub_turn(k->hub);
	}
	work_abandon(k);
}

static int main_begin(struct program *p, struct err *e)
{
	struct kernel *k = &p->kernel;

	signer_init(&k->signer, p->connection.key);
	k->hub = hub_open(e);
	return !k->hub || sockets_open(&p->connection, &k->sockets, e) || main_watch(p, e) ? -1 : 0;
}

/* Signals are blocked before a child is made; one that the caller ignores would stay ignored. */
static int main_run(struct program *p, int argc, char **argv, struct err *e)
{
	signal(SIGINT, SIG_DFL);
	if (main_read_flags(p, argc, argv, false, e) || main_check_flags(p, e) ||
	    connection_read(p->options.connection_file, &p->connection, e) ||
	    process_signals(&p->signal_fd, e) || main_open_session(p, e) || main_begin(p, e))
		return -1;
	main_serve(p);
	return 0;
}

static int main_install(struct program *p, int argc, char **argv, struct err *e)
{
	auto_list struct list words = {0};

	if (main_read_flags(p, argc, argv, true, e))
		return -1;
	if (p->options.connection_file)
		return err_input(e, "-f: the client gives the kernel its connection file");
	if (p->options.user && p->options.prefix.text)
		return err_input(e, "--user or --prefix, not both");
	install_words(argc - 1, argv + 1, &words);
	return install_write(&p->options, p->spec.name ? p->spec.name : INSTALL_NAME, &words, e);
}

static void main_end(struct program *p)
{
	struct kernel *k = &p->kernel;

	place_close(&k->place);
	sockets_close(k->sockets);
	message_fini(&k->request);
	kernel_forget_waiting(k);
	history_fini(&k->history);
	signer_fini(&k->signer);
	free(k->version);
	if (k->hub)
		main_unwatch(p);
	hub_close(k->hub);
	connection_fini(&p->connection);
	places_close(&p->places);
	spec_fini(&p->spec);
	own_close(&p->signal_fd);
	own_close(&p->parent_fd);
}

int main(int argc, char **argv)
{
	static struct program p = {.signal_fd = -1, .parent_fd = -1};
	const bool installs = argc > 1 && !strcmp(argv[1], "install");
	struct err e;
	int bad;

	io_fill_standard();
	STAILQ_INIT(&p.kernel.aside);
	spec_init(&p.spec);
	p.places = places_none();
	place_open_kept(&p.kernel.place, NULL);
	bad = privileges_keep(installs ? "kernel install" : "kernel", "arguments", &e);
	if (!bad)
		bad = installs ? main_install(&p, argc - 1, argv + 1, &e)
			       : main_run(&p, argc, argv, &e);
	main_end(&p);
	if (bad)
		say_error(&e);
	return bad ? EXIT_OURS : 0;
}
