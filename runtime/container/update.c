/*
 * update - `update`: change limits, hosts and ports of sandboxes that stay, now and for their next
 * start.
 *
 * The flags are kept beside the record, and read after those of its command line: by its own
 * parser, which refuses them before anything changes, and by `start`. The monitor of one that runs
 * puts the limits into effect, and keeps the flags, or does neither.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/list.h"
#include "base/own.h"
#include "cli/command.h"
#include "cli/run.h"
#include "cli/words.h"
#include "client/network.h"
#include "container/named.h"
#include "container/ports.h"
#include "container/update_ports.h"
#include "flags/docker_settings.h"
#include "flags/setting_words.h"
#include "loop/clock.h"
#include "monitor/update_ask.h"
#include "record/event.h"
#include "record/record_remove.h"
#include "spec/egress_flags.h"
#include "spec/run_settings.h"

#define AT(field) offsetof(struct update, field)
#define MAX_TIME  (366 * 24 * 3600000ll)
#define LIST_FLAG "--egress="
#define END_US    2000000 /* a monitor whose sandbox has ended is gone by then */

/* The flags of a command line, for each of its names. */
struct update {
	struct sandbox_spec spec;
	uint64_t given[SETTING_GIVEN]; /* of `rows` */
	/* words; they are read with the command line of each sandbox */
	struct list egress;
	struct list allow_private;
	struct list allow_host;
	struct list publish_rm;
	struct list publish;
};

/* clang-format off */
static const struct setting rows[] = {
	{"timeout", 0, "DURATION", GROUP_LIMITS, FACE_UPDATE, SETTING_DURATION, AT(spec.limits.wall_time_ms), NULL, .min = 1, .max = MAX_TIME, .none = "0", .words = "as it is", .help = "end it after this time, from now on; 0: no limit"},
	{"cpuset-cpus", 0, "LIST", GROUP_REFUSED, FACE_UPDATE, SETTING_MOOT, 0, NULL, .help = "run chooses its CPUs, once"},
	{"publish-rm", 0, "PORT", GROUP_NETWORK, FACE_UPDATE, SETTING_LIST, AT(publish_rm), NULL, .repeated = true, .help = "publish this port of the sandbox no more; its connections end; all: none"},
	{"publish", 'p', "PORTS", GROUP_NETWORK, FACE_UPDATE, SETTING_LIST, AT(publish), NULL, .repeated = true, .help = "publish further ports, as run -p does"},
	{"egress", 0, "LIST", GROUP_NETWORK, FACE_UPDATE, SETTING_LIST, AT(egress), NULL, .repeated = true, .help = "another list, with what may be private and of this machine, in place of its own"},
	{"allow-private", 0, "NAME,...", GROUP_NETWORK, FACE_UPDATE, SETTING_LIST, AT(allow_private), NULL, .repeated = true, .help = "these names of that list may have private addresses"},
	{"allow-host", 0, "PORT,...", GROUP_NETWORK, FACE_UPDATE, SETTING_LIST, AT(allow_host), NULL, .repeated = true, .help = "with that list, ports of this machine's loopback"},
	SETTING_END,
};

/* Before the rows of `run` when words are read that were kept: deadlines and ports can be taken away. */
static const struct setting kept_rows[] = {
	{"timeout", 0, "DURATION", GROUP_LIMITS, FACE_UPDATE, SETTING_DURATION, offsetof(struct sandbox_spec, limits.wall_time_ms), NULL, .min = 1, .max = MAX_TIME, .none = "0"},
	{"publish-rm", 0, "PORT", GROUP_NETWORK, FACE_UPDATE, SETTING_OWN, 0, NULL, .parse = egress_flag_publish_rm, .repeated = true},
	SETTING_END,
};
/* clang-format on */

/* @first: the table that counts before that of `run`. */
static struct settings update_settings(struct setting_table first, struct sandbox_spec *spec)
{
	return (struct settings){
		.face = FACE_UPDATE,
		.grammar = WORDS_BUNDLED | WORDS_ANYWHERE,
		.keeper = spec,
		.tables = {first, run_settings_table(spec), {docker_settings, NULL, NULL}},
		.hint = "",
	};
}

struct settings update_all_settings(void)
{
	return update_settings((struct setting_table){rows, NULL, NULL}, NULL);
}

