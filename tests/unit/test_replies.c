/*
 * test_replies - what replies of models ask for: the cases of tests/agent/replies/.
 *
 * A file there is a list of cases:
 *
 *     ##### which model, and what is odd about its reply
 *     === reply           or: === reply escaped, with \r \t \\ and \xNN in it
 *     === code            what must run; the same for answer, early, description and text
 *     === note            must be in the note for the model
 *     === calls           how many stood in the text
 *     === flags           of: thinking_unclosed empty code_unclosed code_in_answer
 *
 * What a case does not name must not be there, save `text`. Of a case with `decided` only that is
 * compared:
 *
 *     === situation       of: conversation tools asks_for_code cut_off last ran failed unknown
 *                         repeated failing, asked_work asked_run asked_failed asked_empty
 *     === decided         run, again, or tell and part of what is told; else the answer
 */
#include "unit.h"

#include <dirent.h>

#include "agent/decide.h"
#include "agent/reply/extract.h"
#include "base/io.h"

#define REPLIES "tests/agent/replies"

enum section {
	REPLY,
	CODE,
	ANSWER,
	EARLY,
	DESCRIPTION,
	TEXT,
	NOTE,
	CALLS,
	FLAGS,
	SITUATION,
	DECIDED,
	SECTIONS
};

static const char *const names[SECTIONS] = {
	[REPLY] = "reply",
	[CODE] = "code",
	[ANSWER] = "answer",
	[EARLY] = "early",
	[DESCRIPTION] = "description",
	[TEXT] = "text",
	[NOTE] = "note",
	[CALLS] = "calls",
	[FLAGS] = "flags",
	[SITUATION] = "situation",
	[DECIDED] = "decided",
};

struct test_case {
	const char *file;
	char title[200];
	struct buf sections[SECTIONS];
	bool given[SECTIONS];
	bool escaped;
};

static unsigned cases;
static unsigned failures;

static void complain(const struct test_case *t, const char *what, const char *wanted,
		     const char *found)
{
	failures++;
	print_error("%s: %s: %s\n--- wanted:\n%s\n--- found:\n%s\n---\n", t->file, t->title, what,
		    wanted ? wanted : "(nothing)", found ? found : "(nothing)");
}

static const char *wanted(const struct test_case *t, enum section s)
{
	return t->given[s] ? buf_string(&t->sections[s]) : NULL;
}

static void compare(const struct test_case *t, enum section s, const char *found)
{
	const char *want = wanted(t, s);

	if ((want == NULL) != (found == NULL) || (want && strcmp(want, found) != 0))
		complain(t, names[s], want, found);
}

static void compare_flags(const struct test_case *t, const struct extract *x)
{
	const struct {
		const char *name;
		bool set;
	} flags[] = {
		{"thinking_unclosed", x->thinking_unclosed},
		{"empty",             x->empty            },
		{"code_unclosed",     x->code_unclosed    },
		{"code_in_answer",    x->code_in_answer   },
	};
	const char *want = t->given[FLAGS] ? buf_string(&t->sections[FLAGS]) : "";

	for (size_t i = 0; i < COUNT(flags); i++)
		if ((strstr(want, flags[i].name) != NULL) != flags[i].set)
			complain(t, flags[i].name, want, flags[i].set ? "set" : "not set");
}

/* The code of each call must also be in its arguments, which are one JSON object. */
static void compare_calls(const struct test_case *t, const struct extract *x)
{
	size_t want = t->given[CALLS] ? strtoul(buf_string(&t->sections[CALLS]), NULL, 10) : 0;

	if (x->call_count != want)
		complain(t, "number of calls", buf_string(&t->sections[CALLS]), "another");
	for (size_t i = 0; i < x->call_count; i++) {
		auto_extract struct extract again = {0};

		if (extract_call(&x->calls[i], &again) || !strstr(x->code, again.code))
			complain(t, "a call's arguments", x->code, x->calls[i].arguments);
	}
}

static struct situation situation_of(const struct test_case *t)
{
	const char *have = t->given[SITUATION] ? buf_string(&t->sections[SITUATION]) : "";

	return (struct situation){
		.conversation = strstr(have, "conversation"),
		.tools = strstr(have, "tools"),
		.asks_for_code = strstr(have, "asks_for_code"),
		.cut_off = strstr(have, "cut_off"),
		.last = strstr(have, "last"),
		.ran = strstr(have, "ran"),
		.failed = strstr(have, "failed "),
		.unknown = strstr(have, "unknown"),
		.past = strstr(have, "repeated")  ? CODE_REPEATED
			: strstr(have, "failing") ? CODE_FAILING
						  : CODE_NEW,
		.asked = (strstr(have, "asked_work") ? ASKED_WORK : 0) |
			 (strstr(have, "asked_run") ? ASKED_RUN : 0) |
			 (strstr(have, "asked_failed") ? ASKED_FAILED : 0) |
			 (strstr(have, "asked_empty") ? ASKED_EMPTY : 0),
	};
}

