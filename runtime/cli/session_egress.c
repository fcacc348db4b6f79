/*
 * session_egress - `glovebox session egress`: another list of hosts for a session that runs.
 *
 * The process that serves its network is told; the session itself notices nothing, and may be busy,
 * frozen, or rolled back later: the list stays.
 */
#include "base/own.h"
#include "cli/command.h"
#include "cli/session_command.h"
#include "client/network.h"
#include "host/egress.h"
#include "spec/egress_finish.h"
#include "spec/egress_flags.h"
#include "spec/egress_list.h"
#include "spec/setting_words.h"

/* clang-format off */
const struct setting session_egress_settings[] = {
	{"allow-private", 0, "NAME", GROUP_NETWORK, FACE_SESSION, SETTING_OWN, 0, NULL, .parse = egress_flag_private, .words = "none", .repeated = true, .help = "this name of LIST may be an address of a private network"},
	{"allow-host", 0, "PORT", GROUP_NETWORK, FACE_SESSION, SETTING_OWN, 0, NULL, .parse = egress_flag_host, .words = "none", .repeated = true, .help = "and a port of this machine's loopback, as host.glovebox.internal"},
	SETTING_END,
};
/* clang-format on */

static int session_egress_read(int argc, char **argv, struct sandbox_spec *spec, const char **name,
			       struct err *e)
{
	const struct settings settings = {.face = FACE_SESSION,
					  .needs = FACE_SESSION,
					  .grammar = WORDS_ANYWHERE,
					  .tables = {{session_egress_settings, spec, NULL}},
					  .keeper = spec,
					  .hint = ""};
	int at;

	if (setting_words(&settings, argc - 1, argv + 1, &at, e))
		return -1;
	if (argc - ++at != 2)
		return err_input(e, "session egress [FLAGS] NAME LIST: hosts, a preset, or none");
	*name = argv[at];
	spec->egress.is_session = true;
	return egress_list_add(spec, argv[at + 1], e) || egress_finish(spec, e) ? -1 : 0;
}

static int session_egress_replace(int argc, char **argv, struct sandbox_spec *spec, struct err *e)
{
	auto_fd int control = -1;
	const char *name;

	if (session_egress_read(argc, argv, spec, &name, e) ||
	    network_borrow(NULL, name, &control, e))
		return -1;
	return egress_replace(control, &spec->egress, e);
}

int session_egress(int argc, char **argv)
{
	struct sandbox_spec spec;
	struct err e;
	int bad;

	spec_init(&spec);
	bad = session_egress_replace(argc, argv, &spec, &e);
	spec_fini(&spec);
	return bad ? fail_with_help(&e, "session") : 0;
}