/* -- the flags that are kept ----------------------------------------------------------------- */

static bool update_has_flag(const struct list *words, const char *word)
{
	const size_t length = strcspn(word, "=") + 1;

	for (size_t i = 0; i < words->count; i++) {
		if (!strncmp(words->items[i], word, length))
			return true;
	}
	return false;
}

/* The list is replaced as a whole, with its exceptions. */
static void update_forget_list(struct sandbox_spec *spec)
{
	spec->egress.rule_count = 0;
	spec->egress.is_none = false;
	spec->allow_private = (struct string_list){0};
}

int update_apply(const struct list *flags, struct sandbox_spec *spec, struct err *e)
{
	const struct settings settings =
		update_settings((struct setting_table){kept_rows, spec, NULL}, spec);
	int used;

	if (update_has_flag(flags, LIST_FLAG))
		update_forget_list(spec);
	return setting_words(&settings, (int)flags->count, flags->items, &used, e);
}

int update_flags(const struct record *r, struct list *out, struct err *e)
{
	auto_json struct json *update = record_update(r);

	return update ? list_from_json(out, update, "words", e) : 0;
}

static void update_add_list(const char *name, const struct list *values, struct list *out)
{
	for (size_t i = 0; i < values->count; i++)
		list_addf(out, "--%s=%s", name, values->items[i]);
}

/* "--NAME=VALUE", as setting_words() reads it. */
static char *update_word(const struct setting *row, uint64_t value)
{
	if (value == SPEC_UNLIMITED)
		return own_printf("--%s=%.*s", row->name, (int)strcspn(row->none, "|"), row->none);
	if (row->kind == SETTING_MILLI)
		return own_printf("--%s=%" PRIu64 ".%03" PRIu64, row->name, value / 1000,
				  value % 1000);
	return own_printf("--%s=%" PRIu64 "%s", row->name, value,
			  row->kind == SETTING_DURATION ? "ms" : "");
}

static void update_add_words(const struct setting *table, const uint64_t *given, const void *target,
			     struct list *out)
{
	const struct setting *flag = NULL;

	while ((flag = setting_next_given(table, given, flag))) {
		const void *at = (const char *)target + flag->at;
		auto_free char *word = NULL;

		if (flag->kind == SETTING_LIST) {
			update_add_list(flag->name, at, out);
			continue;
		}
		word = update_word(flag, *(const uint64_t *)at);
		list_add(out, word);
	}
}

/* The flags of earlier updates that this one does not replace, and its own. */
static int update_merge(const struct update *u, const struct record *r, struct list *out,
			struct err *e)
{
	auto_list struct list before = {0};
	auto_list struct list own = {0};

	if (update_flags(r, &before, e))
		return -1;
	update_add_words(run_settings, u->spec.given, &u->spec, &own);
	update_add_words(rows, u->given, u, &own);
	for (size_t i = 0; i < before.count; i++) {
		const char *word = before.items[i];
		const bool of_list =
			!strncmp(word, "--egress=", 9) || !strncmp(word, "--allow-", 8);
		const bool of_ports = !strncmp(word, PORTS_FLAGS, strlen(PORTS_FLAGS));

		if (of_ports || (!update_has_flag(&own, word) && !(of_list && u->egress.count)))
			list_add(out, before.items[i]);
	}
	for (size_t i = 0; i < own.count; i++)
		list_add(out, own.items[i]);
	return 0;
}

/* -- one sandbox ----------------------------------------------------------------------------- */

/* Read its command line with these flags. @spec: end with spec_fini(), whatever is returned. */
static int update_read(const struct record *r, const struct list *flags, struct sandbox_spec *spec,
		       struct err *e)
{
	auto_free char *here = getcwd(NULL, 0);
	auto_list struct list words = {0};
	struct presentation show = {0};
	int bad;

	spec_init(spec);
	bad = start_parse(r, flags, &words, spec, &show, e);
	presentation_fini(&show);
	if (here)
		(void)!chdir(here);
	return bad;
}

/* The change of one sandbox. */
struct update_one {
	const struct update *u;
	const struct record *r;
	const struct list *flags; /* that its next start reads */
	const struct sandbox_spec *spec;
	int lock; /* others wait for it */
};

static bool update_has_ports(const struct update *u)
{
	return u->publish.count || u->publish_rm.count;
}

