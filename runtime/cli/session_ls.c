/*
 * session_ls - `glovebox session ls`: the sessions that live, and those of which files are kept.
 */
#include <stdio.h>

#include "base/json_put.h"
#include "base/list.h"
#include "base/say.h"
#include "cli/command.h"
#include "cli/listing.h"
#include "cli/session_command.h"
#include "client/client.h"
#include "monitor/session_kept.h"

struct session_ls {
	bool json;
	struct list living; /* names */
	struct buf out;     /* a list, as JSON */
	size_t kept;        /* how many of them have no session that lives */
	bool has_head;
};

static void session_ls_print_head(struct session_ls *l)
{
	if (!l->json && !l->has_head)
		printf("%-*s %-10s %-8s %-8s %-8s %-9s %s\n", LISTING_NAME_WIDTH, "NAME", "STATE",
		       "AGE", "IDLE", "CALLS", "MEMORY", "CHECKPOINTS");
	l->has_head = true;
}

static void session_ls_add_page(const struct form_list *page, struct buf *out)
{
	const struct session_entry *entries = page->items;

	for (unsigned i = 0; i < page->count; i++)
		form_write(&session_entry_form, NULL, &entries[i], out);
}

static void session_ls_print_page(const struct form_list *page)
{
	const struct session_entry *entries = page->items;

	for (unsigned i = 0; i < page->count; i++) {
		const struct session_entry *s = &entries[i];
		char memory[LISTING_BYTES];

		say_column(stdout, LISTING_NAME_WIDTH, s->name);
		printf(" %-10s ", s->busy ? "busy" : s->frozen ? "frozen" : "idle");
		listing_print_age(s->age_ms, 8);
		putchar(' ');
		listing_print_age(s->idle_ms, 8);
		printf(" %-8llu %-9s %llu\n", (unsigned long long)s->calls,
		       listing_bytes(s->memory_bytes ? s->memory_bytes : UINT64_MAX, memory),
		       (unsigned long long)s->checkpoints);
	}
}

static void session_ls_take_page(struct session_ls *l, const struct form_list *page)
{
	const struct session_entry *entries = page->items;

	session_ls_print_head(l);
	for (unsigned i = 0; i < page->count; i++)
		list_add(&l->living, entries[i].name);
	if (l->json)
		session_ls_add_page(page, &l->out);
	else
		session_ls_print_page(page);
}

static int session_ls_living(struct session_ls *l, struct err *e)
{
	struct sessions_request request = {.name = "", .usage = true};
	struct op_answer answer;

	do {
		if (client_ask_once(NULL, OP_SESSIONS, &request, &answer, e))
			return -1;
		session_ls_take_page(l, &answer.sessions.sessions);
		request.after = answer.sessions.after;
		op_answer_fini(&answer);
	} while (request.after);
	return 0;
}

static void session_ls_take_kept(void *context, const struct kept_session *s)
{
	struct session_ls *l = context;

	if (list_has(&l->living, s->name))
		return;
	l->kept++;
	if (l->json) {
		json_put_begin(&l->out, NULL, '{');
		json_put_name(&l->out, "name", s->name);
		json_put_uint(&l->out, "age_ms", s->age_ms);
		json_put_uint(&l->out, "bytes", s->bytes);
		json_put_end(&l->out, '}');
		return;
	}
	session_ls_print_head(l);
	say_column(stdout, LISTING_NAME_WIDTH, s->name);
	printf(" %-10s ", "hibernated");
	listing_print_age(s->age_ms, 0);
	putchar('\n');
}

/* Those that have hibernated are there without a supervisor, too. */
static int session_ls_all(struct session_ls *l, struct err *e)
{
	struct err ignored = {0};
	int bad;

	json_put_begin(&l->out, NULL, '{');
	json_put_begin(&l->out, "sessions", '[');
	bad = session_ls_living(l, e);
	json_put_end(&l->out, ']');
	json_put_begin(&l->out, "hibernated", '[');
	if (session_kept_each(session_ls_take_kept, l, &ignored) && !bad)
		bad = (*e = ignored, -1);
	json_put_end(&l->out, ']');
	json_put_end(&l->out, '}');
	return bad && !l->kept ? -1 : 0;
}

int session_ls(int argc, char **argv)
{
	struct session_ls l = {.json = false};
	struct err e;
	int left = listing_read(argc, argv, &l.json, &e);
	int status = left < 0 ? fail_with(&e) : no_arguments(left, argv);

	if (!status && session_ls_all(&l, &e))
		status = fail_with(&e);
	else if (!status && l.json)
		puts(buf_string(&l.out));
	list_fini(&l.living);
	buf_fini(&l.out);
	return status;
}
