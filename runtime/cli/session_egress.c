/*
 * session_egress - `glovebox session egress`: print or replace the list of hosts of a running
 * session.
 *
 * We send the list to glovebox-egress: the session is not involved, and may be busy, frozen, or
 * rolled back later: the list stays.
 */
#include "cli/command.h"
#include "cli/explain.h"
#include "cli/session_command.h"
#include "client/network_orders.h"
#include "flags/setting_words.h"
#include "spec/egress_finish.h"
#include "spec/egress_flags.h"
#include "spec/egress_list.h"
#include "spec/policy.h"

/* clang-format off */
const struct setting session_egress_settings[] = {
	{"allow-private", 0, "NAME", GROUP_NETWORK, FACE_SESSION, SETTING_OWN, 0, NULL, .parse = egress_flag_private, .words = "none", .repeated = true, .help = "this name of LIST may be an address of a private network"},
	{"allow-host", 0, "PORT", GROUP_NETWORK, FACE_SESSION, SETTING_OWN, 0, NULL, .parse = egress_flag_host, .words = "none", .repeated = true, .help = "and a port of this machine's loopback, as host.glovebox.internal"},
	SETTING_END,
};
/* clang-format on */

/* @list: NULL: print the present list. */
static int session_egress_read(int argc, char **argv, struct sandbox_spec *spec, const char **name,
			       const char **list, struct err *e)
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
	if (argc - ++at > 2)
		return err_input(e, "session egress: separate hosts by commas: %.100s,%.100s",
				 argv[at + 1], argv[at + 2]);
	*list = argc - at == 2 ? argv[at + 1] : NULL;
	if (argc - at < 1 || (!*list && (spec->egress.rule_count || spec->allow_private.count)))
		return err_input(e, "session egress [FLAGS] NAME LIST: hosts, lists, or none");
	*name = argv[at];
	spec->egress.is_session = true;
	if (!*list)
		return 0;
	return egress_list_add(spec, *list, e) || policy_apply_to_spec(spec, e) ||
			       egress_finish(spec, e)
		       ? -1
		       : 0;
}

static int session_egress_show(const char *name, struct err *e)
{
	struct egress_spec there;

	if (network_orders_show(NULL, name, &there, e))
		return -1;
	explain_list(&there);
	egress_free(&there);
	return 0;
}

static int session_egress_do(int argc, char **argv, struct sandbox_spec *spec, struct err *e)
{
	const char *name;
	const char *list;

	if (session_egress_read(argc, argv, spec, &name, &list, e))
		return -1;
	return list ? network_orders_replace(NULL, name, &spec->egress, e)
		    : session_egress_show(name, e);
}

int session_egress(int argc, char **argv)
{
	struct sandbox_spec spec;
	struct err e;
	int bad;

	spec_init(&spec);
	bad = session_egress_do(argc, argv, &spec, &e);
	spec_fini(&spec);
	return bad ? fail_with_help(&e, "session") : 0;
}