static int update_put(const struct record *r, const struct list *flags, const struct limits *limits,
		      struct err *e)
{
	auto_fd int lock = record_lock(r);

	if (lock < 0)
		return err_set(e, ERR_BUSY, "%.100s is just being started, or removed",
			       record_name(r));
	return record_put_update(r->dir, flags, limits, e);
}

/* As `run` says which ports were chosen for those that -p left open. */
static void update_say_chosen(const struct port_change *asked, const struct port_change *done)
{
	auto_buf struct buf lines = {0};

	network_write_chosen(asked->more, done->more, done->more_count, &lines);
	network_say_published(&lines, our_name());
}

static int update_running(const struct update_one *one, struct err *e)
{
	const struct update *u = one->u;
	struct port_change ports;
	struct port_change asked;
	struct update_wish wish = {
		.flags = one->flags,
		.limits = &one->spec->limits,
		.timed = setting_given(rows, u->given, "timeout"),
		.list = u->egress.count ? &one->spec->egress : NULL,
		.ports = &ports,
	};

	if (update_ports_change(one->r, &u->publish, &u->publish_rm, &ports, e))
		return -1;
	asked = ports;
	if (update_ask(one->r, one->lock, &wish, e))
		return -1;
	update_say_chosen(&asked, &ports);
	return 0;
}

static int update_do(const struct update_one *one, struct record *r, struct err *e)
{
	const struct egress_spec *ports = &one->spec->egress;
	auto_buf struct buf text = {0};

	if (record_runs(r)) {
		if (!update_running(one, e))
			return 0;
		/* It ends at this moment: what remains is its next start. */
		if (e->kind != ERR_GONE || record_await_end(r, monotonic_us() + END_US, e))
			return -1;
	}
	if (update_put(r, one->flags, &one->spec->limits, e))
		return -1;
	if (update_has_ports(one->u))
		network_write_arrows(ports->published, ports->published_count, &text);
	event_write(r,
		    &(struct event){.action = "update",
				    .ports = update_has_ports(one->u) ? buf_string(&text) : NULL});
	return 0;
}

static int update_named(void *context, const char *word, struct err *e)
{
	const struct update *u = context;
	auto_record struct record held = {.dir = -1};
	auto_record struct record r = {.dir = -1};
	auto_list struct list flags = {0};
	struct sandbox_spec spec;
	int bad;

	/* Once more behind the lock: another may have started it. */
	if (named_find("update", word, &held, e) || record_lock_update(&held, e) ||
	    record_find(held.id, &r, e) || update_merge(u, &r, &flags, e))
		return -1;
	bad = update_read(&r, &flags, &spec, e);
	if (!bad && update_has_ports(u))
		update_ports_settle(&spec, &flags);
	bad = bad || update_do(&(struct update_one){u, &r, &flags, &spec, held.dir}, &r, e);
	spec_fini(&spec);
	return bad ? -1 : 0;
}

/* Returns the index of the first name, or -1. */
static int update_read_words(int argc, char **argv, struct update *u, struct err *e)
{
	const struct settings settings =
		update_settings((struct setting_table){rows, u, u->given}, &u->spec);
	int used;

	if (setting_words(&settings, argc - 1, argv + 1, &used, e))
		return -1;
	if (used == argc - 1)
		return err_input(e, "update: a name is needed: %s update [FLAGS] NAME...",
				 our_name());
	if (u->allow_private.count + u->allow_host.count && !u->egress.count)
		return err_input(e,
				 "--allow-private and --allow-host need --egress: the list is "
				 "replaced as a whole");
	if (!used)
		return err_input(e,
				 "you must provide one or more flags when using this command: "
				 "--memory, --cpus, --pids-limit, --timeout, --egress, --publish");
	return used + 1;
}

int command_update(int argc, char **argv)
{
	struct update u = {.given = {0}};
	struct err e;
	int at;
	int status;

	spec_init(&u.spec);
	at = update_read_words(argc, argv, &u, &e);
	status = at < 0 ? fail_with_help(&e, "update")
			: words_each(argc, argv, at, update_named, &u);
	spec_fini(&u.spec);
	list_fini(&u.egress);
	list_fini(&u.allow_private);
	list_fini(&u.allow_host);
	list_fini(&u.publish_rm);
	list_fini(&u.publish);
	return status;
}
