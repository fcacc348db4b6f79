/*
 * prompt - fill the placeholders of our texts for a model.
 */
#include "agent/tell/prompt.h"

#include <ctype.h>
#include <string.h>

#include "agent/tell/data_listing.h"
#include "agent/tell/path_text.h"
#include "prompts.h"

static const char *const texts[] = {
	[PROMPT_SYSTEM_FENCED] = prompt_system_fenced,
	[PROMPT_SYSTEM_TOOLS] = prompt_system_tools,
	[PROMPT_SETUP] = prompt_setup,
	[PROMPT_REPEATED] = prompt_repeated,
	[PROMPT_KNOWN] = prompt_known,
	[PROMPT_FAILED] = prompt_failed,
	[PROMPT_LAST_ROUND] = prompt_last_round,
	[PROMPT_NOTHING] = prompt_nothing,
	[PROMPT_CUT_OFF] = prompt_cut_off,
	[PROMPT_REFUSED] = prompt_refused,
	[PROMPT_NOT_RUN] = prompt_not_run,
};

const char *prompt_text(enum prompt_text which)
{
	return texts[which];
}

void prompt_put_rounds_left(unsigned rounds, struct buf *out)
{
	if (rounds == 1)
		buf_text(out, prompt_text(PROMPT_LAST_ROUND));
	else
		buf_printf(out, "Replies left: %u\n", rounds);
}

static void prompt_put_rounds(const struct prompt_facts *f, struct buf *out)
{
	buf_printf(out, "%u", f->rounds);
}

static void prompt_put_timeout(const struct prompt_facts *f, struct buf *out)
{
	unsigned long long s = f->timeout_ms / 1000;

	if (f->timeout_ms % 1000)
		buf_printf(out, "%llu milliseconds", (unsigned long long)f->timeout_ms);
	else
		buf_printf(out, "%llu second%s", s, s == 1 ? "" : "s");
}

static void prompt_put_memory(const struct prompt_facts *f, struct buf *out)
{
	if (f->memory_max)
		size_text(f->memory_max, out);
	else
		buf_text(out, "any amount");
}

static void prompt_put_state(const struct prompt_facts *f, struct buf *out)
{
	buf_text(out, f->fresh ? "Every script starts clean: import and load everything again."
			       : "Variables and imports stay from one script to the next.");
}

static void prompt_put_network(const struct prompt_facts *f, struct buf *out)
{
	if (f->network)
		buf_printf(out, "no network but to %s", f->network);
	else
		buf_text(out, "no network, no pip");
}

static void prompt_put_packages(const struct prompt_facts *f, struct buf *out)
{
	buf_text(out, f->packages ? f->packages : "");
}

static void prompt_put_data(const struct prompt_facts *f, struct buf *out)
{
	size_t before = out->length;

	data_listing(f->data_fd, "/data", out);
	if (out->length > before &&
	    out->data[out->length - 1] == '\n') /* the text ends with its own newline */
		buf_cut(out, out->length - 1);
}

static const struct placeholder {
	const char *name;
	void (*put)(const struct prompt_facts *f, struct buf *out);
} placeholders[] = {
	{"rounds",   prompt_put_rounds  },
        {"timeout",  prompt_put_timeout },
	{"memory",   prompt_put_memory  },
        {"state",    prompt_put_state   },
	{"network",  prompt_put_network },
        {"packages", prompt_put_packages},
	{"data",     prompt_put_data    },
};

/* Return the length of the name in "{{name}}" at p; 0: none. */
static size_t prompt_name_length(const char *p)
{
	size_t n = 0;

	if (p[0] != '{' || p[1] != '{')
		return 0;
	while (islower((unsigned char)p[2 + n]) || p[2 + n] == '_')
		n++;
	return p[2 + n] == '}' && p[3 + n] == '}' ? n : 0;
}

static const struct placeholder *prompt_find(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(placeholders) / sizeof(placeholders[0]); i++)
		if (strlen(placeholders[i].name) == length &&
		    !memcmp(placeholders[i].name, name, length))
			return &placeholders[i];
	return NULL;
}

static int prompt_refuse(const char *name, size_t length, struct err *e)
{
	auto_buf struct buf known = {0};

	for (size_t i = 0; i < sizeof(placeholders) / sizeof(placeholders[0]); i++)
		buf_printf(&known, "%s%s", i ? ", " : "", placeholders[i].name);
	return err_input(e, "unknown placeholder {{%.*s}}; there are %s",
			 length < 40 ? (int)length : 40, name, buf_string(&known));
}

int prompt_fill(const char *text, const struct prompt_facts *facts, struct buf *out, struct err *e)
{
	while (*text) {
		size_t n = prompt_name_length(text);
		const struct placeholder *p = n ? prompt_find(text + 2, n) : NULL;

		if (n && !p)
			return prompt_refuse(text + 2, n, e);
		if (p)
			p->put(facts, out);
		else
			buf_add(out, text, 1);
		text += p ? n + 4 : 1;
	}
	return 0;
}
