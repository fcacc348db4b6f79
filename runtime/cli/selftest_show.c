/*
 * selftest_show - print the findings of a selftest, for people and for programs.
 */
#include "cli/selftest_show.h"

#include <stdio.h>

#include "base/json_put.h"
#include "base/say.h"

static void selftest_show_check(const struct selftest_check *c)
{
	printf("     %s ", c->held ? "held  " : "BROKEN");
	say_line(stdout, c->what);
	fputs(": ", stdout);
	say_line(stdout, c->saw);
	putchar('\n');
}

void selftest_show_layer(const struct selftest *t, const struct layer *l, bool verbose)
{
	static const char *const states[] = {"ok", "NO", "-", "?"};
	static const char *const why[] = {"", "", "not promised here: ", "not checked: "};
	char reason[600];
	enum layer_state state = selftest_judge(t, l, reason, sizeof(reason));

	printf("%-4s %-18s %s", states[state], l->name, l->promise);
	if (reason[0]) {
		printf("; %s", why[state]);
		say_line(stdout, reason);
	}
	putchar('\n');
	for (size_t i = 0; i < t->count; i++) {
		const struct selftest_check *c = &t->checks[i];

		if (c->layer == l && (verbose || !c->held))
			selftest_show_check(c);
	}
}

static void selftest_show_put_layer(const struct selftest *t, const struct layer *l,
				    struct buf *out)
{
	static const char *const states[] = {"held", "broken", "absent", "unchecked"};
	char reason[600];
	enum layer_state state = selftest_judge(t, l, reason, sizeof(reason));

	json_put_begin(out, NULL, '{');
	json_put_text(out, "name", l->name);
	json_put_text(out, "promise", l->promise);
	json_put_text(out, "state", states[state]);
	json_put_text(out, "reason", reason[0] ? reason : NULL);
	json_put_begin(out, "checks", '[');
	for (size_t i = 0; i < t->count; i++) {
		if (t->checks[i].layer != l)
			continue;
		json_put_begin(out, NULL, '{');
		json_put_text(out, "what", t->checks[i].what);
		json_put_bool(out, "held", t->checks[i].held);
		json_put_text(out, "saw", t->checks[i].saw);
		json_put_end(out, '}');
	}
	json_put_end(out, ']');
	json_put_end(out, '}');
}

void selftest_show_put(const struct selftest *t, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	json_put_text(out, "image", t->image);
	json_put_begin(out, "layers", '[');
	for (const struct layer *l = layers; l->name; l++) {
		if (!t->only || t->only == l)
			selftest_show_put_layer(t, l, out);
	}
	json_put_end(out, ']');
	json_put_text(out, "trouble", t->trouble.kind ? t->trouble.text : NULL);
	json_put_end(out, '}');
}