static void compare_decided(const struct test_case *t, const struct extract *x)
{
	const struct situation s = situation_of(t);
	struct decision d = decide(x, &s);
	const char *want = wanted(t, DECIDED);
	const char *found = d.kind == DECIDE_RUN                   ? "run"
			    : d.kind == DECIDE_AGAIN               ? "again"
			    : d.kind == DECIDE_ANSWER              ? d.text
			    : d.which == PROMPT_NOTHING && x->note ? x->note
								   : prompt_text(d.which);
	bool same = d.kind == DECIDE_TELL ? !strncmp(want, "tell ", 5) && strstr(found, want + 5)
					  : !strcmp(want, found);

	if (!same)
		complain(t, "decided", want, found);
}

static void run_case(struct test_case *t)
{
	auto_extract struct extract x = {0};

	if (!t->given[REPLY])
		return;
	cases++;
	if (t->given[CODE])
		buf_text(&t->sections[CODE], "\n");
	extract_reply(buf_string(&t->sections[REPLY]), &x);
	if (t->given[DECIDED]) {
		compare_decided(t, &x);
		return;
	}
	compare(t, CODE, x.code);
	compare(t, ANSWER, x.answer);
	compare(t, EARLY, x.early_answer);
	compare(t, DESCRIPTION, x.description);
	if (t->given[TEXT])
		compare(t, TEXT, x.text);
	if (!x.note != !t->given[NOTE] || (x.note && !strstr(x.note, wanted(t, NOTE))))
		complain(t, "note", wanted(t, NOTE), x.note);
	compare_flags(t, &x);
	compare_calls(t, &x);
	if (x.code && x.answer)
		complain(t, "code and answer", x.code, x.answer);
}

static void end_case(struct test_case *t)
{
	run_case(t);
	for (size_t i = 0; i < SECTIONS; i++)
		buf_fini(&t->sections[i]);
	*t = (struct test_case){.file = t->file};
}

static void add_escaped(struct buf *to, const char *line)
{
	for (; *line; line++) {
		char c = *line;

		if (c == '\\' && line[1] == 'x') {
			c = (char)strtoul((char[]){line[2], line[3], '\0'}, NULL, 16);
			line += 3;
		} else if (c == '\\' && line[1]) {
			c = line[1] == 'r' ? '\r' : line[1] == 't' ? '\t' : line[1];
			line++;
		}
		buf_add(to, &c, 1);
	}
}

/* Returns the section that a line "=== name" begins; SECTIONS if it begins none. */
static enum section section_of(const char *line)
{
	for (size_t i = 0; i < SECTIONS && !strncmp(line, "=== ", 4); i++)
		if (!strncmp(line + 4, names[i], strlen(names[i])))
			return (enum section)i;
	return SECTIONS;
}

static void take_line(struct test_case *t, enum section *in, const char *line)
{
	enum section next = section_of(line);

	if (!strncmp(line, "##### ", 6)) {
		end_case(t);
		snprintf(t->title, sizeof(t->title), "%s", line + 6);
		*in = SECTIONS;
	} else if (next != SECTIONS) {
		if (t->given[next])
			fail_msg("%s: %s: twice: %s", t->file, t->title, line);
		t->given[next] = true;
		t->escaped |= next == REPLY && strstr(line, "escaped");
		*in = next;
	} else if (*in != SECTIONS) {
		struct buf *to = &t->sections[*in];

		if (to->data)
			buf_text(to, "\n");
		if (*in == REPLY && t->escaped)
			add_escaped(to, line);
		else
			buf_text(to, line);
		if (!to->data) /* the line before was empty */
			to->data = strdup("");
	} else if (*line && *line != ' ') {
		fail_msg("%s: outside a section: %s", t->file, line);
	}
}

static void run_file(const char *name)
{
	auto_buf struct buf text = {0};
	struct test_case t = {.file = name};
	enum section in = SECTIONS;
	char path[512];
	struct err e;
	char *rest;

	snprintf(path, sizeof(path), "%s/%s", REPLIES, name);
	if (io_read_file(AT_FDCWD, path, 1 << 20, &text, &e))
		fail_msg("%s", e.text);
	rest = text.data;
	while (rest && *rest) {
		char *line = strsep(&rest, "\n");

		take_line(&t, &in, line);
	}
	end_case(&t);
}

static int is_text(const struct dirent *entry)
{
	return strstr(entry->d_name, ".txt") != NULL;
}

static void test_every_reply_gives_what_its_case_says(void **state)
{
	struct dirent **files;
	int n = scandir(REPLIES, &files, is_text, alphasort);

	(void)state;
	if (n <= 0)
		fail_msg("%s: no cases", REPLIES);
	for (int i = 0; i < n; i++) {
		run_file(files[i]->d_name);
		free(files[i]);
	}
	free(files);
	print_message("%u replies\n", cases);
	assert_int_equal(failures, 0);
	assert_true(cases >= 120);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_reply_gives_what_its_case_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
